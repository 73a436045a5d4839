package main

import (
	"context"
	"time"

	"errata/metrics"
	"errata/pipeline/assemble"
	"errata/pipeline/feed"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/pipeline/store"
	"errata/transcript"
)

// hasty says that a batch is stored when it has only taken it, so that offsets are committed before the insert.
type hasty struct {
	inner feed.Handler
	queue chan feed.Batch
	done  chan struct{}
}

func newHasty(inner feed.Handler) *hasty {
	h := &hasty{inner: inner, queue: make(chan feed.Batch, 1000), done: make(chan struct{})}
	go func() {
		defer close(h.done)
		for batch := range h.queue {
			_ = h.inner.Handle(context.Background(), batch)
		}
	}()
	return h
}

func (h *hasty) Assigned(context.Context, []int) error { return nil }

func (h *hasty) Handle(_ context.Context, batch feed.Batch) error {
	h.queue <- batch
	return nil
}

// drain waits for what was taken.
func (h *hasty) drain() {
	close(h.queue)
	<-h.done
}

// byArrival is the pipeline with rows of facts whose version is when they came instead of what is known: of two rows the one
// written last stays. It is slow between reading and writing, so that it is often held there.
type byArrival struct {
	store    *store.Store
	assemble *assemble.Assembler
	env      metrics.Env
}

// slow is how long it takes between reading and writing.
const slow = 300 * time.Millisecond

func newByArrival(target *store.Store, env metrics.Env) (*byArrival, error) {
	assembler, err := assemble.New(assemble.DefaultConfig(), target)
	if err != nil {
		return nil, err
	}
	return &byArrival{store: target, assemble: assembler, env: env}, nil
}

func (b *byArrival) Assigned(context.Context, []int) error {
	b.assemble.Drop()
	return nil
}

func (b *byArrival) Handle(ctx context.Context, batch feed.Batch) error {
	arrivals := make([]assemble.Arrival, len(batch.Records))
	for i, record := range batch.Records {
		in := dialect.Input{Value: record.Value, Key: string(record.Key), Headers: record.Headers}
		out, _, err := format.Decode(in, format.DefaultLimits())
		if err == nil {
			arrivals[i] = assemble.Arrival{Fragments: out.Fragments, Time: record.Time}
		}
	}
	merged, err := b.assemble.Batch(ctx, arrivals)
	if err != nil {
		return err
	}
	var rows []transcript.Row
	var runs []store.Run
	for _, changed := range merged.Changed {
		rows = append(rows, changed.Rows...)
		runs = append(runs, store.Run{Facts: metrics.Mine(changed.Run, b.env)})
	}
	time.Sleep(slow)
	for i := range runs {
		runs[i].Version = uint64(time.Now().UnixNano())
	}
	if err := b.store.Write(ctx, rows, runs); err != nil {
		return err
	}
	b.assemble.Confirm()
	return nil
}
