package ask

import (
	"context"
	"strings"
	"time"

	"errata/transcript"
)

// ErrorKind is one kind of error: a code with the template of its messages, of one tool and shape.
type ErrorKind struct {
	Code       string    `json:"code" ch:"code"`
	Template   string    `json:"template" ch:"template"`
	Tool       string    `json:"tool" ch:"tool"`
	Schema     string    `json:"schema" ch:"schema"`
	Count      int64     `json:"count" ch:"count"`
	Runs       int64     `json:"runs" ch:"runs"`
	FirstSeen  time.Time `json:"first_seen" ch:"first_seen"`
	LastSeen   time.Time `json:"last_seen" ch:"last_seen"`
	ExampleRun string    `json:"example_run" ch:"example_run"` // of the newest
	Rules      []string  `json:"rules" ch:"rules"`             // by which they were judged errors
	// Registered is the code of the registry that this kind falls under: its own, or the one that shadowed payloads give
	// most often for its template. Null where there is none, or no registry.
	Registered *string `json:"registered_code"`
}

// ErrorFilters say which kinds of errors are listed. They cannot be grouped further.
type ErrorFilters struct {
	Filters
	Rule []string // names of the rules by which a result was judged an error
}

// mostErrorKinds bounds the inventory: a tool that puts what changes into every message has no end of kinds.
const mostErrorKinds = 10_000

// Errors lists which errors there are, the most frequent first.
func (db *DB) Errors(ctx context.Context, f ErrorFilters) (Answer[ErrorKind], error) {
	if len(f.By) > 0 {
		return Answer[ErrorKind]{}, invalid("by", "the inventory of errors cannot be grouped; leave out by")
	}
	settled, _, err := db.settled(ctx, f.Filters)
	if err != nil {
		return Answer[ErrorKind]{}, err
	}
	p := settled.parameters(db.settings)
	p.texts("rule", f.Rule)
	p.number("limit", mostErrorKinds)
	rows, q, err := read[ErrorKind](ctx, db, "errors.sql", p)
	if err != nil {
		return Answer[ErrorKind]{}, err
	}
	a := answer[ErrorKind](settled, q)
	mapped, err := db.shadowCodes(ctx, settled)
	if err != nil {
		return Answer[ErrorKind]{}, err
	}
	for _, row := range rows {
		row.FirstSeen, row.LastSeen = row.FirstSeen.UTC(), row.LastSeen.UTC()
		row.Registered = db.registered(row, mapped)
		a.Rows = append(a.Rows, row)
	}
	return a, nil
}

// shadowCodes is, by old template, the code that shadowed payloads give most often in its place. Without a registry nothing
// is looked up.
func (db *DB) shadowCodes(ctx context.Context, f Filters) (map[string]string, error) {
	if db.settings.Registry == nil {
		return nil, nil
	}
	f.Code = nil
	p := f.parameters(db.settings)
	p.number("limit", mostErrorKinds)
	rows, _, err := read[Shadow](ctx, db, "shadow.sql", p)
	if err != nil {
		return nil, err
	}
	codes := map[string]string{}
	for _, row := range rows { // the most frequent first
		if _, known := codes[row.OldTemplate]; !known && row.OldTemplate != "" && row.NewCode != "" {
			codes[row.OldTemplate] = row.NewCode
		}
	}
	return codes, nil
}

// registered is the registry's own spelling of the code that a kind of error falls under. A mined code falls under the
// registered one that reads the same.
func (db *DB) registered(kind ErrorKind, shadowed map[string]string) *string {
	for _, code := range []string{kind.Code, strings.TrimPrefix(kind.Code, "~"), shadowed[kind.Template]} {
		if found, ok := db.settings.Registry.Lookup(transcript.Code(code)); ok && code != "" {
			text := string(found.Code)
			return &text
		}
	}
	return nil
}
