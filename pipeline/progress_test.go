package pipeline

import (
	"testing"

	"errata/pipeline/feed"
	"errata/pipeline/store"
)

// What is noted of a partition after batches that are read for the first time, again, after the group's offsets were set
// back, and of a topic that was made anew.
func TestProgressOfAPartition(t *testing.T) {
	p := newProgress("g", "t")
	f := func(what string, first, next, end int64, want store.Progress) {
		t.Helper()
		rows := p.of([]feed.Mark{{Partition: 3, First: first, Next: next, HighWatermark: end}})
		want.Group, want.Topic, want.Partition, want.HighWatermark, want.At = "g", "t", 3, end, rows[0].At
		if rows[0] != want {
			t.Errorf("%s: %+v, want %+v", what, rows[0], want)
		}
	}
	f("first", 10, 20, 100, store.Progress{FirstOffset: 10, NextOffset: 20})
	f("next", 20, 30, 100, store.Progress{FirstOffset: 10, NextOffset: 30})
	f("again", 20, 25, 100, store.Progress{FirstOffset: 10, NextOffset: 30})
	f("set back", 0, 5, 100, store.Progress{FirstOffset: 0, NextOffset: 30})
	f("anew", 0, 5, 8, store.Progress{FirstOffset: 0, NextOffset: 5, Incarnation: 1})
	f("anew, retried", 0, 5, 8, store.Progress{FirstOffset: 0, NextOffset: 5, Incarnation: 1})
	f("anew, further", 5, 8, 8, store.Progress{FirstOffset: 0, NextOffset: 8, Incarnation: 1})
}
