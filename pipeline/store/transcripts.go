package store

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"

	"errata/transcript"
)

// WriteTranscripts stores what is known of runs.
func (s *Store) WriteTranscripts(ctx context.Context, rows []transcript.Row) error {
	if len(rows) == 0 {
		return nil
	}
	batch, err := s.conn.PrepareBatch(ctx, "INSERT INTO transcripts (run_id, thread_id, kind, slot, version, position, content, arrived)")
	if err != nil {
		return fmt.Errorf("prepare %d transcript rows: %w", len(rows), err)
	}
	defer batch.Abort()
	for _, r := range rows {
		err := batch.Append(string(r.Run), string(r.Thread), string(r.Kind), r.Slot, r.Version, int32(r.Position), string(r.Content), r.Arrived)
		if err != nil {
			return fmt.Errorf("append a transcript row of run %s: %w", r.Run, err)
		}
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("insert %d transcript rows: %w", len(rows), err)
	}
	return nil
}

// Load reads back everything that is known of the given runs. Runs that are not known are left out.
func (s *Store) Load(ctx context.Context, runs []transcript.RunID) (map[transcript.RunID][]transcript.Row, error) {
	known := map[transcript.RunID][]transcript.Row{}
	if len(runs) == 0 {
		return known, nil
	}
	ids := make([]string, len(runs))
	for i, run := range runs {
		ids[i] = string(run)
	}
	rows, err := s.conn.Query(ctx, `
		SELECT run_id, thread_id, toString(kind), slot, version, position, content, arrived
		FROM transcripts FINAL
		WHERE run_id IN {ids:Array(String)}`, clickhouse.Named("ids", ids))
	if err != nil {
		return nil, fmt.Errorf("read back %d runs: %w", len(runs), err)
	}
	defer rows.Close()
	for rows.Next() {
		var run, thread, kind, content string
		var position int32
		row := transcript.Row{}
		if err := rows.Scan(&run, &thread, &kind, &row.Slot, &row.Version, &position, &content, &row.Arrived); err != nil {
			return nil, fmt.Errorf("read back a transcript row: %w", err)
		}
		row.Run, row.Thread, row.Kind = transcript.RunID(run), transcript.ThreadID(thread), transcript.RowKind(kind)
		row.Position, row.Content = int(position), []byte(content)
		known[row.Run] = append(known[row.Run], row)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read back %d runs: %w", len(runs), err)
	}
	return known, nil
}

// Versions gives the version that each of the runs has by what is stored of it, the sum over its slots.
func (s *Store) Versions(ctx context.Context, runs []transcript.RunID) (map[transcript.RunID]uint64, error) {
	ids := make([]string, len(runs))
	for i, run := range runs {
		ids[i] = string(run)
	}
	rows, err := s.conn.Query(ctx, `
		SELECT run_id, sum(version)
		FROM transcripts FINAL
		WHERE run_id IN {ids:Array(String)}
		GROUP BY run_id`, clickhouse.Named("ids", ids))
	if err != nil {
		return nil, fmt.Errorf("read the versions of %d runs: %w", len(runs), err)
	}
	defer rows.Close()
	versions := map[transcript.RunID]uint64{}
	for rows.Next() {
		var run string
		var version uint64
		if err := rows.Scan(&run, &version); err != nil {
			return nil, fmt.Errorf("read the version of a run: %w", err)
		}
		versions[transcript.RunID(run)] = version
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the versions of %d runs: %w", len(runs), err)
	}
	return versions, nil
}
