package ask

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
)

// celled is what a question is about that can be answered from cells, and the values of its placeholders.
type celled struct {
	filters    Filters
	parameters parameters
}

// The dimensions of cells, in the order in which they name them.
var cellDimensions = []string{ByTool, ByCode, ByVariant, ByModel, ByAgent}

// The combinations of dimensions that there are cells of. Pages group by code, tool or variant under one filter.
var (
	single    = []string{"", "tool", "code", "variant", "model", "agent"}
	ofACode   = append([]string{"tool,code", "code,variant", "code,model", "code,agent"}, single...)
	ofALoop   = append([]string{"tool,variant", "tool,model", "tool,agent", "variant,model", "variant,agent"}, ofACode...)
	combining = map[string][]string{
		"loops.sql": ofALoop, "recovery.sql": ofACode, "cost.sql": ofACode, "waste.sql": single,
		"findings.sql": single, "next_actions.sql": ofACode,
		// Kinds of errors have a tool and a code each. What a run was made by and when it was have no dimensions but these.
		"errors.sql": {"", "variant", "model", "agent"}, "simulated.sql": {"", "agent"}, "span.sql": {""},
	}
	apart = map[string][]string{"errors.sql": {ByTool, ByCode}, "simulated.sql": {ByTool, ByCode, ByVariant, ByModel}}
)

// basis tells cells of programs that would compute the same from others.
var basis = digest()

func digest() uint64 {
	h := xxhash.New()
	for _, name := range slices.Sorted(maps.Keys(rollTexts)) {
		_, _ = h.WriteString(rollTexts[name])
	}
	return h.Sum64()
}

// dimensions names the cells that answer a question; ok is false where none do. Within a cell nothing is added up, since
// a run is counted once in each: so several values of a dimension are answered only where they stay apart.
func (db *DB) dimensions(name string, f Filters) (dims string, ok bool) {
	if slices.Contains(f.By, ByHour) || slices.Contains(f.By, ByMinute) || slices.Contains(f.Code, "") {
		return "", false
	}
	var named []string
	for _, dimension := range cellDimensions {
		values, grouped := f.values(dimension), slices.Contains(f.By, dimension)
		if len(values) == 0 && !grouped || slices.Contains(apart[name], dimension) {
			continue
		}
		if len(values) > 1 && !grouped {
			return "", false
		}
		named = append(named, dimension)
	}
	dims = strings.Join(named, ",")
	return dims, slices.Contains(db.combinations()[name], dims)
}

// combinations are those that the DB keeps cells of: all, but in tests that need few.
func (db *DB) combinations() map[string][]string {
	if db.few != nil {
		return db.few
	}
	return combining
}

// values gives the filter of a dimension.
func (f Filters) values(dimension string) []string {
	return map[string][]string{ByTool: f.Tool, ByCode: f.Code, ByVariant: f.Variant, ByModel: f.Model, ByAgent: f.Agent}[dimension]
}

// plan says which stretches are answered from cells and which are read anew.
type plan struct {
	dims  string
	anew  bool // everything is read anew
	rolls bool // cells are computed: runs of more than a day are in none
	raw   []place
	cells []place
}

// place is an hour (level 0) or a day (level 1), by its first hour since 1970, with the roll that is whole.
type place struct {
	level   uint8
	stretch int32
	roll    uint64
}

func readAnew() plan { return plan{anew: true} }

// add gives the values of the placeholders.
func (p plan) add(to parameters) {
	to.truth("unrolled", p.anew)
	to.truth("beyond_days", !p.rolls)
	to.text("dims", p.dims)
	to["raw"] = tuples(p.raw, func(s place) string { return fmt.Sprintf("(%d,%d)", s.level, s.stretch) })
	to["cells"] = tuples(p.cells, func(s place) string { return fmt.Sprintf("(%d,%d,%d)", s.level, s.stretch, s.roll) })
}

func tuples(places []place, write func(place) string) string {
	texts := make([]string, len(places))
	for i, s := range places {
		texts[i] = write(s)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// readCelled is read for a question that is answered from cells where they are whole and from runs where not.
func readCelled[T any](ctx context.Context, db *DB, name string, c celled) ([]T, Query, error) {
	if dims, ok := db.dimensions(name, c.filters); ok && !db.anew {
		rolled, err := db.rolled.get(ctx, db)
		if err != nil {
			return nil, Query{Name: name}, err
		}
		p := rolled.plan(c.filters, max(db.settings.IdleLimit, db.settings.LabelHorizon))
		p.dims = dims
		p.add(c.parameters)
	}
	return read[T](ctx, db, name, c.parameters)
}

// rolledCache keeps for a moment what is known of the stretches, since a page puts many questions at once.
type rolledCache struct {
	mu    sync.Mutex
	known rolled
	at    time.Time
}

func (c *rolledCache) get(ctx context.Context, db *DB) (rolled, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known != nil && time.Since(c.at) < db.settings.Fresh {
		return c.known, nil
	}
	began := time.Now()
	known, err := db.readRolled(ctx)
	if err != nil {
		return nil, err
	}
	c.known, c.at = known, began
	return known, nil
}
