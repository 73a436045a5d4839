package web_test

import (
	"bufio"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"errata/metrics/ask"
	"errata/web"
)

// moving is a fixture whose ingest moves on.
type moving struct {
	web.Fixture
	records *atomic.Int64
}

func (m moving) Health(ctx context.Context) (ask.Answer[ask.Health], error) {
	a, err := m.Fixture.Health(ctx)
	a.Rows[0].Records = m.records.Load()
	return a, err
}

func streaming(t *testing.T, live web.Live) (*httptest.Server, *web.Server, *atomic.Int64) {
	t.Helper()
	m := moving{records: &atomic.Int64{}}
	s, err := web.New(web.Config{Questions: m, Reviews: m, Live: live, Log: slog.New(slog.DiscardHandler), Now: time.Now, API: http.NotFoundHandler()})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(s.EndStreams)
	return server, s, m.records
}

// listen opens a stream and gives its lines.
func listen(t *testing.T, ctx context.Context, server *httptest.Server) (*http.Response, *bufio.Scanner) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer, bufio.NewScanner(answer.Body)
}

// next is the next line that begins so.
func next(t *testing.T, lines *bufio.Scanner, prefix string) string {
	t.Helper()
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), prefix) {
			return lines.Text()
		}
	}
	t.Fatalf("the stream ended without %q: %v", prefix, lines.Err())
	return ""
}

func TestAStreamTellsWhatIsNew(t *testing.T) {
	server, s, records := streaming(t, web.Live{Every: time.Millisecond, Again: time.Hour, Beat: time.Hour})
	answer, lines := listen(t, t.Context(), server)
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" || answer.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("head %v", answer.Header)
	}
	if got := next(t, lines, "data"); got != `data: {"mark":"0-2-400-5210-3"}` {
		t.Errorf("at first %s", got)
	}
	records.Store(7)
	if got := next(t, lines, "data"); got != `data: {"mark":"7-2-400-5210-3"}` {
		t.Errorf("then %s", got)
	}
	s.EndStreams()
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream should end in order: %v", err)
	}
	if answer, _ := listen(t, t.Context(), server); answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("after the end: status %d", answer.StatusCode)
	}
}

func TestAStreamBeatsAndAsksAgain(t *testing.T) {
	server, _, _ := streaming(t, web.Live{Every: time.Hour, Again: 20 * time.Millisecond, Beat: 5 * time.Millisecond})
	_, lines := listen(t, t.Context(), server)
	next(t, lines, `: still here`)
	next(t, lines, `data: {"mark":"0-2-400-5210-3","again":true}`)
}

func TestStreamsAreBounded(t *testing.T) {
	server, _, _ := streaming(t, web.Live{Every: time.Millisecond, Most: 1})
	ctx, leave := context.WithCancel(t.Context())
	_, lines := listen(t, ctx, server)
	next(t, lines, "data")
	refused, _ := listen(t, t.Context(), server)
	if refused.StatusCode != http.StatusServiceUnavailable || refused.Header.Get("Retry-After") == "" {
		t.Errorf("one too many: status %d, %v", refused.StatusCode, refused.Header)
	}
	leave()
	for {
		answer, _ := listen(t, t.Context(), server)
		if answer.StatusCode == http.StatusOK {
			return
		}
	}
}

func TestPagesOfThePastStandStill(t *testing.T) {
	f := func(target string, want int) {
		t.Helper()
		if got := len(texts(t, get(t, "full", target).Body.String(), "[data-live]")); got != want {
			t.Errorf("%s: %d", target, got)
		}
	}
	f("/", 1)
	f("/loops?tool=a", 1)
	f("/health", 1)
	f("/loops?as_of=2026-10-29T12:00:00Z", 0)
	f("/loops?from=2026-10-01T00:00:00Z&to=2026-10-29T00:00:00Z", 0)
	f("/runs", 0)
}

func TestTheme(t *testing.T) {
	f := func(form, location, cookie string, status int) {
		t.Helper()
		w := send(t, site(t, "full", web.Access{}), "POST", "/theme", form, "Content-Type", "application/x-www-form-urlencoded")
		if w.Code != status || w.Header().Get("Location") != location || !strings.HasPrefix(w.Header().Get("Set-Cookie"), cookie) {
			t.Errorf("%s: status %d, %v", form, w.Code, w.Header())
		}
	}
	f("theme=dark&back=%2Floops%3Ftool%3Da", "/loops?tool=a", "errata_theme=dark; Path=/;", 303)
	f("theme=auto&back=%2F", "/", "errata_theme=auto; Path=/; Max-Age=0", 303)
	for _, elsewhere := range []string{"https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)", ""} {
		f("theme=light&back="+elsewhere, "/", "errata_theme=light", 303)
	}
	f("theme=pink", "", "", 400)
	page := send(t, site(t, "full", web.Access{}), "GET", "/", "", "Cookie", "errata_theme=dark").Body.String()
	if len(texts(t, page, `html[data-theme="dark"]`)) != 1 || len(texts(t, page, `.theme [aria-pressed="true"][value="dark"]`)) != 1 {
		t.Error("the page does not know the theme")
	}
	if page := send(t, site(t, "full", web.Access{}), "GET", "/", "", "Cookie", `errata_theme="><script>`).Body.String(); len(texts(t, page, "html[data-theme]")) != 0 {
		t.Error("a made-up theme reached the page")
	}
}
