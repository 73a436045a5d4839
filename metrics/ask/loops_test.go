package ask_test

import (
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
)

// Worked example 2: call, error, the identical call, error, identical call, ok.
func TestLoopsOfOneChain(t *testing.T) {
	f := open(t)
	r := run("r1", 3*time.Minute)
	r.Calls = []metrics.CallFact{
		failed(time.Minute, "search", "bad", metrics.LabelRepeat),
		failed(2*time.Minute, "search", "bad", metrics.LabelRepeat),
		call(3*time.Minute, "search", metrics.OutcomeOK),
	}
	r.Calls[0].Chain = 2
	f.put(r)
	a, err := f.Loops(t.Context(), ask.Filters{})
	row := only(t, a, err)
	want := ask.Loops{
		By: ask.Group{}, Runs: 1, Calls: count(3), Errored: 2, Refused: count(0), Cancelled: count(0), Pending: count(0),
		Labelled: 2, Repeat: 2, Futile: 2, LoopRate: share(1), Mature: 2, MatureRepeats: 2,
		Loops: 1, LongestChain: 2, RunsWithError: 1, RunsWithLoop: 1, MatureRunsWithError: 1, MatureRunsWithLoop: 1,
		IdleRepeats: count(0),
	}
	same(t, row, want)
	same(t, a.Filters.To, t0.Add(3*time.Minute+time.Millisecond))
	same(t, a.Filters.From, t0.Add(3*time.Minute+time.Millisecond-ask.Window))
	same(t, a.AsOf, later)
}
