package store

import (
	"context"
	"sync"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// shapes keeps the columns that inserts have, by their text: over HTTP the client would ask for them before each.
type shapes struct {
	mu    sync.Mutex
	known map[string][]clickhouse.ColumnNameAndType
}

// prepare begins an insert.
func (s *Store) prepare(ctx context.Context, insert string) (driver.Batch, error) {
	s.shapes.mu.Lock()
	columns := s.shapes.known[insert]
	s.shapes.mu.Unlock()
	if columns != nil {
		return s.conn.PrepareBatch(clickhouse.Context(ctx, clickhouse.WithColumnNamesAndTypes(columns)), insert)
	}
	batch, err := s.conn.PrepareBatch(ctx, insert)
	if err != nil {
		return nil, err
	}
	for _, c := range batch.Columns() {
		columns = append(columns, clickhouse.ColumnNameAndType{Name: c.Name(), Type: string(c.Type())})
	}
	s.shapes.mu.Lock()
	if s.shapes.known == nil {
		s.shapes.known = map[string][]clickhouse.ColumnNameAndType{}
	}
	s.shapes.known[insert] = columns
	s.shapes.mu.Unlock()
	return batch, nil
}

// forget asks for all columns anew: an insert that failed may have failed because a table is another by now.
func (s *Store) forget() {
	s.shapes.mu.Lock()
	defer s.shapes.mu.Unlock()
	s.shapes.known = nil
}
