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
	all, starts := g.every([]ask.Loops{row("2026-11-02T10:00:00Z"), row("2026-11-02T10:03:00Z")})
	if len(all) != 4 || g.name(starts[2]) != "11-02 10:02" || all[2].By[g.by] != "2026-11-02T10:02:00Z" {
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
}
