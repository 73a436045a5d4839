// Command dashboard shows what agents did after their tool calls were refused: pages, and the same figures as data.
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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := exitCode(run(ctx, os.Args[1:], os.Stdout, os.Getenv))
	stop()
	os.Exit(code)
}

// exitCode is 0, 1 for a failure, 2 for a mistake in how the program was called.
func exitCode(err error) int {
	var usage settings.UsageError
	switch {
	case err == nil, errors.Is(err, settings.ErrDone):
		return 0
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, usage.Message)
		return 2
	}
	fmt.Fprintf(os.Stderr, "dashboard: %v\n", err)
	return 1
}
