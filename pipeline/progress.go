package pipeline

import (
	"context"
	"time"

	"errata/pipeline/feed"
	"errata/pipeline/store"
)

// progress keeps how far the group has come, for the rows that say so.
type progress struct {
	group, topic string
	known        map[int]store.Progress // by partition
}

func newProgress(group, topic string) *progress {
	return &progress{group: group, topic: topic, known: map[int]store.Progress{}}
}

// read takes what is noted. It must be read before any record is, or a late reader could take what others have read
// meanwhile for the end of another topic.
func (p *progress) read(ctx context.Context, target *store.Store) error {
	known, err := target.Progress(ctx, p.group, p.topic)
	if err != nil {
		return err
	}
	p.known = known
	return nil
}

// of gives the rows for the partitions of a batch.
func (p *progress) of(marks []feed.Mark) []store.Progress {
	now := time.Now().UTC()
	rows := make([]store.Progress, len(marks))
	for i, mark := range marks {
		rows[i] = p.next(mark)
		rows[i].At = now
		p.known[mark.Partition] = rows[i]
	}
	return rows
}

// next gives how far a partition has come after a batch.
func (p *progress) next(mark feed.Mark) store.Progress {
	row := store.Progress{
		Group: p.group, Topic: p.topic, Partition: mark.Partition,
		FirstOffset: mark.First, NextOffset: mark.Next, HighWatermark: mark.HighWatermark,
	}
	before, ok := p.known[mark.Partition]
	if !ok {
		return row
	}
	row.Incarnation = before.Incarnation
	// A partition that ends before what was already read is not the one that was read: the topic was made anew.
	if mark.HighWatermark < before.NextOffset {
		row.Incarnation++
		return row
	}
	row.FirstOffset = min(mark.First, before.FirstOffset)
	// After the group's offsets were set back, records are read again that count as read.
	row.NextOffset = max(mark.Next, before.NextOffset)
	return row
}
