package ask_test

import (
	"testing"
	"time"

	"errata/metrics"
	"errata/pipeline/store"
)

func TestHealth(t *testing.T) {
	f := open(t)
	a, err := f.Health(t.Context())
	row := only(t, a, err)
	same(t, []any{row.Lag, row.AsOf, row.Records, row.Stored, row.Rejected, row.Parts, row.Rejects}, []any{nil, nil, 0, 0, 0, []int{}, []int{}})

	r := run("r1", time.Minute)
	r.Calls = []metrics.CallFact{call(time.Minute, "search", metrics.OutcomeOK)}
	f.put(r)
	progress := func(group string, partition int, first, next, end int64, at time.Duration) {
		t.Helper()
		err := f.store.WriteProgress(t.Context(), []store.Progress{{
			Group: group, Topic: "agent.transcripts", Partition: partition, FirstOffset: first, NextOffset: next, HighWatermark: end, At: t0.Add(at),
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	progress("errata", 0, 100, 120, 130, time.Second)
	progress("errata", 0, 100, 125, 130, time.Minute)
	progress("errata", 1, 0, 10, 10, time.Second)
	progress("trial", 1, 9, 10, 10, 0)
	reject := func(partition int, offset int64, part int, reason string, at time.Duration) store.Reject {
		return store.Reject{
			Topic: "agent.transcripts", Partition: partition, Offset: offset, Part: part, Reason: reason, Message: "why " + reason,
			Sample: []byte("{"), At: t0.Add(at),
		}
	}
	rejects := []store.Reject{reject(0, 101, 0, "not_json", 1), reject(0, 102, 0, "no_run", time.Second), reject(0, 102, 1, "no_run", time.Second)}
	for range 2 { // written twice, as after a crash
		if err := f.store.WriteRejects(t.Context(), rejects); err != nil {
			t.Fatal(err)
		}
	}
	a, err = f.Health(t.Context())
	row = only(t, a, err)
	same(t, []any{row.Lag, row.AsOf, row.Records, row.Stored, row.Rejected, row.Runs, row.Calls, row.Newest},
		[]any{5, t0.Add(time.Minute), 35, 33, 2, 1, 1, t0.Add(time.Minute)})
	if len(row.Parts) != 2 || row.Parts[0].Lag != 5 || row.Parts[0].Records != 25 || row.Parts[1].Group != "errata" {
		t.Errorf("partitions: %+v", row.Parts)
	}
	if len(row.Rejects) != 3 || row.Rejects[0].Reason != "no_run" || row.Rejects[2].Message != "why not_json" {
		t.Errorf("rejects: %+v", row.Rejects)
	}
}
