package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"errata/internal/settings"
)

// world is what a sub-command may touch of the outside, so that tests can give their own.
type world struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
}

// logger writes structured lines to standard error.
func (w world) logger() *slog.Logger { return slog.New(slog.NewTextHandler(w.err, nil)) }

// errRejected says that a sub-command has printed what it rejected, and that the program exits 1.
var errRejected = errors.New("something was rejected")

// command is one sub-command.
type command struct {
	name, about string
	run         func(ctx context.Context, args []string, w world) error
}

func commands() []command {
	return []command{
		{"run", "consume transcripts from Kafka into ClickHouse until stopped", runRun},
		{"send", "publish transcripts from files, folders or standard input", runSend},
		{"check", "decode transcripts without Kafka or ClickHouse and say what is in them", runCheck},
		{"migrate", "create or update the tables", runMigrate},
		{"remine", "derive all facts anew from stored transcripts", runRemine},
		{"delete", "delete a run by its id, for good", runDelete},
		{"rejects", "list, explain and send again what was rejected", runRejects},
	}
}

// dispatch runs a sub-command and gives the exit code: 0, 1 for a failure, 2 for a mistake in how it was called.
func dispatch(ctx context.Context, args []string, w world) int {
	if len(args) == 0 {
		usage(w.err)
		return 2
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		usage(w.out)
		return 0
	case "-version", "--version", "version":
		fmt.Fprintf(w.out, "errata %s\n", version)
		return 0
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return exitCode(c.run(ctx, args[1:], w), w)
		}
	}
	fmt.Fprintf(w.err, "ingest: there is no command %q: use one of run, send, check, migrate, remine, delete, rejects, or ingest -help\n", args[0])
	return 2
}

func exitCode(err error, w world) int {
	var usage settings.UsageError
	switch {
	case err == nil, errors.Is(err, settings.ErrDone):
		return 0
	case errors.As(err, &usage):
		fmt.Fprintln(w.err, usage.Message)
		return 2
	case errors.Is(err, errRejected):
		return 1
	}
	fmt.Fprintf(w.err, "ingest: %v\n", err)
	return 1
}

func usage(out io.Writer) {
	fmt.Fprint(out, `ingest reads what AI agents did and finds every tool call that was refused, and what happened next.

    ingest COMMAND [settings] [arguments]

`)
	for _, c := range commands() {
		fmt.Fprintf(out, "    %-8s  %s\n", c.name, c.about)
	}
	fmt.Fprint(out, "\n    ingest COMMAND -help tells more. Without a cluster: make demo.\n")
}
