package main

import (
	"context"
	"fmt"
	"time"
)

// bound is the name of a bound where it is missed, else "".
func bound(missed bool, name string) string {
	if !missed {
		return ""
	}
	return name
}

// disk measures what is stored of a call once everything is merged, and how many parts were made of it.
func (s *stack) disk(ctx context.Context, l load, took time.Duration) ([]row, error) {
	conn, err := s.conn("errata")
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	var rows []row
	for _, t := range []struct {
		table string
		most  float64 // bytes a call; 0: no bound is stated
	}{{"runs", 40}, {"transcripts", 0}} {
		if err := conn.Exec(ctx, "OPTIMIZE TABLE "+t.table+" FINAL"); err != nil {
			return nil, fmt.Errorf("merge %s: %w", t.table, err)
		}
		var bytes uint64
		var inserted int64
		err := conn.QueryRow(ctx, `SELECT sum(bytes_on_disk), max(max_block_number) FROM system.parts
			WHERE database = 'errata' AND active AND table = '`+t.table+`'`).Scan(&bytes, &inserted)
		if err != nil {
			return nil, fmt.Errorf("ask for the parts of %s: %w", t.table, err)
		}
		each := float64(bytes) / float64(l.calls)
		rows = append(rows, row{what: "on disk: " + t.table, figure: fmt.Sprintf("%.1f bytes a call", each),
			raw:    fmt.Sprintf("%d parts inserted, %.0f a minute", inserted, float64(inserted)/took.Minutes()),
			missed: bound(t.most > 0 && each > t.most, fmt.Sprintf("%.0f bytes a call", t.most))})
	}
	return rows, nil
}
