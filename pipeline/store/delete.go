package store

import (
	"context"
	"fmt"
	"math"

	"github.com/ClickHouse/clickhouse-go/v2"

	"errata/transcript"
)

// Bury marks a run as deleted, for good: its row of facts gets a version that none can exceed, so that neither an
// ingester that is writing now nor a record that comes later brings it back.
func (s *Store) Bury(ctx context.Context, run transcript.RunID) error {
	batch, err := s.conn.PrepareBatch(ctx, "INSERT INTO runs (run_id, version, is_deleted)")
	if err != nil {
		return fmt.Errorf("prepare the deletion of run %s: %w", run, err)
	}
	defer batch.Abort()
	if err := batch.Append(string(run), uint64(math.MaxUint64), uint8(1)); err != nil {
		return fmt.Errorf("append the deletion of run %s: %w", run, err)
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("mark run %s as deleted: %w", run, err)
	}
	return nil
}

// Erase removes what was said in a run, its older rows of facts, and samples of its rejects. On a cluster it does so on
// every shard. It returns once nothing of it can be read.
func (s *Store) Erase(ctx context.Context, run transcript.RunID, cluster string) error {
	for table, condition := range map[string]string{
		"transcripts": "run_id = {run:String}", "rejects": "run_id = {run:String}", "runs": "run_id = {run:String} AND is_deleted = 0",
	} {
		statement := "DELETE FROM " + table + " WHERE " + condition
		if cluster != "" {
			statement = fmt.Sprintf("ALTER TABLE %s_local ON CLUSTER %q DELETE WHERE %s", table, cluster, condition)
		}
		ctx := clickhouse.Context(ctx, clickhouse.WithSettings(clickhouse.Settings{"mutations_sync": 2, "lightweight_deletes_sync": 2}))
		if err := s.conn.Exec(ctx, statement, clickhouse.Named("run", string(run))); err != nil {
			return fmt.Errorf("delete run %s from %s: %w", run, table, err)
		}
	}
	return nil
}

// Buried gives which of the runs were deleted.
func (s *Store) Buried(ctx context.Context, runs []transcript.RunID) ([]transcript.RunID, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	ids := make([]string, len(runs))
	for i, run := range runs {
		ids[i] = string(run)
	}
	rows, err := s.conn.Query(ctx, "SELECT DISTINCT run_id FROM runs WHERE run_id IN {ids:Array(String)} AND is_deleted = 1", clickhouse.Named("ids", ids))
	if err != nil {
		return nil, fmt.Errorf("ask which of %d runs were deleted: %w", len(runs), err)
	}
	defer rows.Close()
	var out []transcript.RunID
	for rows.Next() {
		var run string
		if err := rows.Scan(&run); err != nil {
			return nil, fmt.Errorf("ask which runs were deleted: %w", err)
		}
		out = append(out, transcript.RunID(run))
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("ask which of %d runs were deleted: %w", len(runs), err)
	}
	return out, nil
}
