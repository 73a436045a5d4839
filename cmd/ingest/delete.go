package main

import (
	"context"
	"fmt"
	"time"

	"errata/internal/settings"
	"errata/pipeline/store"
	"errata/transcript"
)

const aboutDelete = `
ingest delete removes one run from all tables: what was said in it, its facts, and samples of its records among the
rejects. It is in no figure right afterwards. Only its id stays, so that records of it that come later, or are read again,
do not bring it back; they are left out and counted in errata_ingest_deleted_total.

    ingest delete -run ID

What is on Kafka topics, <topic>.rejected among them, is not touched: that is for the topics' own retention.`

func runDelete(ctx context.Context, args []string, w world) error {
	set := settings.New("ingest delete", aboutDelete, w.getenv)
	target := set.ClickHouse()
	run := set.String("run", "", "", "id of the run")
	settle := set.Duration("settle", "", 5*time.Second, "how long batches may take that ingesters had begun before; what they wrote is removed too")
	rest, err := set.Parse(args, w.out, version)
	if err != nil {
		return err
	}
	if *run == "" || len(rest) > 0 {
		return settings.Usagef("ingest delete: name the run with -run ID")
	}
	options, err := target.Options()
	if err != nil {
		return err
	}
	s, err := store.Open(options)
	if err != nil {
		return err
	}
	defer s.Close()
	id := transcript.RunID(*run)
	if err := s.Bury(ctx, id); err != nil {
		return err
	}
	if err := s.Erase(ctx, id, target.Cluster()); err != nil {
		return err
	}
	// A batch at hand may have been read before the run was marked, and be written after it was erased.
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(*settle):
	}
	if err := s.Erase(ctx, id, target.Cluster()); err != nil {
		return err
	}
	fmt.Fprintf(w.out, "run %s is deleted\n", *run)
	return nil
}
