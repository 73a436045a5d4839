// Command devstack runs an embedded Kafka protocol broker and an embedded ClickHouse engine on loopback, so that Errata runs
// and is tested without installing either.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, "devstack:", err)
		os.Exit(exitCode(err))
	}
}
