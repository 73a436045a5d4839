package main

import (
	"context"
	"errors"
	"maps"
	"time"

	"errata/pipeline/feed"
)

// pollEvery is how often ingest looks how far its group is; after so many looks without a change it asks whether what is
// missing are records at all.
const (
	pollEvery = 200 * time.Millisecond
	stillFor  = 5
)

// awaitCaughtUp returns once the group has committed everything before the given ends of the topic's partitions.
func (in *ingest) awaitCaughtUp(ctx context.Context, ends map[int]int64) error {
	var before map[int]int64
	for still := 0; ; {
		committed, err := in.admin.Committed(ctx, *in.told.group, in.told.kafka.Topic())
		if err != nil && ctx.Err() == nil {
			in.log.Warn("ask how far the group is", "error", err)
		}
		if err == nil && (feed.Missing(ends, committed) == 0 || still >= stillFor && in.nothingLeft(ctx, ends, committed)) {
			in.log.Info("caught up", "partitions", len(ends))
			return nil
		}
		still++
		if !maps.Equal(before, committed) {
			still = 0
		}
		before = committed
		select {
		case <-ctx.Done():
			return errors.New("stopped before it had caught up")
		case <-time.After(pollEvery):
		}
	}
}

// nothingLeft tells whether no record lies between what is committed and the ends.
func (in *ingest) nothingLeft(ctx context.Context, ends, committed map[int]int64) bool {
	for partition, end := range ends {
		exhausted, err := in.admin.Exhausted(ctx, in.told.kafka.Topic(), partition, max(committed[partition], 0), end)
		if err != nil && ctx.Err() == nil {
			in.log.Warn("ask whether records are left", "error", err)
		}
		if err != nil || !exhausted {
			return false
		}
	}
	return true
}
