package web

import (
	"net/http/httptest"
	"testing"
	"time"

	"errata/metrics/ask"
	"errata/metrics/review"
)

// What shows the last hours is drawn by the hour or the minute: days would make one point of a cutover.
func TestGrainFollowsTheWindow(t *testing.T) {
	at := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	f := func(filters ask.Filters, want string) {
		t.Helper()
		q := &request{Request: httptest.NewRequest("GET", "/loops", nil), filters: filters}
		if got := q.grain().by; got != want {
			t.Errorf("%+v is drawn by %s, want %s", filters, got, want)
		}
	}
	f(ask.Filters{}, ask.ByDay)
	f(ask.Filters{All: true}, ask.ByDay)
	f(ask.Filters{Last: 90 * time.Minute}, ask.ByMinute)
	f(ask.Filters{Last: 6 * time.Hour}, ask.ByHour)
	f(ask.Filters{Last: 7 * day}, ask.ByDay)
	f(ask.Filters{From: at, To: at.Add(3 * time.Hour)}, ask.ByMinute)
	f(ask.Filters{From: at, To: at.Add(2 * day)}, ask.ByHour)
	f(ask.Filters{From: at}, ask.ByDay)
}

// Gaps are filled, and a cutover stands at the stretch that it lies in.
func TestStretchesAreFilledAndMarked(t *testing.T) {
	q := &request{Request: httptest.NewRequest("GET", "/loops", nil), filters: ask.Filters{Last: time.Hour}}
	g := q.grain()
	row := func(minute string) ask.Loops { return ask.Loops{By: ask.Group{g.by: minute}} }
	all, starts := every(g, []ask.Loops{row("2026-11-02T10:00:00Z"), row("2026-11-02T10:03:00Z")}, loopsGroup)
	if len(all) != 4 || g.name(starts[2]) != "11-02 10:02" || all[2].By != nil || all[3].By[g.by] != "2026-11-02T10:03:00Z" {
		t.Fatalf("stretches %v, %v", all, starts)
	}
	o := overTime{grain: g, starts: starts}
	within := o.among([]review.Cutover{
		{Name: "before", At: starts[0].Add(-time.Second)},
		{Name: "in", At: starts[3].Add(59 * time.Second)},
		{Name: "after", At: starts[3].Add(60 * time.Second)},
	})
	if len(within) != 1 || within[0].Name != "in" {
		t.Errorf("within: %v, want the one in the last minute", within)
	}
	if marks := o.marks(within); len(marks) != 1 || marks[0].At != "10:03" {
		t.Errorf("marked %v, want the last minute of the axis", marks)
	}
}

// An axis never names two stretches alike: a year of days is named in full.
func TestPlacesAreUnique(t *testing.T) {
	q := &request{Request: httptest.NewRequest("GET", "/loops", nil)}
	at := time.Date(2025, 11, 2, 0, 0, 0, 0, time.UTC)
	for days, want := range map[int]string{30: "Nov 2", 400: "2025-11-02"} {
		var starts []time.Time
		for i := range days {
			starts = append(starts, at.AddDate(0, 0, i))
		}
		names := map[string]bool{}
		places := q.grain().places(starts)
		for _, name := range places {
			names[name] = true
		}
		if len(names) != days || places[0] != want {
			t.Errorf("%d days have %d names, the first is %q", days, len(names), places[0])
		}
	}
}
