package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"errata/internal/settings"
	"errata/pipeline"
	"errata/pipeline/store"
)

const aboutRemine = `
ingest remine derives all facts anew from stored transcripts, by the rules, prices and codes that it is given. It may run
while ingest goes on, be interrupted, and run again. Give "ingest run" the same files first: it would write facts by its own.

    ingest remine [settings]`

func runRemine(ctx context.Context, args []string, w world) error {
	set := settings.New("ingest remine", aboutRemine, w.getenv)
	target := set.ClickHouse()
	mining := declareMining(set)
	rest, err := set.Parse(args, w.out, version)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return settings.Usagef("ingest remine: takes no arguments, got %q", rest[0])
	}
	env, err := mining.env()
	if err != nil {
		return err
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
	r := pipeline.Remine{Store: s, Env: env, Log: w.logger()}
	shown := onTerminal(w.err)
	if shown {
		r.Progress = func(done, of uint64) { fmt.Fprintf(w.err, "\r%d of %d runs", done, of) }
	}
	mined, failed, err := r.Run(ctx)
	if shown {
		fmt.Fprintln(w.err)
	}
	if err != nil {
		return fmt.Errorf("stopped after %d runs; run it again to go through all: %w", mined, err)
	}
	fmt.Fprintf(w.out, "%d runs mined anew, %d kept the facts that they had\n", mined, failed)
	if failed > 0 {
		return errRejected
	}
	return nil
}

// onTerminal tells whether what is written is read by a person as it comes.
func onTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
