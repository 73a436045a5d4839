package main

import (
	"context"
	"fmt"

	"errata/internal/settings"
	"errata/migrations"
)

func runMigrate(ctx context.Context, args []string, w world) error {
	set := settings.New("ingest migrate", `
ingest migrate creates the database and its tables where they are missing and brings them up to date.
It may run again, and twice at once. "ingest run" does it too, unless told otherwise.

    ingest migrate [settings]`, w.getenv)
	target := set.ClickHouse()
	rest, err := set.Parse(args, w.out, version)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return settings.Usagef("ingest migrate: takes no arguments, got %q", rest[0])
	}
	options, err := target.Options()
	if err != nil {
		return err
	}
	applied, err := migrations.Apply(ctx, migrations.Config{Options: options, Cluster: target.Cluster()})
	if err != nil {
		return err
	}
	all, err := migrations.All()
	if err != nil {
		return err
	}
	fmt.Fprintf(w.out, "%d migrations applied, %d in all\n", applied, len(all))
	return nil
}
