package store

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"

	"errata/transcript"
)

// Listed is a run that something is stored of.
type Listed struct {
	Run   transcript.RunID
	Bytes uint64 // of its transcript
}

// List gives the runs after one, by their ids, at most as many as the limit says.
func (s *Store) List(ctx context.Context, after transcript.RunID, limit int) ([]Listed, error) {
	rows, err := s.conn.Query(ctx, `
		SELECT run_id, sum(length(content))
		FROM transcripts
		WHERE run_id > {after:String}
		GROUP BY run_id
		ORDER BY run_id
		LIMIT {limit:UInt32}`, clickhouse.Named("after", string(after)), clickhouse.Named("limit", uint32(limit)))
	if err != nil {
		return nil, fmt.Errorf("list runs after %q: %w", after, err)
	}
	defer rows.Close()
	var list []Listed
	for rows.Next() {
		var id string
		var item Listed
		if err := rows.Scan(&id, &item.Bytes); err != nil {
			return nil, fmt.Errorf("list runs after %q: %w", after, err)
		}
		item.Run = transcript.RunID(id)
		list = append(list, item)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list runs after %q: %w", after, err)
	}
	return list, nil
}

// Count gives the number of runs that something is stored of.
func (s *Store) Count(ctx context.Context) (uint64, error) {
	var n uint64
	if err := s.conn.QueryRow(ctx, "SELECT uniqExact(run_id) FROM transcripts").Scan(&n); err != nil {
		return 0, fmt.Errorf("count runs: %w", err)
	}
	return n, nil
}
