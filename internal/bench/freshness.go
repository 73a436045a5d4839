package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/segmentio/kafka-go"

	"errata/internal/simulate"
	"errata/pipeline/feed"
)

const (
	steadyRate  = 5_000 // calls a second
	steadyTicks = 200   // publications, of which there are ten a second
)

// seen is how many calls were to be seen in ClickHouse at a time.
type seen struct {
	at    time.Time
	calls uint64
}

// freshness measures the time from producing a record to seeing its call among the facts, at a steady rate.
func freshness(ctx context.Context, bin string) (row, error) {
	s, err := startStack(ctx, bin, "")
	if err != nil {
		return row{}, err
	}
	defer s.stop()
	const topic = "steady"
	if err := feed.NewAdmin([]string{s.broker}, nil).CreateTopic(ctx, topic, partitions); err != nil {
		return row{}, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "ingest"), "run", "-kafka-topic", topic)
	cmd.Env = append(os.Environ(), s.env...)
	if err := cmd.Start(); err != nil {
		return row{}, fmt.Errorf("start ingest: %w", err)
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}()
	time.Sleep(5 * time.Second) // the group settles
	watching, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	observed := make(chan []seen, 1)
	go func() { observed <- s.watch(watching, steadyTicks*steadyRate/10) }()
	produced, err := produce(ctx, s, topic)
	if err != nil {
		return row{}, err
	}
	lags := lagsOf(produced, <-observed)
	if len(lags) < len(produced) {
		return row{}, fmt.Errorf("of %d publications only %d were seen", len(produced), len(lags))
	}
	slices.Sort(lags)
	half, last := lags[len(lags)/2], lags[len(lags)*99/100]
	return row{what: "freshness at 5,000 calls/s", figure: fmt.Sprintf("median %.2f s, p99 %.2f s", half.Seconds(), last.Seconds()),
		raw: "from producing to ClickHouse", missed: bound(last > 2*time.Second, "p99 under 2 s")}, nil
}

// produce publishes at the steady rate and gives when each publication began.
func produce(ctx context.Context, s *stack, topic string) ([]time.Time, error) {
	w := &kafka.Writer{Addr: kafka.TCP(s.broker), Topic: topic, Balancer: &kafka.Hash{}, BatchSize: 2000,
		BatchTimeout: 5 * time.Millisecond, RequiredAcks: kafka.RequireAll}
	defer w.Close()
	cfg := simulate.DefaultLoad()
	cfg.Runs = steadyTicks * steadyRate / 10 / cfg.CallsPerRun
	began := time.Now()
	var produced []time.Time
	var chunk []kafka.Message
	for r := range simulate.Load(cfg) {
		chunk = append(chunk, kafka.Message{Key: []byte(r.Key), Value: r.Value})
		if len(chunk) < steadyRate/10 {
			continue
		}
		time.Sleep(time.Until(began.Add(time.Duration(len(produced)) * 100 * time.Millisecond)))
		produced = append(produced, time.Now())
		if err := w.WriteMessages(ctx, chunk...); err != nil {
			return nil, fmt.Errorf("publish at a steady rate: %w", err)
		}
		chunk = chunk[:0]
	}
	return produced, nil
}

// watch asks again and again how many calls are to be seen, until all are.
func (s *stack) watch(ctx context.Context, all uint64) []seen {
	conn, err := s.conn("errata")
	if err != nil {
		return nil
	}
	defer conn.Close()
	var list []seen
	for ctx.Err() == nil {
		var calls uint64
		if conn.QueryRow(ctx, "SELECT sum(length(`calls.tool`)) FROM runs FINAL").Scan(&calls) == nil {
			list = append(list, seen{time.Now(), calls})
		}
		if calls >= all {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return list
}

// lagsOf gives how long after each publication as many calls were to be seen as had been published with it.
func lagsOf(produced []time.Time, observed []seen) []time.Duration {
	var lags []time.Duration
	for i, at := range produced {
		want := uint64(i+1) * steadyRate / 10
		k := slices.IndexFunc(observed, func(o seen) bool { return o.calls >= want })
		if k >= 0 {
			lags = append(lags, observed[k].at.Sub(at))
		}
	}
	return lags
}
