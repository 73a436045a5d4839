package format_test

import (
	"testing"

	"errata/internal/simulate"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// TestSimulated reads runs whose truth is known, in all three forms: every turn, call and token must come through, of
// every thread, each once.
func TestSimulated(t *testing.T) {
	cfg := simulate.Default()
	cfg.Days, cfg.RunsPerDay = 4, 50
	runs := 0
	for simulated := range simulate.Generate(cfg) {
		var outs []dialect.Output
		for _, record := range simulated.Records {
			out, _, err := format.Decode(dialect.Input{Key: record.Key, Value: record.Value}, format.DefaultLimits())
			if err != nil || len(out.Rejects) > 0 {
				t.Fatalf("run %s: %v %v", simulated.ID, err, out.Rejects)
			}
			outs = append(outs, out)
		}
		run := assembled(t, outs...)[transcript.RunID(simulated.ID)]
		compareWithTruth(t, run, &simulated.Truth)
		runs++
	}
	if runs < 100 {
		t.Errorf("only %d runs were simulated", runs)
	}
}

func compareWithTruth(t *testing.T, run transcript.Run, truth *simulate.Truth) {
	t.Helper()
	turns, calls, pending := 0, 0, 0
	var used transcript.Usage
	for _, thread := range run.Threads {
		turns += len(thread.Turns)
		for _, turn := range thread.Turns {
			calls += len(turn.Calls)
			for _, call := range turn.Calls {
				if call.Result == nil {
					pending++
				}
			}
			if turn.Usage != nil {
				used.Input += turn.Usage.Input
				used.CacheRead += turn.Usage.CacheRead
				used.CacheWrite += turn.Usage.CacheWrite
				used.Output += turn.Usage.Output
			}
		}
	}
	want := transcript.Usage{Input: truth.Tokens.Input, CacheRead: truth.Tokens.CacheRead, CacheWrite: truth.Tokens.CacheWrite, Output: truth.Tokens.Output}
	if turns != truth.Turns || calls != len(truth.Calls) || pending != truth.Count(simulate.Pending) || used != want {
		t.Errorf("run %s (%s): %d turns, %d calls, %d of them pending, usage %+v; want %d, %d, %d, %+v",
			truth.RunID, truth.Provider, turns, calls, pending, used, truth.Turns, len(truth.Calls), truth.Count(simulate.Pending), want)
	}
}
