package store

import (
	"context"
	"fmt"
	"time"
	"unsafe"

	"github.com/ClickHouse/clickhouse-go/v2"
	chcolumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"

	"errata/transcript"
)

// WriteTranscripts stores what is known of runs.
func (s *Store) WriteTranscripts(ctx context.Context, rows []transcript.Row) error {
	if len(rows) == 0 {
		return nil
	}
	batch, err := s.prepare(ctx, "INSERT INTO transcripts (run_id, thread_id, kind, slot, version, position, content, arrived)")
	if err != nil {
		return fmt.Errorf("prepare %d transcript rows: %w", len(rows), err)
	}
	defer batch.Abort()
	if err := reserve(batch.Columns()[contentColumn], rows); err != nil {
		return fmt.Errorf("make room for %d transcript rows: %w", len(rows), err)
	}
	for i, values := range transcriptColumns(rows) {
		if err := batch.Column(i).Append(values); err != nil {
			return fmt.Errorf("append %d transcript rows: %w", len(rows), err)
		}
	}
	if err := batch.Send(); err != nil {
		s.forget()
		return fmt.Errorf("insert %d transcript rows: %w", len(rows), err)
	}
	return nil
}

// contentColumn is the place of the column content in an insert.
const contentColumn = 6

// reserve makes room for all contents at once. The column would grow by a quarter whenever it is full, which copies and
// leaves to the collector five times what it holds in the end.
func reserve(content chcolumn.Interface, rows []transcript.Row) error {
	size := 0
	for i := range rows {
		size += len(rows[i].Content)
	}
	if err := content.AppendRow(make([]byte, size)); err != nil {
		return err
	}
	content.Reset()
	return nil
}

// transcriptColumns gives the columns of an insert into transcripts. Whole columns cost the client a third of single rows.
func transcriptColumns(rows []transcript.Row) []any {
	n := len(rows)
	runs, threads, kinds, slots, contents := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	versions, positions, arrived := make([]uint64, n), make([]int32, n), make([]time.Time, n)
	for i := range rows {
		r := &rows[i]
		runs[i], threads[i], kinds[i], slots[i] = string(r.Run), string(r.Thread), string(r.Kind), r.Slot
		versions[i], positions[i], arrived[i] = r.Version, int32(r.Position), r.Arrived
		contents[i] = unsafe.String(unsafe.SliceData(r.Content), len(r.Content)) // nobody writes to it, and the batch copies it
	}
	return []any{runs, threads, kinds, slots, versions, positions, contents, arrived}
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
