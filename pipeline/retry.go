package pipeline

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/prometheus/client_golang/prometheus"
)

// retry waits for what is away, with growing pauses and jitter, and says so once a minute.
type retry struct {
	log     *slog.Logger
	failing *atomic.Pointer[Trouble]
	failed  prometheus.Counter
}

// Trouble is what keeps a pipeline from storing.
type Trouble struct {
	Since time.Time
	Err   error
}

func newRetry(log *slog.Logger) retry {
	return retry{
		log: log, failing: new(atomic.Pointer[Trouble]),
		failed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "errata_ingest_failures_total", Help: "Attempts to store, or to reach what is needed, that failed and are repeated."}),
	}
}

const (
	firstPause = 200 * time.Millisecond
	longPause  = 15 * time.Second
	complain   = time.Minute
)

// until repeats an operation until it succeeds or ctx ends.
func (r retry) until(ctx context.Context, what string, operation func(context.Context) error) error {
	pauses := &backoff.ExponentialBackOff{InitialInterval: firstPause, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: longPause}
	pauses.Reset()
	since := time.Now()
	var said time.Time
	for {
		err := operation(ctx)
		if err == nil {
			if !said.IsZero() {
				r.log.Info("works again", "what", what, "after", time.Since(since).Round(time.Second).String())
			}
			r.failing.Store(nil)
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
		r.failed.Inc()
		r.failing.Store(&Trouble{Since: since, Err: err})
		if time.Since(said) >= complain {
			r.log.Error("cannot go on, will try again until it works", "what", what, "error", err)
			said = time.Now()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pauses.NextBackOff()):
		}
	}
}

// Trouble tells what keeps the pipeline from storing; nil: nothing does.
func (p *Pipeline) Trouble() *Trouble { return p.retry.failing.Load() }

// Report notes what keeps the feed from its records, so that it shows where other trouble does; nil: nothing does.
func (p *Pipeline) Report(err error) {
	if err == nil {
		p.retry.failing.Store(nil)
		return
	}
	p.retry.failed.Inc()
	since := time.Now()
	if before := p.Trouble(); before != nil {
		since = before.Since
	}
	p.retry.failing.Store(&Trouble{Since: since, Err: err})
}

// Wait repeats an operation until it succeeds or ctx ends, and tells of trouble like a batch that cannot be stored.
func (p *Pipeline) Wait(ctx context.Context, what string, operation func(context.Context) error) error {
	return p.retry.until(ctx, what, operation)
}
