package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"errata/metrics/ask"
	"errata/transcript"
	"errata/web"
)

// longRun is a run of so many calls, each answered by the same long text; every thousandth failed.
type longRun struct {
	web.Fixture
	calls int
	body  string
}

func (l longRun) Run(context.Context, string, time.Time) (ask.Answer[ask.Run], error) {
	at := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	ok, failed := "ok", "error"
	thread := ask.Thread{}
	for i := range l.calls {
		c := ask.Call{Tool: "read", Arguments: fmt.Sprintf(`{"line":%d}`, i+1), Time: at, Result: &transcript.Result{Body: l.body}, Outcome: &ok}
		if i%1000 == 999 {
			c.Outcome, c.Error = &failed, &ask.CallError{Code: "~too_long"}
		}
		thread.Messages = append(thread.Messages, ask.Message{Role: "assistant", Text: "Reading on.", Turn: i + 1})
		thread.Turns = append(thread.Turns, ask.Turn{Number: i + 1, Follows: i, Time: at, Calls: []ask.Call{c}})
	}
	run := ask.Run{RunID: "long", StartedAt: at, LastActivity: at, Threads: []ask.Thread{thread}}
	return ask.Answer[ask.Run]{AsOf: at, Rows: []ask.Run{run}}, nil
}

func longSite(t testing.TB, calls int, body string) *web.Server {
	t.Helper()
	f := longRun{calls: calls, body: body}
	s, err := web.New(web.Config{Questions: f, Reviews: f, Log: slog.New(slog.DiscardHandler), Now: time.Now, API: http.NotFoundHandler()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// callHead is the link that heads a call.
var callHead = regexp.MustCompile(`aria-label="Link to call #(\d+)"`)

// A run of 1,500 calls with results of a megabyte is read page by page, without scripts: every call is on one page and no page
// is large.
func TestALongRunIsReadInPages(t *testing.T) {
	s := longSite(t, 1500, strings.Repeat("0123456789abcde\n", 1<<16))
	seen := map[string]int{}
	pages := 0
	for next := "/runs/long"; next != ""; pages++ {
		w := send(t, s, "GET", next, "")
		page := w.Body.String()
		if w.Code != http.StatusOK || len(page) > 2<<20 {
			t.Fatalf("%s: status %d, %d bytes", next, w.Code, len(page))
		}
		for _, found := range callHead.FindAllStringSubmatch(page, -1) {
			seen[found[1]]++
		}
		_, rest, found := strings.Cut(page, `rel="next" href="`)
		next, _, _ = strings.Cut(rest, `"`)
		if !found {
			next = ""
		}
	}
	if len(seen) != 1500 || seen["1"] != 1 || seen["1500"] != 1 || pages != 15 {
		t.Errorf("%d calls on %d pages", len(seen), pages)
	}
}

// A call has one address wherever it stands, and pages with a failed call are marked.
func TestPlacesInALongRun(t *testing.T) {
	s := longSite(t, 5000, strings.Repeat("x", 1<<20))
	page := send(t, s, "GET", "/runs/long?call=2345", "").Body.String()
	if len(texts(t, page, "#c2345.call")) != 1 || len(texts(t, page, "#c1")) != 0 {
		t.Error("the page of a call does not show it, or shows another page's")
	}
	if got := texts(t, page, ".run-pages p:first-child"); !strings.HasPrefix(got[0], "Calls 2,301 to 2,400 of 5,000.") {
		t.Errorf("pages say %q", got)
	}
	if got := texts(t, page, ".run-pages:first-of-type a.failed"); strings.Join(got, " ") != "10 20 30 40 50" {
		t.Errorf("marked %q", got)
	}
	if !strings.Contains(page, `href="/runs/long/calls/2345">Show all 1.05 MB`) {
		t.Error("a long result does not lead to the whole of it")
	}
	alone := send(t, s, "GET", "/runs/long/calls/2345", "").Body.String()
	if got := texts(t, alone, ".call pre"); len(got) != 2 || len(got[1]) != 1<<20 || !strings.Contains(alone, `href="/runs/long?call=2345#c2345"`) {
		t.Error("a call alone is not whole, or does not lead back")
	}
	for _, target := range []string{"/runs/long?call=5001", "/runs/long?page=51", "/runs/long/calls/0", "/runs/long/calls/x"} {
		if w := send(t, s, "GET", target, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", target, w.Code)
		}
	}
}

// A run that fits has no pages, and what is long in it opens in place.
func TestAShortRunStandsOnOnePage(t *testing.T) {
	page := send(t, longSite(t, 20, strings.Repeat("x", 20<<10)), "GET", "/runs/long", "").Body.String()
	if len(texts(t, page, ".run-pages")) != 0 || len(texts(t, page, ".call")) != 20 || len(texts(t, page, ".call details pre")) != 20 {
		t.Error("a short run is not shown whole")
	}
}

// BenchmarkLongRun is the page of a run of 5,000 calls with results of a megabyte.
func BenchmarkLongRun(b *testing.B) {
	s := longSite(b, 5000, strings.Repeat("x", 1<<20))
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://127.0.0.1/runs/long?call=2345", http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		w := &counting{header: http.Header{}}
		s.ServeHTTP(w, r)
		b.ReportMetric(float64(w.bytes), "bytes/page")
	}
}

type counting struct {
	header http.Header
	bytes  int
}

func (c *counting) Header() http.Header         { return c.header }
func (c *counting) WriteHeader(int)             {}
func (c *counting) Write(p []byte) (int, error) { c.bytes += len(p); return len(p), nil }
