package web_test

import (
	"strings"
	"testing"
)

// says wants texts among what a selector finds.
func says(t *testing.T, page, selector string, want ...string) {
	t.Helper()
	got := strings.Join(texts(t, page, selector), " | ")
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%s: %q lacks %q", selector, got, w)
		}
	}
}

// Two codes cost 1.2 M and 300 k tokens on each of three days, with 800 errors each: 1.5 M, 938 an error. A day without an error
// is there all the same.
func TestCostOverTime(t *testing.T) {
	page := get(t, "full", "/codes").Body.String()
	says(t, page, "#trend-table thead", "TokensTokens per errorMoneyinvalid_statusrate_limited")
	says(t, page, "#trend-table tbody", "2026-10-20 1,600 1.50 M 938 $2.40 1.20 M 300 k", "2026-10-22 0 0 — — 0 0")
	says(t, page, "#trend .drawn-moments a", "structured errors")
	for _, want := range []string{`"name":"structured errors","xAxis":"Oct 22"`, `"name":"rate_limited"`, `/runs?from=2026-10-20T00%3A00%3A00Z\u0026sort=-tokens\u0026to=2026-10-21T00%3A00%3A00Z`} {
		if !strings.Contains(page, want) {
			t.Errorf("the chart lacks %s", want)
		}
	}
	if failed := get(t, "down", "/codes").Body.String(); len(texts(t, failed, "#trend .trouble")) != 1 {
		t.Error("where cost cannot be asked the chart does not say so")
	}
	if empty := get(t, "empty", "/codes").Body.String(); len(texts(t, empty, "#trend .empty")) != 1 {
		t.Error("where there is no error the chart does not say so")
	}
}

// The window ends within the last day that is shown: that day is no measure of the others.
func TestADayThatIsCutOff(t *testing.T) {
	page := get(t, "full", "/codes?to=2026-10-23T12:00:00Z").Body.String()
	says(t, page, "#trend-table tbody tr:last-child", "2026-10-23 in part")
	if got := strings.Count(page, `"opacity":0.45`); got != 1 {
		t.Errorf("%d bars are pale, want the one of the last day", got)
	}
}

func TestRecoveryOverTime(t *testing.T) {
	page := get(t, "full", "/recovery").Body.String()
	says(t, page, "#never-trend-table tbody", "2026-10-20 200 16 8.0 % 95 % CI 5.0–13.0 %")
	says(t, page, "#within3-trend-table tbody", "2026-10-20 200 136 68.0 %")
	says(t, page, "#never-trend .drawn-moments a", "structured errors")
	// Two runs are too few for a point, and the page says why there is none.
	low := get(t, "low", "/recovery").Body.String()
	says(t, low, "#never-trend .chart-note", "No day has 5 runs")
	says(t, low, "#never-trend-table tbody", "8.0 %")
}

// Every headline number has its course, with the cutover in it.
func TestSparksHaveTheCutover(t *testing.T) {
	page := get(t, "full", "/").Body.String()
	if sparks, ticks := len(texts(t, page, "#now .spark")), texts(t, page, "#now .spark .tick title"); sparks != 5 || len(ticks) != 5 || ticks[0] != "structured errors, 2026-10-22 12:00 UTC" {
		t.Errorf("%d sparks with the moments %q", sparks, ticks)
	}
	if page := get(t, "failed", "/").Body.String(); len(texts(t, page, "#now .spark")) != 0 {
		t.Error("without the days that all share there are sparks")
	}
}

func TestAgreementOfShadowRecords(t *testing.T) {
	page := get(t, "full", "/shadow").Body.String()
	says(t, page, "#agreement .figure", "93.0 %", "95 % CI 86.0–97.0 %", "93 of 100 results in 83 runs", "+7.0 pp", "95 % CI +2.0 to +12.0 pp", "p = 0.008", "χ² 7.00", "7 results differ")
	says(t, page, "#agreement-table tbody", "an error 93 93.0 %, as before 0 0.0 %, no longer an error", "no error 7 7.0 %, newly an error")
	says(t, get(t, "low", "/shadow").Body.String(), "#agreement .figure.weak", "100.0 %", "no result differs")
	if empty := get(t, "empty", "/shadow").Body.String(); len(texts(t, empty, "#agreement .empty")) != 1 {
		t.Error("without shadow records the part does not say so")
	}
}
