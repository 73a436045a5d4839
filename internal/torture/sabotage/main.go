// Command sabotage is "ingest run" wired wrongly, in one of the ways that must be caught. It shows that the torture can
// fail, and is never shipped: the environment variable SABOTAGE says what is wrong with it.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"errata/internal/settings"
	"errata/metrics"
	"errata/migrations"
	"errata/pipeline"
	"errata/pipeline/feed"
	"errata/pipeline/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[2:]); err != nil { // the first argument is "run"
		fmt.Fprintln(os.Stderr, "sabotage:", err)
		os.Exit(1)
	}
}

// told is the settings of "ingest run" that the torture gives.
type told struct {
	kafka      settings.Kafka
	clickhouse settings.ClickHouse
	records    *int
	wait       *time.Duration
	session    *time.Duration
	caughtUp   *bool
}

func declare(set *settings.Set) told {
	set.Int("partitions", "", 1, "")
	return told{
		kafka: set.Kafka(), clickhouse: set.ClickHouse(),
		records: set.Int("batch-records", "", 1, ""), wait: set.Duration("batch-wait", "", time.Second, ""),
		session: set.Duration("session-timeout", "", time.Minute, ""), caughtUp: set.Bool("until-caught-up", "", false, ""),
	}
}

// group is the consumer group.
const group = "errata"

func run(ctx context.Context, args []string) error {
	set := settings.New("sabotage", "", os.Getenv)
	t := declare(set)
	if _, err := set.Parse(args, os.Stdout, "sabotage"); err != nil {
		return err
	}
	options, err := t.clickhouse.Options()
	if err != nil {
		return err
	}
	if _, err := migrations.Apply(ctx, migrations.Config{Options: options}); err != nil {
		return err
	}
	target, err := store.Open(options)
	if err != nil {
		return err
	}
	defer target.Close()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	handler, err := t.wire(target, log)
	if err != nil {
		return err
	}
	cfg := feed.DefaultConfig()
	cfg.Brokers, cfg.Topic, cfg.Group = t.kafka.Brokers(), t.kafka.Topic(), group
	cfg.MaxRecords, cfg.MaxWait, cfg.SessionTimeout = *t.records, *t.wait, *t.session
	return t.consume(ctx, feed.New(cfg, log), handler)
}

// wire gives the handler that the environment asks for.
func (t told) wire(target *store.Store, log *slog.Logger) (feed.Handler, error) {
	env := metrics.Env{Rules: metrics.DefaultRules(), Prices: metrics.DefaultPrices(), Tokens: metrics.NewBPE()}
	switch wrong := os.Getenv("SABOTAGE"); wrong {
	case "commit-first":
		cfg := pipeline.DefaultConfig(env)
		cfg.Group, cfg.Topic = group, t.kafka.Topic()
		line, err := pipeline.New(cfg, target, feed.NewRejectWriter(t.kafka.Brokers(), t.kafka.Topic(), nil), log)
		return newHasty(line), err
	case "key-by-arrival":
		return newByArrival(target, env)
	default:
		return nil, fmt.Errorf("SABOTAGE is %q: commit-first or key-by-arrival", wrong)
	}
}

// consume runs the feed, and where it is told so stops once everything is committed.
func (t told) consume(ctx context.Context, source *feed.Feed, handler feed.Handler) error {
	if !*t.caughtUp {
		return source.Run(ctx, handler)
	}
	admin := feed.NewAdmin(t.kafka.Brokers(), nil)
	ends, err := admin.Ends(ctx, t.kafka.Topic())
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	go func() {
		defer stop()
		for ctx.Err() == nil {
			committed, err := admin.Committed(ctx, group, t.kafka.Topic())
			if err == nil && feed.Missing(ends, committed) == 0 {
				return
			}
			time.Sleep(200 * time.Millisecond)
		}
	}()
	err = source.Run(ctx, handler)
	if h, ok := handler.(*hasty); ok {
		h.drain()
	}
	return err
}
