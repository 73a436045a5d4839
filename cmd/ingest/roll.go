package main

import (
	"context"
	"errors"
	"time"

	"errata/metrics/ask"
)

// roll computes every now and then what pages are answered from. It stands beside consuming and never in its way: what is
// not rolled is answered from runs, so a roll that fails is told and tried again.
func (in *ingest) roll(ctx context.Context) error {
	every := *in.told.roll
	if every == 0 || in.told.clickhouse.Cluster() != "" {
		return nil // on a cluster, what is noted of a stretch may be seen before the stretch itself
	}
	options, err := in.told.clickhouse.Options()
	if err != nil {
		return err
	}
	db, err := ask.OpenOptions(options, ask.DefaultSettings())
	if err != nil {
		return err
	}
	defer db.Close()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if !in.prepared.Load() {
			continue
		}
		done, err := db.Roll(ctx, ask.DefaultRolling())
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
