package main

import (
	"context"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"errata/internal/settings"
	"errata/migrations"
	"errata/pipeline"
	"errata/pipeline/assemble"
	"errata/pipeline/feed"
	"errata/pipeline/format/record"
	"errata/pipeline/redact"
	"errata/pipeline/store"
)

const aboutRun = `
ingest run consumes transcripts from a Kafka topic into ClickHouse and mines them on the way. It runs until it is
stopped; SIGTERM finishes the batch at hand, commits its offsets and leaves the consumer group. More processes with the
same group share the topic's partitions. Offsets are committed only once everything is stored: a process that was killed
begins again where it had stored, and counts nothing twice.

    ingest run [settings]

Records that cannot be used go to the topic <topic>.rejected with their reason, and the others go on.`

// runSettings is everything that "ingest run" is told.
type runSettings struct {
	kafka      settings.Kafka
	clickhouse settings.ClickHouse
	mining     miningSettings
	group      *string
	listen     *string
	migrate    *bool
	caughtUp   *bool
	partitions *int
	session    *time.Duration
	keep       keepSettings
	redact     *string
	batch      batchSettings
}

type batchSettings struct {
	records, bytes, maxRecord, memory, messages, nesting, text *int
	wait                                                       *time.Duration
}

func declareRun(set *settings.Set) runSettings {
	defaults, limits := feed.DefaultConfig(), assemble.DefaultConfig().Limits
	return runSettings{
		kafka:      set.Kafka(),
		group:      set.String("kafka-group", "ERRATA_KAFKA_GROUP", "errata", "the consumer group"),
		clickhouse: set.ClickHouse(),
		mining:     declareMining(set),
		listen:     set.String("listen", "", "", "address that serves /healthz, /readyz and /metrics; empty: nowhere"),
		migrate:    set.Bool("migrate", "", true, "create or update the tables first"),
		caughtUp:   set.Bool("until-caught-up", "", false, "stop once every record that was on the topic at the start is stored"),
		partitions: set.Int("partitions", "", 6, "partitions of the topic, where it is missing and created"),
		session: set.Duration("session-timeout", "ERRATA_KAFKA_SESSION_TIMEOUT", defaults.SessionTimeout,
			"a process that is not heard of for so long loses its partitions to the others of its group"),
		keep:   declareKeep(set),
		redact: set.File("redact", "ERRATA_REDACT", "file that says what content is kept, and which secrets and personal data are removed before anything is stored; empty: everything is kept"),
		batch: batchSettings{
			records:   set.Int("batch-records", "", defaults.MaxRecords, "a batch is stored when it has so many records"),
			bytes:     set.Size("batch-bytes", "", defaults.MaxBytes, "or so many bytes"),
			wait:      set.Duration("batch-wait", "", defaults.MaxWait, "or when its first record has waited so long"),
			maxRecord: set.Size("max-record", "ERRATA_MAX_RECORD", defaults.MaxRecord, "the largest record that is read; a larger one is rejected"),
			messages:  set.Int("max-messages", "ERRATA_MAX_MESSAGES", limits.Messages, "messages of one run; more are rejected"),
			nesting:   set.Int("max-nesting", "ERRATA_MAX_NESTING", record.MaxDepth, "nesting of arrays and objects in a record, 16 to 500; what is deeper is rejected"),
			text:      set.Size("max-text", "ERRATA_MAX_TEXT", limits.Text, "length of one text, one call's arguments or one result; the rest is cut, its length and hash are kept"),
			memory:    set.Size("memory", "ERRATA_MEMORY", 128<<20, "memory for open runs; runs beyond it are read back when they go on; a batch at hand takes up to 352 MiB more"),
		},
	}
}

func runRun(ctx context.Context, args []string, w world) error {
	set := settings.New("ingest run", aboutRun, w.getenv)
	told := declareRun(set)
	rest, err := set.Parse(args, w.out, version)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return settings.Usagef("ingest run: takes no arguments, got %q; transcripts in files go in with ingest send", rest[0])
	}
	in, err := newIngest(told, w.logger())
	if err != nil {
		return err
	}
	defer in.close()
	return in.run(ctx)
}

// ingest is the wiring of feed, pipeline and store.
type ingest struct {
	told    runSettings
	log     *slog.Logger
	store   *store.Store
	cluster settings.Connection
	admin   *feed.Admin
	rejects *feed.RejectWriter
	line    *pipeline.Pipeline

	prepared atomic.Bool // tables and topic are there
}

// batchMemory is what the process may take beside the open runs before the collector works harder: a batch on its way from
// bytes to rows, and the garbage of it.
const batchMemory = 352 << 20

// minNesting is the lowest bound of nesting that leaves room for the formats themselves.
const minNesting = 16

// newIngest wires the parts; nothing connects yet.
func newIngest(told runSettings, log *slog.Logger) (*ingest, error) {
	options, err := told.clickhouse.Options()
	if err != nil {
		return nil, err
	}
	env, err := told.mining.env()
	if err != nil {
		return nil, err
	}
	target, err := store.Open(options)
	if err != nil {
		return nil, err
	}
	if err := told.keep.check("ingest run"); err != nil {
		return nil, err
	}
	cluster, err := told.kafka.Connect()
	if err != nil {
		return nil, err
	}
	brokers, topic := told.kafka.Brokers(), told.kafka.Topic()
	rejects := feed.NewRejectWriter(brokers, topic, cluster.Transport)
	policy, err := readPolicy(*told.redact)
	if err != nil {
		return nil, err
	}
	cfg := pipeline.DefaultConfig(env)
	cfg.Redact = policy
	cfg.Group, cfg.Topic = *told.group, topic
	cfg.Decode.Bytes = *told.batch.maxRecord
	cfg.Assemble.MaxBytes = int64(*told.batch.memory)
	cfg.Assemble.Limits.Messages, cfg.Assemble.Limits.Text = *told.batch.messages, *told.batch.text
	if err := cfg.Assemble.Validate(); err != nil {
		return nil, settings.Usagef("ingest run: -memory, -max-messages or -max-text: %v", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if n := *told.batch.nesting; n < minNesting || n > record.MaxDepth {
		return nil, settings.Usagef("ingest run: -max-nesting %d: give a number from %d to %d", n, minNesting, record.MaxDepth)
	}
	cfg.Decode.Depth = *told.batch.nesting
	debug.SetMemoryLimit(int64(*told.batch.memory) + batchMemory)
	line, err := pipeline.New(cfg, target, rejects, log)
	if err != nil {
		return nil, err
	}
	return &ingest{
		told: told, log: log, store: target, cluster: cluster,
		admin: feed.NewAdmin(brokers, cluster.Transport), rejects: rejects, line: line,
	}, nil
}

// readPolicy reads what is left out. A mistake in the file is a UsageError.
func readPolicy(path string) (redact.Policy, error) {
	text, err := settings.ReadFile("redact", path)
	if err != nil || text == nil {
		return redact.Policy{}, err
	}
	policy, err := redact.Parse(text)
	if err != nil {
		return redact.Policy{}, settings.Usagef("-redact %s: %v", path, err)
	}
	return policy, nil
}

func (in *ingest) close() {
	if err := in.rejects.Close(); err != nil {
		in.log.Warn("close the writer of rejects", "error", err)
	}
	if err := in.store.Close(); err != nil {
		in.log.Warn("close ClickHouse", "error", err)
	}
}

// run makes what is missing and consumes until stopped, or until it has caught up.
func (in *ingest) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	if *in.told.listen != "" {
		group.Go(func() error { return in.serve(ctx, *in.told.listen) })
	}
	group.Go(func() error {
		defer stop()
		if err := in.prepare(ctx); err != nil {
			return err
		}
		in.prepared.Store(true)
		return in.consume(ctx)
	})
	return group.Wait()
}

// prepare waits for ClickHouse and Kafka and creates tables and topic where they are missing.
func (in *ingest) prepare(ctx context.Context) error {
	if *in.told.migrate {
		options, err := in.told.clickhouse.Options()
		if err != nil {
			return err
		}
		cfg := migrations.Config{Options: options, Cluster: in.told.clickhouse.Cluster()}
		err = in.line.Wait(ctx, "bring the tables up to date", func(ctx context.Context) error {
			applied, err := migrations.Apply(ctx, cfg)
			if applied > 0 {
				in.log.Info("migrations applied", "count", applied)
			}
			if err != nil {
				return err
			}
			return migrations.Retain(ctx, cfg, in.told.keep.retention())
		})
		if err != nil {
			return err
		}
	}
	return in.line.Wait(ctx, "find or create the topic", func(ctx context.Context) error {
		return in.admin.CreateTopic(ctx, in.told.kafka.Topic(), *in.told.partitions)
	})
}

func (in *ingest) consume(ctx context.Context) error {
	cfg := feed.DefaultConfig()
	cfg.Brokers, cfg.Topic, cfg.Group = in.told.kafka.Brokers(), in.told.kafka.Topic(), *in.told.group
	cfg.Dialer, cfg.Trouble, cfg.Prepare = in.cluster.Dialer, in.line.Report, in.line.Prepare
	cfg.MaxRecords, cfg.MaxBytes, cfg.MaxWait = *in.told.batch.records, *in.told.batch.bytes, *in.told.batch.wait
	cfg.MaxRecord, cfg.SessionTimeout = *in.told.batch.maxRecord, *in.told.session
	source := feed.New(cfg, in.log)
	if !*in.told.caughtUp {
		return source.Run(ctx, in.line)
	}
	var ends map[int]int64
	err := in.line.Wait(ctx, "ask for the ends of the topic", func(ctx context.Context) (err error) {
		ends, err = in.admin.Ends(ctx, in.told.kafka.Topic())
		return err
	})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return source.Run(ctx, in.line) })
	group.Go(func() error {
		defer stop()
		return in.awaitCaughtUp(ctx, ends)
	})
	return group.Wait()
}
