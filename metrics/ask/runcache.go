package ask

import (
	"context"
	"slices"
	"sync"
	"time"

	"errata/metrics"
	"errata/transcript"
)

// runPrint tells whether a stored run is still the one that was read.
type runPrint struct {
	Stored   int64     `ch:"stored"`
	Newest   uint64    `ch:"newest"`
	Versions uint64    `ch:"versions"`
	StoredAt time.Time `ch:"stored_at"`
}

// minedRun is a run that was read and mined.
type minedRun struct {
	id    string
	print runPrint
	run   transcript.Run
	facts metrics.Facts
	size  int
}

// minedRuns keeps the runs that were looked at last: whoever reads a long run page by page would otherwise wait for all of it
// to be mined anew at every page. What is kept is read only.
type minedRuns struct {
	mu   sync.Mutex
	kept []minedRun // the last used first
}

// Bounds of what is kept.
const (
	mostKept      = 8
	mostKeptBytes = 64 << 20 // of stored messages
)

// find gives a run that is kept and still the one that is stored.
func (m *minedRuns) find(id string, p runPrint) (minedRun, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := slices.IndexFunc(m.kept, func(r minedRun) bool { return r.id == id })
	if at < 0 {
		return minedRun{}, false
	}
	found := m.kept[at]
	m.kept = slices.Delete(m.kept, at, at+1)
	if found.print != p {
		return minedRun{}, false
	}
	m.kept = slices.Insert(m.kept, 0, found)
	return found, true
}

// keep keeps a run and lets go of those that were not looked at for longest.
func (m *minedRuns) keep(r minedRun) {
	if r.size > mostKeptBytes {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept = slices.DeleteFunc(m.kept, func(k minedRun) bool { return k.id == r.id })
	m.kept = slices.Insert(m.kept, 0, r)
	sum := 0
	for i, k := range m.kept {
		if sum += k.size; i == mostKept || sum > mostKeptBytes {
			clear(m.kept[i:])
			m.kept = m.kept[:i]
			return
		}
	}
}

// printOf asks for the print of a run.
func (db *DB) printOf(ctx context.Context, p parameters) (runPrint, Query, error) {
	rows, q, err := read[runPrint](ctx, db, "run_print.sql", p)
	if err != nil || len(rows) != 1 {
		return runPrint{}, q, err
	}
	rows[0].StoredAt = rows[0].StoredAt.UTC()
	return rows[0], q, nil
}
