package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"errata/metrics"
	"errata/pipeline/store"
	"errata/transcript"
)

// Remine derives all facts anew from what was said, run by run. It needs no state of its own: a run's facts are one row
// whose version is what is known of the run. Of two rows of equal version the one written later stays, so the new facts
// replace the old ones; an ingester that knows more of the run by now has written a greater version, which stays. So it may
// be interrupted, run again and run while ingest goes on.
type Remine struct {
	Store *store.Store
	Env   metrics.Env
	Log   *slog.Logger
	// Bytes bounds the transcripts that are in memory at once, but for a single run that is larger; 0: 64 MiB.
	Bytes uint64
	// Progress is told after each chunk how many runs were done of how many; nil: nobody is.
	Progress func(done, of uint64)
}

// remineList is how many ids are listed at a time.
const remineList = 1000

// Run goes through all runs and gives how many it mined, and how many could not be.
func (r Remine) Run(ctx context.Context) (mined, failed uint64, err error) {
	if r.Bytes == 0 {
		r.Bytes = 64 << 20
	}
	of, err := r.Store.Count(ctx)
	if err != nil {
		return 0, 0, err
	}
	var after transcript.RunID
	for {
		list, err := r.Store.List(ctx, after, remineList)
		if err != nil || len(list) == 0 {
			return mined, failed, err
		}
		for len(list) > 0 {
			n := r.chunk(list)
			done, err := r.mine(ctx, list[:n])
			if err != nil {
				return mined, failed, err
			}
			mined += uint64(done)
			failed += uint64(n - done)
			after, list = list[n-1].Run, list[n:]
			if r.Progress != nil {
				r.Progress(mined+failed, max(of, mined+failed))
			}
		}
	}
}

// chunk is how many of the listed runs are taken at once.
func (r Remine) chunk(list []store.Listed) int {
	n, bytes := 1, list[0].Bytes
	for n < len(list) && bytes+list[n].Bytes <= r.Bytes {
		bytes += list[n].Bytes
		n++
	}
	return n
}

// mine does one chunk and gives how many of its runs were mined.
func (r Remine) mine(ctx context.Context, list []store.Listed) (int, error) {
	ids := make([]transcript.RunID, len(list))
	for i, item := range list {
		ids[i] = item.Run
	}
	known, err := r.Store.Load(ctx, ids)
	if err != nil {
		return 0, err
	}
	results := make([]*store.Run, len(ids))
	parallel(len(ids), func(i int) { results[i] = r.one(ids[i], known[ids[i]]) })
	runs := make([]store.Run, 0, len(ids))
	for _, result := range results {
		if result != nil {
			runs = append(runs, *result)
		}
	}
	if err := r.Store.WriteRuns(ctx, runs); err != nil {
		return 0, err
	}
	return len(runs), nil
}

// one mines one run. One that cannot be read, or on which mining panics, keeps the facts that it had; nil.
func (r Remine) one(id transcript.RunID, rows []transcript.Row) (mined *store.Run) {
	defer func() {
		if value := recover(); value != nil {
			mined = nil
			r.Log.Error("mining a run panicked, it keeps the facts that it had", "run", id, "panic", fmt.Sprint(value), "stack", string(debug.Stack()))
		}
	}()
	if len(rows) == 0 {
		return nil // deleted since it was listed
	}
	run, err := transcript.FromRows(rows)
	if err != nil {
		r.Log.Error("a stored run cannot be read, it keeps the facts that it had", "run", id, "error", err)
		return nil
	}
	mined = &store.Run{Rules: r.Env.Rules.Digest(), Facts: metrics.Mine(run, r.Env)}
	for _, row := range rows {
		mined.Version += row.Version
	}
	for _, thread := range run.Threads {
		mined.Messages += len(thread.Messages)
	}
	return mined
}
