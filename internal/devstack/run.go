package devstack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"errata/internal/devstack/broker"
	"errata/internal/devstack/chhttp"
	"errata/internal/devstack/engine"
)

// Addresses are where the parts answer; one that is off is empty.
type Addresses struct {
	// Brokers is the Kafka broker's host:port.
	Brokers string
	// DSN is the ClickHouse DSN of the database errata.
	DSN string
}

// Environment writes the addresses as the settings that Errata's programs read.
func (a Addresses) Environment() string {
	text := ""
	if a.Brokers != "" {
		text += "ERRATA_KAFKA_BROKERS=" + a.Brokers + "\n"
	}
	if a.DSN != "" {
		text += "ERRATA_CLICKHOUSE_DSN=" + a.DSN + "\n"
	}
	return text
}

// A stop waits graceful for what is under way, then cancels it, and waits cancelled for that.
const (
	graceful  = 2 * time.Second
	cancelled = 10 * time.Second
)

// Run starts the parts, calls ready once all answer, and runs until ctx ends or a part fails. What was acknowledged is kept
// however the process ends.
func Run(ctx context.Context, c Config, log *slog.Logger, ready func(Addresses) error) (err error) {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	if c.Ready != "" {
		// A stack that was killed left its own behind, with addresses that no longer answer.
		if err := os.Remove(c.Ready); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove the old -ready file: %w", err)
		}
	}
	var at Addresses
	failed := make(chan error, 1)
	if c.ClickHouse != Off {
		stop, addr, err := startClickHouse(c, log, failed)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, stop()) }()
		at.DSN = "http://default@" + addr + "/errata"
	}
	if c.Kafka != Off {
		b, err := broker.Open(broker.Options{Addr: c.Kafka, Dir: filepath.Join(c.Dir, "kafka"), Partitions: c.Partitions, Log: log})
		if err != nil {
			return err
		}
		defer b.Close()
		at.Brokers = b.Addr()
	}
	if c.Ready != "" {
		if err := writeWhole(c.Ready, at.Environment()); err != nil {
			return err
		}
		defer func() { _ = os.Remove(c.Ready) }()
	}
	if err := ready(at); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-failed:
		return err
	}
}

// startClickHouse opens the engine and serves it; stop ends both.
func startClickHouse(c Config, log *slog.Logger, failed chan<- error) (stop func() error, addr string, err error) {
	library, err := engine.Locate(c.Engine)
	if err != nil {
		return nil, "", err
	}
	listener, err := net.Listen("tcp", c.ClickHouse)
	if err != nil {
		return nil, "", fmt.Errorf("listen on -clickhouse %s; is something running there already, or choose another port: %w", c.ClickHouse, err)
	}
	e, err := engine.Open(engine.Options{Library: library, Dir: filepath.Join(c.Dir, "clickhouse")})
	if err != nil {
		return nil, "", errors.Join(err, listener.Close())
	}
	requests, cancel := context.WithCancel(context.Background())
	server := &http.Server{
		Handler:           chhttp.New(e, log),
		ReadHeaderTimeout: time.Minute,
		MaxHeaderBytes:    8 << 20,
		BaseContext:       func(net.Listener) context.Context { return requests },
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("serve ClickHouse: %w", err)
		}
	}()
	stop = func() error {
		defer cancel()
		grace, done := context.WithTimeout(context.Background(), graceful)
		defer done()
		if server.Shutdown(grace) != nil {
			cancel()
		}
		last, done := context.WithTimeout(context.Background(), cancelled)
		defer done()
		return e.Close(last)
	}
	return stop, listener.Addr().String(), nil
}

// writeWhole lets a file appear with all its content at once.
func writeWhole(path, content string) error {
	temporary := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
	if err := os.WriteFile(temporary, []byte(content), 0o644); err != nil {
		return fmt.Errorf("write the -ready file: %w", err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("put the -ready file in place: %w", errors.Join(err, os.Remove(temporary)))
	}
	return nil
}
