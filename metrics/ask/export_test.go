package ask

import (
	"context"
	"time"

	"errata/metrics"
)

// Settled settles labels and endings in Go, as the view of one run does.
func Settled(s Settings, asOf time.Time, facts metrics.Facts) (labels []metrics.Label, endings []metrics.Ending, reasons []metrics.Reason) {
	settle := settlement{s, asOf, facts.Run}
	for i := range facts.Calls {
		if facts.Calls[i].Outcome == metrics.OutcomeError {
			labels = append(labels, settle.label(&facts.Calls[i]))
		}
	}
	for i := range facts.Episodes {
		ending, reason := settle.ending(&facts.Episodes[i])
		endings, reasons = append(endings, ending), append(reasons, reason)
	}
	return labels, endings, reasons
}

// Anew is the DB without cells.
func (db *DB) Anew() *DB {
	return &DB{conn: db.conn, settings: db.settings, anew: true}
}

// Celled says how many stretches of a question come from cells and how many are read anew.
func (db *DB) Celled(ctx context.Context, name string, f Filters) (cells, raw int, err error) {
	rolled, err := db.readRolled(ctx)
	if _, ok := db.dimensions(name, f); !ok || err != nil {
		return 0, 0, err
	}
	p := rolled.plan(f, db.settings.IdleLimit)
	return len(p.cells), len(p.raw), nil
}

// CellsOf gives the combinations of dimensions that a question has cells of.
func CellsOf(name string) []string { return combining[name] }

// Keep makes the DB keep few cells, so that a roll is short.
func (db *DB) Keep(few map[string][]string) { db.few = few }
