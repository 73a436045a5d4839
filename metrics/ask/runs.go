package ask

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// RunRow is one run of a list, as a whole: nothing in it is filtered.
type RunRow struct {
	RunID        string    `json:"run_id"`
	Agent        *string   `json:"agent"`
	Model        *string   `json:"model"`
	Variant      *string   `json:"variant"`
	StartedAt    time.Time `json:"started_at"`
	LastActivity time.Time `json:"last_activity"`
	Ended        bool      `json:"ended"`
	Turns        int64     `json:"turns"`
	Calls        int64     `json:"calls"`
	Errored      int64     `json:"errored"`
	Loops        int64     `json:"loops"`
	Episodes     int64     `json:"episodes"`
	Abandoned    int64     `json:"abandoned"`
	Tokens       int64     `json:"tokens"`
	USD          *float64  `json:"usd"`
	EndReason    *string   `json:"end_reason"`
	Codes        []string  `json:"codes"`
}

// RunFilters say which runs are listed, in which order and how many. They cannot be grouped.
type RunFilters struct {
	Filters
	Label       []string // an errored call with one of these labels
	Ending      []string // an episode with one of these endings
	AttemptsMin int      // an episode with at least so many attempts
	Evidence
	Sort   string // out of Sorts, "-" before it for falling; "": -started_at
	Limit  int    // 0: DefaultLimit
	Cursor string // NextCursor of the answer before
}

// Limits of a list.
const (
	DefaultLimit = 50
	MaxLimit     = 1000
)

// Sorts lists what runs can be sorted by.
func Sorts() []string {
	return []string{"started_at", "run_id", "turns", "calls", "errored", "loops", "episodes", "abandoned", "tokens", "usd"}
}

const newestFirst = "-started_at"

// cursor is the place in a list after which it goes on.
type cursor struct {
	Sort string `json:"s"`
	Key  int64  `json:"k"`
	Run  string `json:"r"`
}

func (c cursor) encode() (string, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(text), nil
}

// runsRow is a row of runs.sql.
type runsRow struct {
	RunID        string    `ch:"run_id"`
	Agent        string    `ch:"agent"`
	Model        string    `ch:"model"`
	Variant      string    `ch:"variant"`
	StartedAt    time.Time `ch:"started_at"`
	LastActivity time.Time `ch:"last_activity"`
	Ended        bool      `ch:"ended"`
	Turns        int64     `ch:"turns"`
	Calls        int64     `ch:"calls"`
	Errored      int64     `ch:"errored"`
	Loops        int64     `ch:"loops"`
	Episodes     int64     `ch:"episodes"`
	Abandoned    int64     `ch:"abandoned"`
	Tokens       int64     `ch:"tokens"`
	NanoUSD      int64     `ch:"nano_usd"`
	LacksPrice   bool      `ch:"lacks_price"`
	EndReason    string    `ch:"end_reason"`
	Codes        []string  `ch:"codes"`
	SortKey      int64     `ch:"sort_key"`
}

// Runs lists the runs behind a number.
func (db *DB) Runs(ctx context.Context, f RunFilters) (Answer[RunRow], error) {
	f.Sort = orElse(f.Sort, newestFirst)
	if f.Limit == 0 {
		f.Limit = DefaultLimit
	}
	after, err := f.check()
	if err != nil {
		return Answer[RunRow]{}, err
	}
	settled, _, err := db.settled(ctx, f.Filters)
	if err != nil {
		return Answer[RunRow]{}, err
	}
	p := settled.parameters(db.settings)
	f.add(p, after)
	rows, q, err := read[runsRow](ctx, db, "runs.sql", p)
	if err != nil {
		return Answer[RunRow]{}, err
	}
	a := answer[RunRow](settled, q)
	if len(rows) > f.Limit {
		rows = rows[:f.Limit]
		last := rows[f.Limit-1]
		if a.NextCursor, err = (cursor{Sort: f.Sort, Key: last.SortKey, Run: last.RunID}).encode(); err != nil {
			return Answer[RunRow]{}, err
		}
	}
	for _, row := range rows {
		a.Rows = append(a.Rows, row.result())
	}
	return a, nil
}

// add gives the values of the placeholders that runs.sql has of its own. One row more than asked for is read, which tells
// whether the list goes on.
func (f RunFilters) add(p parameters, after cursor) {
	ofErrors := len(f.Code) > 0 || len(f.Label) > 0
	ofEpisodes := len(f.Ending) > 0 || f.AttemptsMin > 0
	ofOthers := f.Evidence.add(p)
	ofCalls := !ofErrors && !ofEpisodes && !ofOthers && len(f.Tool)+len(f.Variant)+len(f.Model) > 0
	p.texts("label", f.Label)
	p.texts("ending", f.Ending)
	p.number("attempts_min", int64(f.AttemptsMin))
	p.truth("of_calls", ofCalls)
	p.truth("of_starts", !ofErrors && !ofEpisodes && !ofOthers && !ofCalls)
	p.text("sort", strings.TrimPrefix(f.Sort, "-"))
	p.truth("descending", strings.HasPrefix(f.Sort, "-"))
	p.truth("paged", f.Cursor != "")
	p.number("cursor_key", after.Key)
	p.text("cursor_run", after.Run)
	p.number("limit", int64(f.Limit)+1)
}

// check finds what is wrong with the filters and reads the cursor.
func (f RunFilters) check() (cursor, error) {
	if len(f.By) > 0 {
		return cursor{}, invalid("by", "a list of runs cannot be grouped; leave out by")
	}
	if err := oneOf("label", f.Label, []string{"user", "repeat", "corrected", "switched", "replied", "ended"}); err != nil {
		return cursor{}, err
	}
	if err := oneOf("ending", f.Ending, []string{"recovered", "recovered_with_user", "abandoned", "open"}); err != nil {
		return cursor{}, err
	}
	if err := f.Evidence.check(); err != nil {
		return cursor{}, err
	}
	if f.AttemptsMin < 0 || f.AttemptsMin > 1<<30 {
		return cursor{}, invalid("attempts_min", "attempts_min is %d; it must be 0 or more", f.AttemptsMin)
	}
	if f.Limit < 1 || f.Limit > MaxLimit {
		return cursor{}, invalid("limit", "limit is %d; it must be 1 to %d", f.Limit, MaxLimit)
	}
	if !slices.Contains(Sorts(), strings.TrimPrefix(f.Sort, "-")) {
		return cursor{}, invalid("sort", "cannot sort by %q; sort is one of %s, with - before it for falling", f.Sort, list(Sorts()))
	}
	if f.Cursor == "" {
		return cursor{}, nil
	}
	var after cursor
	text, err := base64.RawURLEncoding.DecodeString(f.Cursor)
	if err != nil || json.Unmarshal(text, &after) != nil {
		return cursor{}, invalid("cursor", "this cursor did not come from this list; leave it out to begin anew")
	}
	if after.Sort != f.Sort {
		return cursor{}, invalid("cursor", "this cursor belongs to a list sorted by %s; leave it out to begin anew", after.Sort)
	}
	return after, nil
}

func (r runsRow) result() RunRow {
	row := RunRow{
		RunID: r.RunID, Agent: absent(r.Agent), Model: absent(r.Model), Variant: absent(r.Variant),
		StartedAt: r.StartedAt.UTC(), LastActivity: r.LastActivity.UTC(), Ended: r.Ended,
		Turns: r.Turns, Calls: r.Calls, Errored: r.Errored, Loops: r.Loops,
		Episodes: r.Episodes, Abandoned: r.Abandoned, Tokens: r.Tokens,
		EndReason: absent(r.EndReason), Codes: some(r.Codes),
	}
	if r.NanoUSD != 0 || !r.LacksPrice {
		usd := float64(r.NanoUSD) / 1e9
		row.USD = &usd
	}
	return row
}

// absent is nil for a text that is not there.
func absent(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
