package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"errata/metrics"
	"errata/pipeline/assemble"
	"errata/pipeline/feed"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/pipeline/redact"
	"errata/pipeline/store"
	"errata/transcript"
)

// Config is what the steps of a pipeline need besides each other.
type Config struct {
	Group, Topic string
	Decode       format.Limits
	Assemble     assemble.Config
	Env          metrics.Env
	Redact       redact.Policy // what is left out before anything is stored or published again
}

// DefaultConfig gives sensible bounds; group and topic are the caller's.
func DefaultConfig(env metrics.Env) Config {
	return Config{Decode: format.DefaultLimits(), Assemble: assemble.DefaultConfig(), Env: env}
}

// Rejects takes records that could not be used, to be published with their reason.
type Rejects interface {
	Write(ctx context.Context, rejects []feed.Rejected) error
}

// Pipeline makes batches of records count: it is the feed's handler. One goroutine owns it.
type Pipeline struct {
	cfg      Config
	store    *store.Store
	rejects  Rejects
	assemble *assemble.Assembler
	progress *progress
	counters Counters
	retry    retry
	log      *slog.Logger

	// Steps that tests put others in the place of.
	read    func(dialect.Input, format.Limits) (dialect.Output, *dialect.Dialect, error)
	join    func(context.Context, []assemble.Arrival) (assemble.Batch, error)
	mineRun func(transcript.Run, metrics.Env) metrics.Facts
}

// New makes a pipeline that holds nothing yet.
func New(cfg Config, target *store.Store, rejects Rejects, log *slog.Logger) (*Pipeline, error) {
	assembler, err := assemble.New(cfg.Assemble, target)
	if err != nil {
		return nil, err
	}
	return &Pipeline{
		cfg: cfg, store: target, rejects: rejects, assemble: assembler,
		progress: newProgress(cfg.Group, cfg.Topic), counters: newCounters(), retry: newRetry(log), log: log,
		read: format.Decode, join: assembler.Batch, mineRun: metrics.Mine,
	}, nil
}

// Assigned forgets every run: other processes may own their partitions now, and what was not stored comes again. It
// reads how far the group has come, and waits for ClickHouse with that.
func (p *Pipeline) Assigned(ctx context.Context, partitions []int) error {
	p.assemble.Drop()
	p.counters.partitions.Set(float64(len(partitions)))
	return p.retry.until(ctx, "read how far the group has come", func(ctx context.Context) error {
		return p.progress.read(ctx, p.store)
	})
}

// Handle stores what a batch says and returns once everything of it is acknowledged. ClickHouse or Kafka being away is
// waited for, as long as ctx lasts: consumption slows, and nothing is lost.
func (p *Pipeline) Handle(ctx context.Context, batch feed.Batch) error {
	began := time.Now()
	decoded := p.decode(batch.Records)
	err := p.retry.until(ctx, "store a batch", func(ctx context.Context) error {
		err := p.merge(ctx, batch, decoded)
		if c := (*crash)(nil); errors.As(err, &c) {
			return p.oneByOne(ctx, batch, decoded)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("batch of %d records: %w", len(batch.Records), err)
	}
	p.counters.observe(batch, time.Since(began), p.assemble)
	return nil
}

// apply merges, mines and stores. It may be repeated: what is in memory is dropped before.
func (p *Pipeline) apply(ctx context.Context, batch feed.Batch, decoded []decodedRecord) error {
	decoded, err := p.withoutBuried(ctx, decoded)
	if err != nil {
		return err
	}
	// Others may have stored more of them since they were read.
	p.assemble.Forget(strays(batch, decoded))
	merged, err := p.join(ctx, arrivals(batch.Records, decoded))
	if err != nil {
		return fmt.Errorf("merge into known runs: %w", err)
	}
	if err := p.write(ctx, batch, merged, decoded); err != nil {
		p.assemble.Drop()
		return err
	}
	p.assemble.Confirm()
	p.counters.merged(merged)
	return nil
}

// write puts transcripts before facts, and both before the word that they are there.
func (p *Pipeline) write(ctx context.Context, batch feed.Batch, merged assemble.Batch, decoded []decodedRecord) error {
	runs, failed, err := p.writeTranscripts(ctx, batch, merged, decoded)
	if err != nil {
		return err
	}
	if err := p.store.WriteRuns(ctx, runs); err != nil {
		return err
	}
	rejects := append(allRejects(decoded, merged), crashRejects(decoded, failed)...)
	if err := p.reject(ctx, batch, rejects); err != nil {
		return err
	}
	return p.store.WriteProgress(ctx, p.progress.of(batch.Marks))
}

// writeTranscripts stores what was said and gives what is mined of it. Both are done at once unless others may be writing
// the same runs: what is mined of those must hold what the others have stored by then.
func (p *Pipeline) writeTranscripts(ctx context.Context, batch feed.Batch, merged assemble.Batch, decoded []decodedRecord) (runs []store.Run, failed map[transcript.RunID]*crash, err error) {
	stray := strays(batch, decoded)
	if len(stray) > 0 {
		if err := p.store.WriteTranscripts(ctx, rowsOf(merged.Changed)); err != nil {
			return nil, nil, err
		}
		changed, err := p.settle(ctx, settling{batch, decoded, stray}, merged.Changed)
		if err != nil {
			return nil, nil, err
		}
		runs, failed = p.mine(changed)
		return runs, failed, nil
	}
	stored := make(chan error, 1)
	go func() {
		var err error
		if c := p.guard("store", func() { err = p.store.WriteTranscripts(ctx, rowsOf(merged.Changed)) }); c != nil {
			err = c
		}
		stored <- err
	}()
	runs, failed = p.mine(merged.Changed)
	return runs, failed, <-stored
}

// arrivals pairs what was decoded with when it came.
func arrivals(records []feed.Record, decoded []decodedRecord) []assemble.Arrival {
	out := make([]assemble.Arrival, len(records))
	for i, record := range records {
		out[i] = assemble.Arrival{Fragments: decoded[i].out.Fragments, Time: record.Time}
	}
	return out
}

// asReject gives the reject that an error of a decoder is.
func asReject(err error) dialect.Reject {
	var r dialect.Reject
	if errors.As(err, &r) {
		return r
	}
	return dialect.Reject{Reason: dialect.ReasonUnsupported, Message: err.Error()}
}
