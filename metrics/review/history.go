package review

import (
	"context"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Past is a decision with what it replaced.
type Past struct {
	Decision
	// Before is the state that the decision replaced, StateNew where it is the first.
	Before string
	// Newest says that nobody has decided about the candidate since, so that going back to Before undoes it.
	Newest bool
}

// History lists the last decisions that were taken here, newest first.
func (r *Reviews) History(ctx context.Context, limit int) ([]Past, error) {
	var rows []struct {
		Level     string    `ch:"level"`
		Tool      string    `ch:"tool"`
		Field     string    `ch:"field"`
		Rejected  string    `ch:"rejected"`
		Accepted  string    `ch:"accepted"`
		State     string    `ch:"state"`
		Note      string    `ch:"note"`
		Author    string    `ch:"author"`
		DecidedAt time.Time `ch:"decided_at"`
		Before    string    `ch:"before"`
		Newest    bool      `ch:"newest"`
	}
	p := clickhouse.Parameters{"imported": ImportedNote, "limit": strconv.Itoa(limit)}
	if err := r.read(ctx, "history.sql", p, &rows); err != nil {
		return nil, err
	}
	past := make([]Past, len(rows))
	for i, row := range rows {
		past[i] = Past{
			Decision: Decision{
				Entry: Entry{row.Level, row.Tool, row.Field, row.Rejected, row.Accepted},
				State: row.State, Note: row.Note, Author: row.Author, DecidedAt: row.DecidedAt.UTC(),
			},
			Before: row.Before, Newest: row.Newest,
		}
	}
	return past, nil
}
