package web_test

import (
	"net/http"
	"strings"
	"testing"
)

// The page of a code says what it costs, what agents read, what they did next, and leads to the runs counted.
func TestPageOfACode(t *testing.T) {
	page := get(t, "full", "/codes/~invalid_status?tool=update_ticket").Body.String()
	f := func(selector string, want ...string) {
		t.Helper()
		got := strings.Join(texts(t, page, selector), " | ")
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q lacks %q", selector, got, w)
			}
		}
	}
	f("h1", "~invalid_status")
	f("#total .figure", "800", "in 300 runs", "25.0 %", "95 % CI 21.0–29.0 %", "200 of 800")
	f("#examples pre", `{"status":"ACTIVE"}`, `{"error":"Invalid status"}`)
	f("#examples a", "call 1 of r-1")
	f("#next tbody tr:first-child", "Repeated", "200", "25.0 %", "95 % CI 21.0–29.0 %")
	f("#next .figure", "75.0 %", "60 of 80 that asked", "where nothing was asked: 20.0 %")
	f("#kinds tbody tr:first-child", "Invalid status", "error_string", "612", "240", "body_error, flag")
	f("#effects tbody tr:first-child", "hint", "140", "160", "Corrected", "90.0 %", "60.0 %", "<0.001", "goes with other next actions", "no cause")
	f("#findings tbody tr:first-child", "It has no code", "800", "300")
	f("#coupling tbody tr:first-child", "get_ticket", "37 of 184", "20.1 %")
	f("#waste .figure", "Serial faults", "14", "in 200 episodes")
	f("#aliases tbody tr:first-child", `"ACTIVE" → "open"`, "72.0 %", "10 of 10", "new")
	for _, link := range []string{`href="/runs/r-1?call=1#c1"`, "/runs?code=~invalid_status&amp;label=repeat&amp;tool=update_ticket", "/api/v1/findings.csv?code=~invalid_status&amp;tool=update_ticket"} {
		if !strings.Contains(page, link) {
			t.Errorf("the page has no link %s", link)
		}
	}
	if chips := texts(t, page, ".chip"); len(chips) != 1 || len(texts(t, page, "input[name=code]")) != 0 {
		t.Errorf("chips %q: the code is the page, no filter to let go", chips)
	}
}

// A code's share is of its own errors, the background of all: half of the made-up errors are of this code.
func TestWhereACodeHappens(t *testing.T) {
	page := get(t, "full", "/codes/~invalid_status").Body.String()
	if got := texts(t, page, "#where caption"); len(got) != 1 || got[0] != "800 errors of this code against 1,600 of all codes" {
		t.Errorf("caption %q", got)
	}
	if got := texts(t, page, "#where tbody tr:first-child td"); len(got) != 4 || got[1] != "100.0 %" || got[2] != "50.0 %" || got[3] != "+50.0 pp" {
		t.Errorf("first place %q", got)
	}
}

// A code may hold anything. It comes back as the name that was asked for, and leads to the same page again.
func TestAddressesOfCodes(t *testing.T) {
	w := get(t, "full", "/codes/a%2Fb%3Fc")
	if h1 := texts(t, w.Body.String(), "h1"); w.Code != http.StatusOK || h1[0] != "a/b?c" {
		t.Errorf("status %d, %q", w.Code, h1)
	}
	if got := get(t, "full", "/codes/x?code=y&tool=z").Header().Get("Location"); got != "/codes/x?tool=z" {
		t.Errorf("a second code leads to %q", got)
	}
	if page := get(t, "full", "/codes?tool=a&code=b").Body.String(); !strings.Contains(page, `href="/codes/invalid_status?tool=a"`) {
		t.Error("the table of costs does not lead to the page of a code")
	}
}

func TestOneFailedPartOfACode(t *testing.T) {
	for _, state := range []string{"failed", "slow"} {
		page := get(t, state, "/codes/~invalid_status").Body.String()
		if len(texts(t, page, "#trend .trouble")) != 1 || len(texts(t, page, "#where .trouble")) != 1 || len(texts(t, page, "#next table")) != 1 {
			t.Errorf("%s: the parts that ask about loops should have failed alone", state)
		}
	}
}
