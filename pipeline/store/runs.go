package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	chcolumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"

	"errata/metrics"
)

// column is one column of the table runs, with the value that a run has in it.
type column struct {
	name  string
	value func(*Run) any
}

// runColumns is every column of the table runs, by the families that migrations/0002_runs.sql and later ones declare.
func runColumns() []column {
	var all []column
	for _, group := range [][]column{
		headColumns, callColumns, errorColumns, episodeColumns, chargeColumns,
		patternColumns, pairColumns, acceptedColumns, findingColumns, shadowColumns,
	} {
		all = append(all, group...)
	}
	return all
}

// WriteRuns stores the facts of runs. Their transcripts must be stored before.
func (s *Store) WriteRuns(ctx context.Context, runs []Run) error {
	if len(runs) == 0 {
		return nil
	}
	columns := runColumns()
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = "`" + c.name + "`"
	}
	batch, err := s.prepare(ctx, "INSERT INTO runs ("+strings.Join(names, ", ")+")")
	if err != nil {
		return fmt.Errorf("prepare %d runs: %w", len(runs), err)
	}
	defer batch.Abort()
	values := make([]any, len(columns))
	for i := range runs {
		for j, c := range columns {
			values[j] = c.value(&runs[i])
		}
		runs[i].errored = nil
		if err := batch.Append(values...); err != nil {
			return fmt.Errorf("append run %s: %w", runs[i].Facts.Run.Meta.ID, err)
		}
	}
	if err := batch.Send(); err != nil {
		s.forget()
		return fmt.Errorf("insert %d runs: %w", len(runs), err)
	}
	return nil
}

var headColumns = []column{
	{"run_id", func(r *Run) any { return string(r.Facts.Run.Meta.ID) }},
	{"version", func(r *Run) any { return r.Version }},
	{"rules", func(r *Run) any { return r.Rules }},
	{"format", func(r *Run) any { return r.Facts.Run.Meta.Format }},
	{"agent", func(r *Run) any { return r.Facts.Run.Meta.Agent }},
	{"agent_version", func(r *Run) any { return r.Facts.Run.Meta.AgentVersion }},
	{"provider", func(r *Run) any { return r.Facts.Run.Meta.Provider }},
	{"model", func(r *Run) any { return r.Facts.Run.Meta.Model }},
	{"variant", func(r *Run) any { return string(r.Facts.Run.Meta.Variant) }},
	{"attributes", func(r *Run) any { return attributes(r.Facts.Run.Meta.Attributes) }},
	{"started_at", func(r *Run) any { return storable(r.Facts.Run.Started) }},
	{"last_activity", func(r *Run) any { return storable(r.Facts.Run.LastActivity) }},
	{"timed", func(r *Run) any { return r.Facts.Run.Timed }},
	{"ended", func(r *Run) any { return r.Facts.Run.Meta.Ended }},
	{"end_reason", func(r *Run) any { return string(r.Facts.Run.Meta.EndReason) }},
	{"task_success", func(r *Run) any { return r.Facts.Run.Meta.TaskSuccess }},
	{"messages", func(r *Run) any { return uint32(r.Messages) }},
	{"turns", func(r *Run) any { return uint32(r.Facts.Run.Turns) }},
	{"input_tokens", func(r *Run) any { return count(r.Facts.Run.Usage.Input) }},
	{"cache_read_tokens", func(r *Run) any { return count(r.Facts.Run.Usage.CacheRead) }},
	{"cache_write_tokens", func(r *Run) any { return count(r.Facts.Run.Usage.CacheWrite) }},
	{"output_tokens", func(r *Run) any { return count(r.Facts.Run.Usage.Output) }},
	{"estimated_tokens", func(r *Run) any { return count(r.Facts.Run.Estimated) }},
	{"nano_usd", func(r *Run) any { return r.Facts.Run.Money }},
	{"unpriced", func(r *Run) any { return each(r.Facts.Run.Unpriced, func(m string) string { return m }) }},
	{"leaked_calls", func(r *Run) any { return uint32(r.Facts.LeakedCalls) }},
}

// each maps facts to a column's array. An empty array is never nil, which a batch would refuse.
func each[F, V any](facts []F, value func(F) V) []V {
	out := make([]V, len(facts))
	for i, f := range facts {
		out[i] = value(f)
	}
	return out
}

func calls(r *Run) []metrics.CallFact { return r.Facts.Calls }

// errored gives the errored calls, in order. They are asked for by many columns.
func errored(r *Run) []metrics.CallFact {
	if r.errored == nil {
		for i := range r.Facts.Calls {
			if r.Facts.Calls[i].Outcome == metrics.OutcomeError {
				r.errored = append(r.errored, r.Facts.Calls[i])
			}
		}
	}
	return r.errored
}

// attributes gives the column's value in order of the names: the same run must give the same row to the byte.
func attributes(given map[string]string) *sorted {
	return &sorted{names: slices.Sorted(maps.Keys(given)), values: given, at: -1}
}

// sorted is a map that the client writes in the order of its keys.
type sorted struct {
	names  []string
	values map[string]string
	at     int
}

// Put is for reading, which is not done.
func (s *sorted) Put(any, any) {}

// Iterator goes through the map from its beginning.
func (s *sorted) Iterator() chcolumn.MapIterator { return &sorted{s.names, s.values, -1} }

// Next, Key and Value give one pair after the other.
func (s *sorted) Next() bool { s.at++; return s.at < len(s.names) }

// Key is the current name.
func (s *sorted) Key() any { return s.names[s.at] }

// Value is the current value.
func (s *sorted) Value() any { return s.values[s.names[s.at]] }

// count keeps what a hostile log may claim as usage out of the negative.
func count(n int64) uint64 { return uint64(max(n, 0)) }

// The times that a DateTime64(3) column holds. ClickHouse itself bends what lies outside.
var (
	earliest = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2299, 12, 31, 23, 59, 59, 0, time.UTC)
)

// storable bends a time into what a column holds: a hostile log must not make a batch fail. Unknown is the epoch.
func storable(t time.Time) time.Time {
	switch {
	case t.IsZero():
		return time.UnixMilli(0).UTC()
	case t.Before(earliest):
		return earliest
	case t.After(latest):
		return latest
	}
	return t
}

// RunColumnNames lists the columns of the table runs that are written.
func RunColumnNames() []string {
	var names []string
	for _, c := range runColumns() {
		names = append(names, c.name)
	}
	return names
}
