// Package store writes what the pipeline made to ClickHouse: transcripts, facts, rejects and how far ingest has come.
//
// Nothing here depends on being done once. Every row has a key that follows from what it says and a version that grows
// with what is known, so that writing again, writing late and crashing in between end in the same tables.
package store

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"errata/metrics"
	"errata/transcript"
)

// Store is a connection to the tables that package migrations makes. It is safe for concurrent use.
type Store struct {
	conn   driver.Conn
	shapes shapes
}

// Open connects to ClickHouse. The connection is lazy: an unreachable server is an error of the first use.
func Open(options *clickhouse.Options) (*Store, error) {
	settled := *options
	settled.Settings = clickhouse.Settings{
		// A distributed table forwards an insert later unless told to; acknowledged must mean stored.
		"distributed_foreground_insert": 1,
		// A batch has a row only once, so that the engine need not look for others of its key before it writes.
		"optimize_on_insert": 0,
	}
	for name, value := range options.Settings {
		settled.Settings[name] = value
	}
	conn, err := clickhouse.Open(&settled)
	if err != nil {
		return nil, fmt.Errorf("open ClickHouse: %w", err)
	}
	return &Store{conn: conn}, nil
}

// Close ends the connection.
func (s *Store) Close() error { return s.conn.Close() }

// Ping asks whether ClickHouse answers.
func (s *Store) Ping(ctx context.Context) error { return s.conn.Ping(ctx) }

// Run is the facts of one run as they are to be stored.
type Run struct {
	Version  uint64 // grows with what is known of the run
	Rules    string // digest of the rules that it was mined with
	Messages int
	Facts    metrics.Facts

	errored []metrics.CallFact // of Facts.Calls, while the run is written
}

// Write stores transcripts first and facts second: facts can be mined anew from transcripts, not the other way round.
// Once it returns nil everything is acknowledged.
func (s *Store) Write(ctx context.Context, rows []transcript.Row, runs []Run) error {
	if err := s.WriteTranscripts(ctx, rows); err != nil {
		return err
	}
	return s.WriteRuns(ctx, runs)
}

// Reject is a record, or a part of one, that could not be used.
type Reject struct {
	Topic     string
	Partition int
	Offset    int64
	Part      int
	Reason    string
	Message   string
	Run       transcript.RunID
	Format    string
	Sample    []byte // the first KiB
	At        time.Time
}

// WriteRejects notes what could not be used.
func (s *Store) WriteRejects(ctx context.Context, rejects []Reject) error {
	if len(rejects) == 0 {
		return nil
	}
	batch, err := s.conn.PrepareBatch(ctx, "INSERT INTO rejects (topic, partition, offset, part, reason, message, run_id, format, sample, rejected_at)")
	if err != nil {
		return fmt.Errorf("prepare %d rejects: %w", len(rejects), err)
	}
	defer batch.Abort()
	for _, r := range rejects {
		err := batch.Append(r.Topic, int32(r.Partition), r.Offset, int32(r.Part), r.Reason, r.Message, string(r.Run), r.Format, string(r.Sample), r.At)
		if err != nil {
			return fmt.Errorf("append reject at offset %d: %w", r.Offset, err)
		}
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("insert %d rejects: %w", len(rejects), err)
	}
	return nil
}
