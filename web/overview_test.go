package web_test

import (
	"strings"
	"testing"
)

// Every headline number stands beside that of the window before, which is as long.
func TestFiguresBesideThoseOfTheWindowBefore(t *testing.T) {
	page := get(t, "full", "/").Body.String()
	got := texts(t, page, "#now .before")
	want := []string{"before: 2,615", "before: 23.0 %", "before: 30.0 %, 95 % CI 26.0–34.0 %", "before: 2, never: 8.0 %", "before: 900 k, 450 errors"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("before\n got %q\nwant %q", got, want)
	}
	if got := texts(t, get(t, "full", "/?all=1").Body.String(), "#now .before"); len(got) != 0 {
		t.Errorf("before all time there was %q", got)
	}
}

// 800 errors in 5,210 calls, 450 in 2,615 before: at that rate there would have been 896.6.
func TestWhatChanged(t *testing.T) {
	page := get(t, "full", "/").Body.String()
	rows := texts(t, page, "#changed tbody tr")
	if len(rows) != 2 || rows[0] != "rate_limited 800 before 0 153.6 before 0.0 +800 new 300 k before 0" || rows[1] != "invalid_status 800 before 450 153.6 before 172.1 −97 fewer 1.20 M before 900 k" {
		t.Errorf("changed %q", rows)
	}
	fresh := texts(t, page, "#new tbody tr")
	if len(fresh) != 4 || fresh[0] != "structured-v2 payload variant its runs" || fresh[3] != "rate_limited error code 800 errors" {
		t.Errorf("new %q", fresh)
	}
	for _, state := range []string{"empty", "full"} {
		page := get(t, state, "/?all=1").Body.String()
		if state == "full" && len(texts(t, page, "#changed .empty")) != 1 {
			t.Errorf("%s: without a window before there is nothing to compare with", state)
		}
	}
	if page := get(t, "failed", "/").Body.String(); len(texts(t, page, "#changed .trouble")) != 1 || len(texts(t, page, "#codes table")) != 1 {
		t.Error("the changes should have failed alone")
	}
}

func TestFiltersSuggestValues(t *testing.T) {
	page := get(t, "full", "/loops?tool=get_ticket").Body.String()
	root := func(selector string) int { return len(texts(t, page, selector)) }
	if root(`input[name=code][list=list-code]`) != 1 || root(`#list-code option[value="rate_limited"]`) != 1 {
		t.Error("the code has no suggestions")
	}
	if root(`#list-tool option[value="update_ticket"]`) != 1 || root(`#list-tool option[value="get_ticket"]`) != 0 {
		t.Error("a tool that is chosen already is suggested, or none is")
	}
	// A name that would not look like what it is cannot be chosen by sight.
	page = get(t, "hostile", "/loops").Body.String()
	if root(`#list-model option`) != 1 {
		t.Errorf("%d suggestions of models", root(`#list-model option`))
	}
}

func TestStretchesOfTime(t *testing.T) {
	f := func(target, selector, want string) {
		t.Helper()
		if got := strings.Join(texts(t, get(t, "full", target).Body.String(), selector), " | "); !strings.Contains(got, want) {
			t.Errorf("%s: %s is %q, want %q in it", target, selector, got, want)
		}
	}
	f("/loops", ".sentence", "The 28 days up to the newest call: 2026-10-01 12:00 to 2026-10-29 12:00 UTC")
	f("/loops", ".presets a[aria-current]", "28 days")
	f("/loops?last=7d", ".sentence", "The 7 days up to the newest call: 2026-10-22 12:00 to 2026-10-29 12:00 UTC")
	f("/loops?last=90m", ".sentence", "The 90 minutes up to")
	f("/loops?last=7d", ".presets a[aria-current]", "7 days")
	f("/loops?all=1", ".presets a[aria-current]", "All time")
	f("/loops?last=soon", "[role=alert]", "90m, 6h, 7d or 4w")
	leads := func(target, label, want string) {
		t.Helper()
		page := get(t, "full", target).Body.String()
		if !strings.Contains(page, `href="`+want+`">`+label) {
			t.Errorf("%s: %s does not lead to %s", target, label, want)
		}
	}
	leads("/loops?last=7d&tool=x", "← Earlier", "/loops?from=2026-10-15T12%3A00%3A00Z&amp;to=2026-10-22T12%3A00%3A00Z&amp;tool=x")
	leads("/loops?from=2026-10-15T12:00:00Z&to=2026-10-22T12:00:00Z", "Later →", "/loops?from=2026-10-22T12%3A00%3A00Z&amp;to=2026-10-29T12%3A00%3A00Z")
	leads("/loops?from=2026-10-15T12:00:00Z", "1 day", "/loops?last=1d")
}

// A form that says from when replaces how far back was looked.
func TestAFormReplacesTheWindow(t *testing.T) {
	f := func(target, want string) {
		t.Helper()
		if got := get(t, "full", target).Header().Get("Location"); got != want {
			t.Errorf("%s leads to %q, want %q", target, got, want)
		}
	}
	f("/loops?from=2026-10-01&last=7d", "/loops?from=2026-10-01T00%3A00%3A00Z")
	f("/loops?all=1&to=2026-10-01+12:30", "/loops?to=2026-10-01T12%3A30%3A00Z")
	f("/loops?last=7d", "")
}

// Every chart over time carries the saved cutovers, and their whole names below it.
func TestCutoversAreDrawn(t *testing.T) {
	for _, target := range []string{"/?from=2026-10-01T00:00:00Z", "/loops", "/codes/~invalid_status", variants, "/compare?cutover=2026-10-22T12:00:00Z"} {
		page := get(t, "full", target).Body.String()
		if strings.Count(page, `"trend-chart"`) > 0 && !strings.Contains(page, `"name":"structured errors"`) {
			t.Errorf("%s: the chart has no cutover", target)
		}
		if got := texts(t, page, "#trend .drawn-moments a"); len(got) != 1 || got[0] != "structured errors" {
			t.Errorf("%s: below the chart %q", target, got)
		}
	}
}

func TestRunsHaveStrips(t *testing.T) {
	page := get(t, "full", "/runs").Body.String()
	if len(texts(t, page, `#run-table svg.outcomes[aria-label="Calls in order: 1 failed, 1 ok"]`)) != 1 {
		t.Error("a run has no strip")
	}
}
