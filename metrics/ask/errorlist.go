package ask

import (
	"context"
	"time"
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
	for _, row := range rows {
		row.FirstSeen, row.LastSeen = row.FirstSeen.UTC(), row.LastSeen.UTC()
		a.Rows = append(a.Rows, row)
	}
	return a, nil
}
