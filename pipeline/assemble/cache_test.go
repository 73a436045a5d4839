package assemble

import (
	"fmt"
	"testing"

	"errata/transcript"
)

// Runs that have ended leave before those that go on, and a run that goes on after its end is what it would have been.
func TestEndedRunsMakeRoom(t *testing.T) {
	config := DefaultConfig()
	config.MaxBytes = 100_000
	loader := &asked{table: make(table)}
	a, err := New(config, loader)
	if err != nil {
		t.Fatal(err)
	}
	give := func(arrivals ...Arrival) Batch {
		t.Helper()
		batch, err := a.Batch(t.Context(), arrivals)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range batch.Changed {
			loader.store(c.Rows)
		}
		a.Confirm()
		return batch
	}
	give(said("open", 0, "one"))
	var all []Arrival
	for run := range 1000 {
		arrival := said(transcript.RunID(fmt.Sprint(run)), 0, "only")
		arrival.Fragments[0].Ended = true
		all = append(all, arrival)
	}
	give(all...)
	if runs, bytes := a.Held(); runs < 2 || bytes > config.MaxBytes/4 {
		t.Errorf("%d runs of %d bytes after 1000 that ended, want the open one and an eighth of %d bytes", runs, bytes, config.MaxBytes)
	}
	before := len(loader.wanted)
	give(said("open", 1, "two"))
	if len(loader.wanted) != before {
		t.Error("the open run was pushed out by runs that had ended")
	}
	late := give(said("0", 1, "late"))
	if len(loader.wanted) != before+1 {
		t.Error("a run that ended long ago is still in memory")
	}
	if n := len(late.Changed[0].Run.Threads[0].Messages); n != 2 {
		t.Errorf("a run that goes on after its end has %d messages, want 2", n)
	}
}
