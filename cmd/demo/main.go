// Command demo shows Errata on one machine without Docker: it starts the embedded engines, the ingester and the
// dashboard as they are, sends transcripts through them, and runs until it is stopped.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"errata/internal/settings"
)

// version is set by the linker.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:], os.Stdout, os.Getenv)
	stop()
	os.Exit(exitCode(err))
}

func exitCode(err error) int {
	var usage settings.UsageError
	switch {
	case err == nil, errors.Is(err, settings.ErrDone):
		return 0
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, usage.Message)
		return 2
	}
	fmt.Fprintf(os.Stderr, "demo: %v\n", err)
	return 1
}
