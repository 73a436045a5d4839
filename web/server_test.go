package web_test

import (
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"errata/web"
)

func site(t *testing.T, state string, access web.Access) *web.Server {
	t.Helper()
	f := web.Fixture{State: state}
	s, err := web.New(web.Config{
		Questions: f, Reviews: f, Access: access, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		API: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(r.URL.String())) }),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func send(t *testing.T, h http.Handler, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+target, strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func get(t *testing.T, state, target string) *httptest.ResponseRecorder {
	t.Helper()
	return send(t, site(t, state, web.Access{}), "GET", target, "")
}

// texts are the texts of all elements that fit.
func texts(t *testing.T, page, selector string) []string {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, n := range cascadia.QueryAll(root, cascadia.MustCompile(selector)) {
		var text strings.Builder
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				text.WriteString(d.Data)
			}
		}
		all = append(all, strings.Join(strings.Fields(text.String()), " "))
	}
	return all
}

var pages = []string{"/", "/loops", "/recovery", "/codes", "/aliases", "/runs", "/health", "/runs/r-1", "/codes/~invalid_status",
	"/compare?a=bare-v1&b=structured-v2", "/compare?cutover=2026-10-22T12:00:00Z&split=0", "/shadow"}

// Every page in every state has one heading and runs nothing that stands in it.
func TestEveryPageInEveryState(t *testing.T) {
	for _, state := range []string{"full", "empty", "partial", "slow", "failed", "down", "low", "hostile"} {
		for _, path := range pages {
			w := get(t, state, path)
			page := w.Body.String()
			want := http.StatusOK
			if state == "down" {
				want = http.StatusServiceUnavailable
			}
			if state == "down" && path == "/runs/r-1" {
				want = http.StatusInternalServerError
			}
			if state == "empty" && path == "/runs/r-1" {
				want = http.StatusNotFound
			}
			if w.Code != want {
				t.Errorf("%s %s: status %d, want %d", state, path, w.Code, want)
			}
			if h1 := texts(t, page, "h1"); len(h1) != 1 {
				t.Errorf("%s %s: headings %q", state, path, h1)
			}
			// A form sends a name as it is, so what is hidden in an input may hold anything; what is read may not.
			read := strings.Join(texts(t, page, "html"), "")
			for _, bad := range []string{"\u202e", "\u200b", "\x07"} {
				if strings.Contains(read, bad) {
					t.Errorf("%s %s shows %q", state, path, bad)
				}
			}
			for _, bad := range []string{"<script>window", "<img", " style=", "onclick=", "made to fail"} {
				if strings.Contains(page, bad) {
					t.Errorf("%s %s holds %q", state, path, bad)
				}
			}
			if n := len(texts(t, page, `script:not([src]):not([type="application/json"])`)); n > 0 {
				t.Errorf("%s %s: %d inline scripts", state, path, n)
			}
			if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'self'") || strings.Contains(csp, "unsafe") {
				t.Errorf("%s %s: policy %q", state, path, csp)
			}
		}
	}
}

func TestOneFailedPanelLeavesTheOthers(t *testing.T) {
	w := get(t, "failed", "/")
	page := w.Body.String()
	if w.Code != http.StatusOK || len(texts(t, page, "#trend .trouble")) != 1 || len(texts(t, page, "#codes table")) != 1 {
		t.Errorf("status %d: the trend should have failed alone", w.Code)
	}
	if len(texts(t, page, "#trend .trouble code")) != 1 {
		t.Error("the failed panel does not name its query")
	}
}

func TestNumbersHaveIntervalBasisAndRuns(t *testing.T) {
	page := get(t, "full", "/loops?tool=search&variant=a").Body.String()
	first := strings.Join(texts(t, page, "#total .figure:first-child"), "")
	for _, want := range []string{"25.0 %", "95 % CI 21.0–29.0 %", "200 of 800"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q lacks %q", first, want)
		}
	}
	if !strings.Contains(page, "/runs?label=repeat&amp;tool=search&amp;variant=a") {
		t.Error("no link to the runs that loop under the same filters")
	}
	if chips := texts(t, page, ".chip"); len(chips) != 2 {
		t.Errorf("chips %q", chips)
	}
}

func TestAddressesAreTidied(t *testing.T) {
	f := func(target, want string) {
		t.Helper()
		if got := get(t, "full", target).Header().Get("Location"); got != want {
			t.Errorf("%s leads to %q, want %q", target, got, want)
		}
	}
	f("/loops?tool=&from=2026-10-01&to=", "/loops?from=2026-10-01T00%3A00%3A00Z")
	f("/loops?tool=a", "")
}

func TestDataIsTheSameAddress(t *testing.T) {
	f := func(target, want string) {
		t.Helper()
		if got := get(t, "full", target).Body.String(); !strings.HasSuffix(got, want) {
			t.Errorf("%s asks %q, want %q", target, got, want)
		}
	}
	f("/codes.csv?sort=-usd&tool=a", "/api/v1/cost.csv?by=code&tool=a")
	f("/loops.json?by=tool", "/api/v1/loops.json?by=tool")
	f("/recovery.csv", "/api/v1/recovery.csv")
}

func TestWrongParametersAreNamed(t *testing.T) {
	for _, target := range []string{"/loops?colour=red", "/codes?sort=shoe", "/recovery?from=yesterday"} {
		w := get(t, "full", target)
		if w.Code != http.StatusBadRequest || len(texts(t, w.Body.String(), "[role=alert] code")) != 1 {
			t.Errorf("%s: status %d", target, w.Code)
		}
	}
}

func TestAccess(t *testing.T) {
	basic := func(user, password string) string {
		r := &http.Request{Header: http.Header{}}
		r.SetBasicAuth(user, password)
		return r.Header.Get("Authorization")
	}
	f := func(a web.Access, want int, headers ...string) {
		t.Helper()
		if w := send(t, site(t, "full", a), "GET", "/health", "", headers...); w.Code != want {
			t.Errorf("%+v %q: status %d, want %d", a, headers, w.Code, want)
		}
	}
	token, login := web.Access{Token: "s3"}, web.Access{User: "ann", Password: "pw"}
	f(token, 401)
	f(token, 200, "Authorization", "Bearer s3")
	f(token, 401, "Authorization", "Bearer ")
	f(token, 200, "Authorization", basic("any", "s3"))
	f(login, 401, "Authorization", basic("ann", "wrong"))
	f(login, 401, "Authorization", "Bearer ")
	f(login, 401, "Authorization", basic("bob", "pw"))
	f(login, 200, "Authorization", basic("ann", "pw"))
	r := httptest.NewRequest("GET", "http://rebound.example/health", nil)
	w := httptest.NewRecorder()
	site(t, "full", web.Access{}).ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("a foreign name for this machine: status %d", w.Code)
	}
}

func TestDecisions(t *testing.T) {
	form := url.Values{"level": {"value"}, "state": {"accepted"}, "author": {"Zoë"}, "back": {"/aliases?state=new"}}.Encode()
	kind := []string{"Content-Type", "application/x-www-form-urlencoded"}
	w := send(t, site(t, "full", web.Access{}), "POST", "/aliases/decision", form, kind...)
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/aliases?state=new" || !strings.Contains(w.Header().Get("Set-Cookie"), "Zo%C3%AB") {
		t.Errorf("status %d, %v", w.Code, w.Header())
	}
	elsewhere := strings.Replace(form, "%2Faliases%3F", "%2F%2Fevil.example%3F", 1)
	if w := send(t, site(t, "full", web.Access{}), "POST", "/aliases/decision", elsewhere, kind...); w.Header().Get("Location") != "/aliases" {
		t.Errorf("leads to %q", w.Header().Get("Location"))
	}
	if w := send(t, site(t, "low", web.Access{}), "POST", "/aliases/decision", form, kind...); w.Code != http.StatusConflict {
		t.Errorf("a stale decision: status %d", w.Code)
	}
	crossed := append([]string{"Sec-Fetch-Site", "cross-site"}, kind...)
	if w := send(t, site(t, "full", web.Access{}), "POST", "/aliases/decision", form, crossed...); w.Code != http.StatusForbidden {
		t.Errorf("another site's form: status %d", w.Code)
	}
}

func TestRunShowsWhatAnAttemptChanged(t *testing.T) {
	page := get(t, "full", "/runs/r-1").Body.String()
	if got := texts(t, page, "#c2 .changes li"); len(got) != 1 || got[0] != `/status "ACTIVE" "open"` {
		t.Errorf("changes %q", got)
	}
	if got := texts(t, page, "#c1.error pre"); len(got) != 2 || got[1] != `{"error":"Invalid status"}` {
		t.Errorf("call 1: %q", got)
	}
}

func TestLargePagesAreCompressed(t *testing.T) {
	plain, small := get(t, "full", "/loops"), send(t, site(t, "full", web.Access{}), "GET", "/loops", "", "Accept-Encoding", "gzip")
	if plain.Header().Get("Content-Encoding") != "" || small.Header().Get("Content-Encoding") != "gzip" {
		t.Fatalf("encodings %q and %q", plain.Header().Get("Content-Encoding"), small.Header().Get("Content-Encoding"))
	}
	r, err := gzip.NewReader(small.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil || string(text) != plain.Body.String() {
		t.Errorf("%d bytes of %d: %v", len(text), plain.Body.Len(), err)
	}
}
