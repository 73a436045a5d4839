package main

import (
	"context"
	"fmt"
	"time"

	"errata/internal/settings"
	"errata/migrations"
)

func runMigrate(ctx context.Context, args []string, w world) error {
	set := settings.New("ingest migrate", `
ingest migrate creates the database and its tables where they are missing and brings them up to date.
It may run again, and twice at once. "ingest run" does it too, unless told otherwise.

    ingest migrate [settings]`, w.getenv)
	target := set.ClickHouse()
	keep := declareKeep(set)
	rest, err := set.Parse(args, w.out, version)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return settings.Usagef("ingest migrate: takes no arguments, got %q", rest[0])
	}
	if err := keep.check("ingest migrate"); err != nil {
		return err
	}
	options, err := target.Options()
	if err != nil {
		return err
	}
	cfg := migrations.Config{Options: options, Cluster: target.Cluster()}
	applied, err := migrations.Apply(ctx, cfg)
	if err != nil {
		return err
	}
	if err := migrations.Retain(ctx, cfg, keep.retention()); err != nil {
		return err
	}
	all, err := migrations.All()
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "%d migrations applied, %d in all\n", applied, len(all))
	return nil
}

// keepSettings say how long what was stored is kept.
type keepSettings struct {
	transcripts, facts *time.Duration
}

func declareKeep(set *settings.Set) keepSettings {
	return keepSettings{
		transcripts: set.Duration("keep-transcripts", "ERRATA_KEEP_TRANSCRIPTS", 0,
			"what was said is removed so long after it arrived, e.g. 720h; facts stay; 0 leaves the table as it is"),
		facts: set.Duration("keep-facts", "ERRATA_KEEP_FACTS", 0,
			"facts of a run and rejects are removed so long after they were last written; 0 leaves the tables as they are"),
	}
}

func (k keepSettings) retention() migrations.Retention {
	return migrations.Retention{Transcripts: *k.transcripts, Facts: *k.facts}
}

func (k keepSettings) check(command string) error {
	if err := k.retention().Validate(); err != nil {
		return settings.Usagef("%s: -keep-transcripts or -keep-facts: %v", command, err)
	}
	return nil
}
