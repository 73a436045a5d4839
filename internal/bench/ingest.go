package main

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/segmentio/kafka-go"

	"errata/internal/simulate"
	"errata/pipeline/feed"
)

const partitions = 4

// load is what was put on a topic.
type load struct {
	topic          string
	records, calls int
	bytes          int64
}

// ingest measures records on the topic to acknowledged rows, beside what only copies them and what only reads them.
func ingest(ctx context.Context, bin string, runs int) ([]row, error) {
	s, err := startStack(ctx, bin, "")
	if err != nil {
		return nil, err
	}
	defer s.stop()
	cfg := simulate.DefaultLoad()
	cfg.Runs = runs
	l, err := publish(ctx, s, "load", cfg)
	if err != nil {
		return nil, err
	}
	discard, err := s.discard(ctx, l)
	if err != nil {
		return nil, err
	}
	engine, err := s.copyWithEngine(ctx, l)
	if err != nil {
		return nil, err
	}
	before := s.cpu()
	took, err := s.program(ctx, "ingest", "run", "-until-caught-up", "-kafka-topic", l.topic, "-kafka-group", "errata-bench")
	if err != nil {
		return nil, err
	}
	engineCPU := s.cpu() - before
	perSecond := func(d time.Duration) float64 { return float64(l.calls) / d.Seconds() }
	rate := func(d time.Duration) string {
		return fmt.Sprintf("%.0f calls/s, %.1f MB/s, %.1f s", perSecond(d), float64(l.bytes)/1e6/d.Seconds(), d.Seconds())
	}
	callsPerSecond, micros := perSecond(took.wall), took.cpu.Seconds()/float64(l.calls)*1e6
	rows := []row{
		{what: "records", figure: fmt.Sprint(l.records), raw: fmt.Sprintf("%.0f bytes each", float64(l.bytes)/float64(l.records))},
		{what: "kafka-go that discards", figure: rate(discard), ratio: fmt.Sprintf("%.2f", callsPerSecond/perSecond(discard))},
		{what: "Kafka engine that copies", figure: rate(engine), ratio: fmt.Sprintf("%.2f", callsPerSecond/perSecond(engine)),
			missed: bound(callsPerSecond < perSecond(engine), "as many calls/s as it copies rows")},
		{what: "errata ingest", figure: rate(took.wall), ratio: "1", raw: fmt.Sprintf("%.1f CPU s per million calls in ingest, %.1f in the engines",
			micros, engineCPU.Seconds()/float64(l.calls)*1e6), missed: bound(callsPerSecond < 26_000, "26,000 calls/s")},
		{what: "peak memory of ingest", figure: fmt.Sprintf("%d MiB", took.peak>>20), missed: bound(took.peak > 512<<20, "512 MiB")},
	}
	disk, err := s.disk(ctx, l, took.wall)
	return append(rows, disk...), err
}

// publish puts a simulated load on a topic.
func publish(ctx context.Context, s *stack, topic string, cfg simulate.LoadConfig) (load, error) {
	l := load{topic: topic, calls: cfg.Runs * cfg.CallsPerRun}
	err := s.publishAll(ctx, &l, func(yield func(simulate.Record, error) bool) {
		for r := range simulate.Load(cfg) {
			if !yield(r, nil) {
				return
			}
		}
	})
	return l, err
}

// publishAll makes the topic of a load and puts records on it.
func (s *stack) publishAll(ctx context.Context, l *load, records iter.Seq2[simulate.Record, error]) error {
	if err := feed.NewAdmin([]string{s.broker}, nil).CreateTopic(ctx, l.topic, partitions); err != nil {
		return err
	}
	w := &kafka.Writer{Addr: kafka.TCP(s.broker), Topic: l.topic, Balancer: &kafka.Hash{}, BatchSize: 2000,
		BatchBytes: 900 << 10, BatchTimeout: 5 * time.Millisecond, RequiredAcks: kafka.RequireAll}
	defer w.Close()
	var chunk []kafka.Message
	flush := func() error {
		if err := w.WriteMessages(ctx, chunk...); err != nil {
			return fmt.Errorf("publish the load: %w", err)
		}
		chunk = chunk[:0]
		return nil
	}
	for r, err := range records {
		if err != nil {
			return err
		}
		chunk = append(chunk, kafka.Message{Key: []byte(r.Key), Value: r.Value, Time: r.Time})
		l.records++
		l.bytes += int64(len(r.Value))
		if len(chunk) == 20_000 {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// discard reads the topic with a bare kafka-go consumer group and throws everything away: the limit.
func (s *stack) discard(ctx context.Context, l load) (time.Duration, error) {
	r := kafka.NewReader(kafka.ReaderConfig{Brokers: []string{s.broker}, Topic: l.topic, GroupID: "discard",
		MinBytes: 1, MaxBytes: 16 << 20, QueueCapacity: 2000, StartOffset: kafka.FirstOffset})
	defer r.Close()
	began := time.Now()
	for range l.records {
		if _, err := r.FetchMessage(ctx); err != nil {
			return 0, fmt.Errorf("read the load: %w", err)
		}
	}
	return time.Since(began), nil
}

// copyWithEngine lets ClickHouse's own Kafka engine copy the JSON fields of every record into a table.
func (s *stack) copyWithEngine(ctx context.Context, l load) (time.Duration, error) {
	conn, err := s.conn("default")
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	began := time.Now()
	for _, statement := range []string{
		`CREATE TABLE copied (schema String, run_id String, thread_id String, agent String, model String, variant String, first_message Int64, messages String, ended Bool) ENGINE = MergeTree ORDER BY run_id`,
		`CREATE TABLE queue (schema String, run_id String, thread_id String, agent String, model String, variant String, first_message Int64, messages String, ended Bool) ENGINE = Kafka
		 SETTINGS kafka_broker_list = '` + s.broker + `', kafka_topic_list = '` + l.topic + `', kafka_group_name = 'engine', kafka_format = 'JSONEachRow',
		 kafka_num_consumers = 2, kafka_thread_per_consumer = 1, kafka_max_block_size = 65536, kafka_poll_max_batch_size = 65536, kafka_flush_interval_ms = 1000, input_format_json_read_objects_as_strings = 1, input_format_json_read_arrays_as_strings = 1, input_format_skip_unknown_fields = 1`,
		`CREATE MATERIALIZED VIEW copy TO copied AS SELECT * FROM queue`,
	} {
		if err := conn.Exec(ctx, statement); err != nil {
			return 0, fmt.Errorf("set the Kafka engine up: %w", err)
		}
	}
	for {
		var n uint64
		if err := conn.QueryRow(ctx, `SELECT count() FROM copied`).Scan(&n); err != nil {
			return 0, fmt.Errorf("count what the Kafka engine copied: %w", err)
		}
		if n >= uint64(l.records) {
			took := time.Since(began)
			for _, table := range []string{"copy", "queue", "copied"} {
				if err := conn.Exec(ctx, "DROP TABLE "+table+" SYNC"); err != nil {
					return 0, fmt.Errorf("drop %s: %w", table, err)
				}
			}
			return took, nil
		}
		if time.Since(began) > 5*time.Minute {
			return 0, fmt.Errorf("the Kafka engine copied %d of %d records in 5 minutes", n, l.records)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
