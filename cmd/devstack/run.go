package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"

	"errata/internal/devstack"
	"errata/internal/devstack/engine"
)

// usageError is a mistake in the command line; it ends with status 2.
type usageError struct{ error }

func exitCode(err error) int {
	if errors.As(err, &usageError{}) {
		return 2
	}
	return 1
}

// options are the command line.
type options struct {
	devstack.Config
	version, printConfig, verbose, untilEOF, temporary bool
}

func flags(o *options, getenv func(string) string) *flag.FlagSet {
	fs := flag.NewFlagSet("devstack", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.Dir, "dir", o.Dir, "`folder` for the data of both parts")
	fs.StringVar(&o.Kafka, "kafka", o.Kafka, "`address` of the Kafka broker; port 0 picks one, off leaves it out")
	fs.StringVar(&o.ClickHouse, "clickhouse", o.ClickHouse, "`address` of ClickHouse's HTTP interface; port 0 picks one, off leaves it out")
	fs.StringVar(&o.Ready, "ready", "", "`file` that appears once all answer, with their addresses as settings")
	fs.StringVar(&o.Engine, "engine", getenv("ERRATA_ENGINE"), "`path` of the ClickHouse engine libchdb.so (ERRATA_ENGINE)")
	fs.IntVar(&o.Partitions, "partitions", o.Partitions, "`number` of partitions of a topic made on first use")
	fs.BoolVar(&o.untilEOF, "until-eof", false, "stop when standard input ends, so that no stack outlives its parent")
	fs.BoolVar(&o.temporary, "temporary", false, "make the folder -dir, which must not exist, and remove it at the end")
	fs.BoolVar(&o.verbose, "v", false, "log failed queries and the broker's messages")
	fs.BoolVar(&o.version, "version", false, "print the version and stop")
	fs.BoolVar(&o.printConfig, "print-config", false, "print the settings in force and stop")
	return fs
}

// run does the work of main.
func run(ctx context.Context, args []string, stdout io.Writer, getenv func(string) string) error {
	o := options{Config: devstack.DefaultConfig()}
	fs := flags(&o, getenv)
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fs.SetOutput(stdout)
		fs.PrintDefaults()
		return nil
	case err != nil:
		return usageError{fmt.Errorf("%w; devstack -help lists the flags", err)}
	case fs.NArg() > 0:
		return usageError{fmt.Errorf("%q is no flag: devstack takes flags only; devstack -help lists them", fs.Arg(0))}
	case o.version:
		_, err := fmt.Fprintln(stdout, "devstack", version())
		return err
	}
	if err := o.Validate(); err != nil {
		return usageError{err}
	}
	if o.printConfig {
		if o.Engine == "" {
			o.Engine, _ = engine.Locate("")
		}
		return o.Print(stdout)
	}
	return serve(ctx, o, stdout)
}

func serve(ctx context.Context, o options, stdout io.Writer) error {
	level := slog.LevelWarn
	if o.verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	if o.temporary {
		if err := os.Mkdir(o.Dir, 0o755); err != nil {
			return fmt.Errorf("make the -temporary folder: %w", err)
		}
		defer func() { _ = os.RemoveAll(o.Dir) }()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.untilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
	}
	return devstack.Run(ctx, o.Config, log, func(at devstack.Addresses) error {
		_, err := fmt.Fprintf(stdout, "%sready, data under %s\n", strings.ReplaceAll(at.Environment(), "=", " "), o.Dir)
		return err
	})
}

// version is what the build knows of itself.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return info.Main.Version + " " + s.Value
		}
	}
	return info.Main.Version
}
