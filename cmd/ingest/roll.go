package main

import (
	"context"
	"errors"
	"time"

	"errata/metrics/ask"
)

// tidying is how often runs are looked for that corrected times have moved, and that stand twice until then.
const tidying = 20 * time.Second

// roll removes runs from where they no longer belong and, where asked to, computes every now and then what pages are answered
// from. It stands beside consuming and never in its way: what fails is told and tried again.
func (in *ingest) roll(ctx context.Context) error {
	every := *in.told.roll
	if in.told.clickhouse.Cluster() != "" {
		every = 0 // on a cluster, what is noted of a stretch may be seen before the stretch itself
	}
	ticker := time.NewTicker(tidying)
	defer ticker.Stop()
	var rolled time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if !in.prepared.Load() {
			continue
		}
		if every == 0 || time.Since(rolled) < every {
			in.tidy(ctx)
			continue
		}
		rolled = time.Now()
		done, err := in.facts.Roll(ctx, ask.DefaultRolling())
		switch {
		case errors.Is(ctx.Err(), context.Canceled):
			return nil
		case err != nil:
			in.log.Warn("cannot compute what pages are answered from; they read runs until it is done", "error", err)
		case done.Days+done.Hours > 0:
			in.log.Info("rolled", "days", done.Days, "hours", done.Hours, "seconds", done.Took.Seconds())
		}
	}
}

// tidy removes runs from where they no longer belong.
func (in *ingest) tidy(ctx context.Context) {
	if err := in.facts.ForgetMoved(ctx); err != nil && ctx.Err() == nil {
		in.log.Warn("cannot look for runs whose times were corrected; until that is done they may count twice", "error", err)
	}
}
