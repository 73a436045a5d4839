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
	first        map[int]int64 // partition → first offset that the group ever read; nil: not asked yet
}

func newProgress(group, topic string) *progress { return &progress{group: group, topic: topic} }

// reset forgets what was asked: other members may have written since.
func (p *progress) reset() { p.first = nil }

// of gives the rows for the partitions of a batch.
func (p *progress) of(ctx context.Context, target *store.Store, marks []feed.Mark) ([]store.Progress, error) {
	if p.first == nil {
		first, err := target.FirstOffsets(ctx, p.group, p.topic)
		if err != nil {
			return nil, err
		}
		p.first = first
	}
	now := time.Now().UTC()
	rows := make([]store.Progress, len(marks))
	for i, mark := range marks {
		if first, ok := p.first[mark.Partition]; !ok || mark.First < first {
			p.first[mark.Partition] = mark.First
		}
		rows[i] = store.Progress{
			Group: p.group, Topic: p.topic, Partition: mark.Partition,
			FirstOffset: p.first[mark.Partition], NextOffset: mark.Next, HighWatermark: mark.HighWatermark, At: now,
		}
	}
	return rows, nil
}
