package feed

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
)

// While nobody takes a batch it grows instead of becoming many, up to its bounds, and what was prepared comes along.
func TestABatchGrowsWhileNobodyTakesIt(t *testing.T) {
	cfg := DefaultConfig()
	cfg.MaxRecords, cfg.MaxWait, cfg.Queue = 10, time.Millisecond, 100
	cfg.Prepare = func(r Record) any { return r.Offset }
	in := newIntake(cfg, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	defer in.wait()
	defer stop()
	batches := in.batches(ctx)
	for offset := range 15 {
		message := kafka.Message{Offset: int64(offset), Value: []byte("{}")}
		if err := in.room.Acquire(ctx, in.weight(message)); err != nil {
			t.Fatal(err)
		}
		in.queue <- in.prepare(message)
		if offset < 10 {
			time.Sleep(2 * cfg.MaxWait)
		}
	}
	next := 0
	for _, want := range []int{10, 5} {
		batch := <-batches
		if len(batch.Records) != want || len(batch.Marks) != 1 || batch.Marks[0].First != int64(next) || batch.Marks[0].Next != int64(next+want) {
			t.Fatalf("a batch of %d records with marks %v, want %d from %d on", len(batch.Records), batch.Marks, want, next)
		}
		for _, r := range batch.Records {
			if r.Offset != int64(next) || r.Prepared != int64(next) {
				t.Fatalf("record %d prepared as %v, want %d", r.Offset, r.Prepared, next)
			}
			next++
		}
	}
	stop()
	for range batches {
		t.Error("a batch after the end")
	}
}
