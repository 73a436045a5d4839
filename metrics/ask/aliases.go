package ask

import (
	"context"
	"slices"
	"time"

	"errata/metrics"
	"errata/metrics/review"
	"errata/metrics/stats"
	"errata/transcript"
)

// Alias is a wrong name that agents guess, with the right one that followed. Where every rejection of a field is one of
// case, its pairs are one candidate: Folded says how many they are, and Rejected and Accepted are
// review.AnyCase.
type Alias struct {
	Level    string `json:"level"`
	Tool     string `json:"tool"`
	Field    string `json:"field"`
	Rejected string `json:"rejected"` // a canonical JSON scalar at the level of values, else a name
	Accepted string `json:"accepted"`
	Kind     string `json:"kind"`
	Inferred bool   `json:"inferred"` // no error named the field
	Folded   int64  `json:"folded"`
	Episodes int64  `json:"episodes"`
	Runs     int64  `json:"runs"`
	Rivals   int64  `json:"rivals"` // other names that were accepted for the same rejected one

	// Agreeing of Voters runs ended their first episode with the rejected name on this accepted one.
	Agreeing     int64    `json:"agreeing"`
	Voters       int64    `json:"voters"`
	AgreementLow *float64 `json:"agreement_low"`

	FirstSeen   time.Time `json:"first_seen"`
	LastSeen    time.Time `json:"last_seen"`
	ExampleRuns []string  `json:"example_runs"` // the newest, at most five

	State     string     `json:"state"`
	Note      string     `json:"note"`
	Author    string     `json:"author"`
	DecidedAt *time.Time `json:"decided_at"`
}

// AliasFilters say which candidates are listed. They cannot be grouped.
type AliasFilters struct {
	Filters
	MinRuns int // 0: as the rules say
	Kind    []string
	Level   []string
	State   []string // none: all but what an imported table covers
}

// aliasRow is a row of aliases.sql.
type aliasRow struct {
	Level          string    `ch:"level"`
	Tool           string    `ch:"tool"`
	Field          string    `ch:"field"`
	Rejected       string    `ch:"rejected"`
	Accepted       string    `ch:"accepted"`
	Kind           string    `ch:"kind"`
	Inferred       bool      `ch:"inferred"`
	Folded         int64     `ch:"folded"`
	Episodes       int64     `ch:"episodes"`
	Runs           int64     `ch:"runs"`
	Rivals         int64     `ch:"rivals"`
	Agreeing       int64     `ch:"agreeing"`
	Voters         int64     `ch:"voters"`
	FirstSeen      time.Time `ch:"first_seen"`
	LastSeen       time.Time `ch:"last_seen"`
	ExampleRuns    []string  `ch:"example_runs"`
	State          string    `ch:"state"`
	Note           string    `ch:"note"`
	Author         string    `ch:"author"`
	DecidedAt      time.Time `ch:"decided_at"`
	AcceptedCalls  int64     `ch:"accepted_calls"`
	AcceptedValues int64     `ch:"accepted_values"`
}

// Aliases asks which wrong names agents guess again and again. What the guards of section 7 hold back is not in it.
func (db *DB) Aliases(ctx context.Context, f AliasFilters) (Answer[Alias], error) {
	if err := f.check(); err != nil {
		return Answer[Alias]{}, err
	}
	settled, _, err := db.settled(ctx, f.Filters)
	if err != nil {
		return Answer[Alias]{}, err
	}
	p := settled.parameters(db.settings)
	least := f.MinRuns
	if least == 0 {
		least = max(db.settings.Rules.MinRuns, 1)
	}
	p.number("min_runs", int64(least))
	p.texts("kind", f.Kind)
	p.texts("level", f.Level)
	p.texts("state", f.State)
	p.text("imported", review.ImportedNote)
	rows, q, err := read[aliasRow](ctx, db, "aliases.sql", p)
	if err != nil {
		return Answer[Alias]{}, err
	}
	a := answer[Alias](settled, q)
	for _, row := range rows {
		if !row.guarded(db.settings.Rules) {
			a.Rows = append(a.Rows, row.result())
		}
	}
	return a, nil
}

func (f AliasFilters) check() error {
	if len(f.By) > 0 {
		return invalid("by", "alias candidates cannot be grouped; leave out by")
	}
	if f.MinRuns < 0 {
		return invalid("min_runs", "min_runs is %d; it must be at least 1", f.MinRuns)
	}
	for _, list := range []struct {
		name          string
		given, values []string
	}{
		{"kind", f.Kind, []string{"case", "format", "typo", "alias"}},
		{"level", f.Level, []string{"value", "parameter", "tool"}},
		{"state", f.State, []string{review.StateNew, review.StateAccepted, review.StateRejected}},
	} {
		if err := oneOf(list.name, list.given, list.values); err != nil {
			return err
		}
	}
	return nil
}

// Bounds from which a field's accepted values are open-ended, by section 7.
const (
	leastAcceptedCalls = 10
	openEndedShare     = 2 // more distinct values than this part of the calls: half of them
)

// guarded says whether a candidate is held back.
func (r aliasRow) guarded(rules *metrics.Rules) bool {
	if r.Level != string(metrics.LevelValue) {
		return false
	}
	if metrics.LooksSensitive(r.Rejected) || metrics.LooksSensitive(r.Accepted) {
		return true
	}
	if open, ok := rules.Tools[transcript.Tool(r.Tool)].OpenEnded[r.Field]; ok {
		return open
	}
	return r.AcceptedCalls >= leastAcceptedCalls && r.AcceptedValues*openEndedShare > r.AcceptedCalls
}

func (r aliasRow) result() Alias {
	a := Alias{
		Level: r.Level, Tool: r.Tool, Field: r.Field, Rejected: r.Rejected, Accepted: r.Accepted,
		Kind: r.Kind, Inferred: r.Inferred, Folded: r.Folded,
		Episodes: r.Episodes, Runs: r.Runs, Rivals: r.Rivals,
		Agreeing: r.Agreeing, Voters: r.Voters,
		AgreementLow: stats.AgreementLow(int(r.Agreeing), int(r.Voters)),
		FirstSeen:    r.FirstSeen.UTC(), LastSeen: r.LastSeen.UTC(), ExampleRuns: r.ExampleRuns,
		State: r.State, Note: r.Note, Author: r.Author,
	}
	if r.DecidedAt.Unix() > 0 {
		at := r.DecidedAt.UTC()
		a.DecidedAt = &at
	}
	return a
}

// oneOf finds a value that is none of those a filter takes.
func oneOf(name string, given, values []string) error {
	for _, v := range given {
		if !slices.Contains(values, v) {
			return invalid(name, "%s cannot be %q; it is one of %s", name, v, list(values))
		}
	}
	return nil
}

// AcceptedAliases is the table of aliases to export: those that were accepted and are held back by no guard over all
// time, and those that came with an imported table.
func (db *DB) AcceptedAliases(ctx context.Context, minRuns int) (review.Table, Query, error) {
	candidates, err := db.Aliases(ctx, AliasFilters{
		Filters: Filters{All: true}, MinRuns: minRuns, State: []string{review.StateAccepted},
	})
	if err != nil {
		return nil, Query{}, err
	}
	shown := make(map[review.Entry]bool, len(candidates.Rows))
	for _, a := range candidates.Rows {
		shown[review.Entry{Level: a.Level, Tool: a.Tool, Field: a.Field, Rejected: a.Rejected, Accepted: a.Accepted}] = true
	}
	decisions, err := review.New(db.conn, db.settings.Now).Accepted(ctx)
	if err != nil {
		return nil, candidates.Query, err
	}
	table := review.Table{}
	for _, d := range decisions {
		if shown[d.Entry] || d.Note == review.ImportedNote {
			table = append(table, d.Entry)
		}
	}
	return table, candidates.Query, nil
}
