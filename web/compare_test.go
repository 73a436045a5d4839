package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"errata/web"
)

const variants = "/compare?a=bare-v1&b=structured-v2"

// The guardrail stands first, every figure has both arms' numbers, its interval and its verdict, and descriptions have none.
func TestComparisonOfVariants(t *testing.T) {
	page := get(t, "full", variants).Body.String()
	rows := texts(t, page, "#compare-table tbody tr")
	for i, want := range []string{
		"Task success guardrail: must not fall holds 78.9 % n 4,259 in 1,192 runs 87.1 % n 2,496 in 1,058 runs +8.2 pp the good way +3.5 to +12.9 pp single look +5.4 to +11.0 pp",
		"Recovery tokens per run per run worse 3.12 k n 4,259 in 1,192 runs 3.48 k n 2,496 in 1,058 runs +360 the bad way +100 to +620 single look +210 to +510",
		"Loop rate headline better 21.9 % n 4,259 in 1,192 runs 9.1 % n 2,496 in 1,058 runs −12.8 pp the good way −16.6 to −9.0 pp single look −15.0 to −10.6 pp",
		"Never recovered no difference shown could have missed ±3.1 pp6.0 % n 4,259 in 1,192 runs 5.6 % n 2,496 in 1,058 runs −0.4 pp the good way −3.5 to +2.7 pp single look −2.0 to +1.2 pp",
		"Attempts, 95th percentile description, no verdict — never n 1,700 in 1,192 runs 4 n 1,200 in 1,058 runs 4 against never",
	} {
		if i >= len(rows) || rows[i] != want {
			t.Errorf("row %d\n got %q\nwant %q", i, rows[min(i, len(rows)-1)], want)
		}
	}
	if got := texts(t, page, "#verdict p"); got[0] != "better" || got[1] != "Loop rate 21.9 % with bare-v1, 9.1 % with structured-v2: −12.8 pp, always-valid 95 % interval −16.6 to −9.0 pp." {
		t.Errorf("verdict %q", got)
	}
	trust := strings.Join(texts(t, page, "#trust .figure"), " | ")
	for _, want := range []string{"1,603", "task success known of 89.3 %", "Saw both, left out", "0.2 % of all runs", "5 pp", "−0.7 pp", "with the same mix −12.1 pp", "export_report"} {
		if !strings.Contains(trust, want) {
			t.Errorf("%q lacks %q", trust, want)
		}
	}
	if strings.Contains(page, "Placebo") {
		t.Error("variants have no placebo")
	}
	if !strings.Contains(page, "/api/v1/compare.csv?a=bare-v1&amp;b=structured-v2") {
		t.Error("the comparison is not there as data")
	}
}

func TestComparisonAroundACutover(t *testing.T) {
	page := get(t, "full", "/compare?cutover=2026-10-22T12:00:00Z").Body.String()
	if got := texts(t, page, "#verdict .word"); len(got) != 1 || got[0] != "differs, cause not shown" {
		t.Errorf("verdict %q", got)
	}
	if got := texts(t, page, "#compare-table thead th"); len(got) != 7 || got[2] != "Before" || got[6] != "Placebo p" {
		t.Errorf("heads %q", got)
	}
	trust := strings.Join(texts(t, page, "#trust .figure"), " | ")
	for _, want := range []string{"7 days", "The mix misleads"} {
		if !strings.Contains(trust, want) {
			t.Errorf("%q lacks %q", trust, want)
		}
	}
	if got := texts(t, page, `select[name=cutover] option[selected]`); len(got) != 1 || got[0] != "2026-10-22 12:00 UTC: structured errors" {
		t.Errorf("chosen %q", got)
	}
}

func TestStatesOfAComparison(t *testing.T) {
	f := func(state, target, selector, want string) {
		t.Helper()
		if got := strings.Join(texts(t, get(t, state, target).Body.String(), selector), " | "); !strings.Contains(got, want) {
			t.Errorf("%s %s: %s is %q, want %q in it", state, target, selector, got, want)
		}
	}
	f("low", variants, "#verdict .word", "collecting")
	f("low", variants, "#compare-table tbody tr:first-child", "collecting 9 of 30 runs that each arm needs")
	f("partial", variants, "#verdict .withheld", "More than 5 % of the runs saw both payloads")
	f("partial", variants+"&split=0.5", "#trust", "broken")
	f("full", variants+"&split=0.5", "#trust", "fits")
	f("empty", variants, "#rows", "no runs to compare")
	f("down", variants, "#rows .trouble", "could not be answered")
	f("full", "/shadow", "#shadow-table tbody tr:first-child", "Invalid status ~invalid_status invalid_enum structured-v2 81 71 0 0 6 53")
	f("full", "/shadow", "#shadow-table", "invalid_thing structured-v2, not in the registry")
	f("full", "/shadow", "#total", "of 100 with a code")
	f("empty", "/shadow", "#total", "no shadow records")
}

// Without a choice the address names one: what is looked at can be sent to somebody.
func TestFirstComparison(t *testing.T) {
	f := func(state, target, want string) {
		t.Helper()
		if got := get(t, state, target).Header().Get("Location"); got != want {
			t.Errorf("%s %s leads to %q, want %q", state, target, got, want)
		}
	}
	f("full", "/compare?tool=x&variant=y", "/compare?a=bare-v1&b=structured-v2&tool=x")
	f("empty", "/compare", "/compare?cutover=2026-10-22T12%3A00%3A00Z")
	f("full", "/compare?cutover=2026-10-22", "/compare?cutover=2026-10-22T00%3A00%3A00Z")
	if w := get(t, "full", variants+"&cutover=soon"); w.Code != http.StatusBadRequest {
		t.Errorf("status %d", w.Code)
	}
}

func TestCutoversAreMarked(t *testing.T) {
	send := func(access web.Access, form url.Values, headers ...string) (int, string) {
		headers = append(headers, "Content-Type", "application/x-www-form-urlencoded")
		w := send(t, site(t, "full", access), "POST", "/cutovers", form.Encode(), headers...)
		return w.Code, w.Header().Get("Location")
	}
	form := url.Values{"name": {"v2"}, "at": {"2026-10-22T12:00"}, "back": {"/compare?a=x&b=y"}}
	if code, to := send(web.Access{}, form); code != http.StatusSeeOther || to != "/compare?a=x&b=y#cutovers" {
		t.Errorf("status %d, leads to %q", code, to)
	}
	form.Set("back", "//evil.example/compare?")
	if _, to := send(web.Access{}, form); to != "/compare?cutover=2026-10-22T12:00:00Z#cutovers" {
		t.Errorf("leads to %q", to)
	}
	if code, _ := send(web.Access{}, form, "Sec-Fetch-Site", "cross-site"); code != http.StatusForbidden {
		t.Errorf("another site's form: status %d", code)
	}
	form.Set("at", "soon")
	if code, _ := send(web.Access{}, form); code != http.StatusBadRequest {
		t.Errorf("a moment that is none: status %d", code)
	}
	if code, _ := send(web.Access{}, url.Values{"name": {"v2"}, "deleted": {"1"}}); code != http.StatusSeeOther {
		t.Errorf("taking back: status %d", code)
	}
}
