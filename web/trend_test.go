package web

import (
	"testing"

	"errata/metrics/ask"
)

// A day with few failing runs is a bar and a row, and no point: its rate is noise.
func TestADayWithFewRunsHasNoPoint(t *testing.T) {
	rate := 0.0
	day := func(name string, runs int64) ask.Loops {
		return ask.Loops{By: ask.Group{ask.ByDay: name}, LoopRate: &rate, LoopRateLow: &rate, Mature: runs, MatureRunsWithError: runs}
	}
	q := &request{}
	points := loopPoints(q.grain(), []ask.Loops{day("2026-11-01", 4), day("2026-11-02", 5)})
	if few, enough := points[0].shown(), points[1].shown(); few.rate != nil || few.low != nil || enough.rate == nil {
		t.Errorf("points %v, %v; want none for 4 runs and one for 5", few.rate, enough.rate)
	}
}
