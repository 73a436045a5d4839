package ask

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"errata/metrics"
	"errata/transcript"
)

// Settings say how figures are settled and how long a question may take.
type Settings struct {
	// IdleLimit is how long after its last activity a run is taken for ended.
	IdleLimit time.Duration
	// LabelHorizon is how long after an error a next turn is waited for.
	LabelHorizon time.Duration
	// Timeout ends a question that takes longer.
	Timeout time.Duration
	// Rules hold the guards of alias candidates.
	Rules *metrics.Rules
	// Registry is the closed set of error codes; nil: none is known.
	Registry *metrics.Registry
	// Mine derives the facts of one run, for its view, as ingest does for the tables.
	Mine func(transcript.Run) metrics.Facts
	// MineUnestimated is Mine without an estimate of the tokens of turns that carry no usage. Where it is given, the estimates
	// that are stored serve for long runs. Nil: all is mined.
	MineUnestimated func(transcript.Run) metrics.Facts
	// Now tells the time.
	Now func() time.Time
}

// DefaultSettings are the limits that the specification names.
func DefaultSettings() Settings {
	return Settings{
		IdleLimit:    30 * time.Minute,
		LabelHorizon: 5 * time.Minute,
		Timeout:      30 * time.Second,
		Rules:        metrics.DefaultRules(),
		Now:          time.Now,
	}
}

// Validate names the setting that cannot be used, and the mend.
func (s Settings) Validate() error {
	switch {
	case s.IdleLimit <= 0:
		return fmt.Errorf("the idle limit is %v; give a time above 0, such as 30m", s.IdleLimit)
	case s.LabelHorizon <= 0:
		return fmt.Errorf("the label horizon is %v; give a time above 0, such as 5m", s.LabelHorizon)
	case s.Timeout <= 0:
		return fmt.Errorf("the time limit of a question is %v; give a time above 0, such as 30s", s.Timeout)
	case s.Rules == nil:
		return errors.New("there are no rules; set Rules, for example to the default ones")
	case s.Now == nil:
		return errors.New("nothing tells the time; set Now")
	}
	return nil
}

// DB answers questions from one database. It is safe for concurrent use.
type DB struct {
	conn     driver.Conn
	settings Settings
	mined    minedRuns // that were looked at last
}

// Open makes a DB for a ClickHouse DSN, http:// or clickhouse://. It connects with the first question.
func Open(dsn string, settings Settings) (*DB, error) {
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	options, err := clickhouse.ParseDSN(dsn)
	if err != nil {
		return nil, fmt.Errorf("read the ClickHouse DSN: %w", err)
	}
	return OpenOptions(options, settings)
}

// OpenOptions is Open for a DSN that was read already.
func OpenOptions(options *clickhouse.Options, settings Settings) (*DB, error) {
	if err := settings.Validate(); err != nil {
		return nil, err
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		return nil, fmt.Errorf("open ClickHouse: %w", err)
	}
	return &DB{conn: conn, settings: settings}, nil
}

// Conn is the connection, for package review.
func (db *DB) Conn() driver.Conn { return db.conn }

// Settings are the settings that the DB was opened with.
func (db *DB) Settings() Settings { return db.settings }

// Ping asks whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.conn.Ping(ctx) }

// Close ends the connection.
func (db *DB) Close() error { return db.conn.Close() }

// Answer is the reply to a question: what was asked, as of when, and the rows.
type Answer[T any] struct {
	Filters Filters   `json:"filters"`
	AsOf    time.Time `json:"as_of"`
	Rows    []T       `json:"rows"`
	// NextCursor continues a list that was cut at its limit.
	NextCursor string `json:"next_cursor,omitempty"`
	Query      Query  `json:"-"`
}

// Query tells how an answer was got, so that it can be checked.
type Query struct {
	Name       string            // of the .sql file
	ID         string            // that the server logs; a question's further statements have .1, .2 after it
	Parameters map[string]string // of the query
}

// answer starts an answer to a question with settled filters.
func answer[T any](f Filters, q Query) Answer[T] {
	return Answer[T]{Filters: f, AsOf: f.AsOf, Rows: []T{}, Query: q}
}

// newQuery names a question that is about to be put.
func newQuery(name string, p parameters) Query {
	return Query{Name: name, ID: "errata-" + rand.Text(), Parameters: p}
}

// part is the query of one of a question's statements, by its place.
func (q Query) part(i int) Query {
	if i > 0 {
		q.ID += "." + strconv.Itoa(i)
	}
	return q
}

func mustSQL(name string) string {
	text, ok := SQL(name)
	if !ok {
		panic(fmt.Sprintf("BUG: there is no question %s", name))
	}
	return text
}

// read puts the question of the named file and reads all its rows.
func read[T any](ctx context.Context, db *DB, name string, p parameters) ([]T, Query, error) {
	q := newQuery(name, p)
	rows, err := selectRows[T](ctx, db, q, mustSQL(name))
	return rows, q, err
}

// selectRows puts one statement and reads all its rows.
func selectRows[T any](ctx context.Context, db *DB, q Query, text string) ([]T, error) {
	ctx, cancel := context.WithTimeout(ctx, db.settings.Timeout)
	defer cancel()
	ctx = clickhouse.Context(ctx, clickhouse.WithQueryID(q.ID), clickhouse.WithParameters(clickhouse.Parameters(q.Parameters)))
	var rows []T
	if err := db.conn.Select(ctx, &rows, text); err != nil {
		return nil, &QueryError{Query: q, Err: err}
	}
	return rows, nil
}

// settled checks filters and fills in their defaults.
func (db *DB) settled(ctx context.Context, f Filters) (Filters, span, error) {
	if err := f.check(); err != nil {
		return f, span{}, err
	}
	s, err := db.spanOnce(ctx)
	if err != nil {
		return f, span{}, err
	}
	return f.settle(s, db.settings.Now()), s, nil
}

// span is the time that the stored runs cover.
type span struct {
	Calls         int64     `ch:"calls"`
	NewestCall    time.Time `ch:"newest_call"`
	Runs          int64     `ch:"runs"`
	FirstActivity time.Time `ch:"first_activity"`
	LastActivity  time.Time `ch:"last_activity"`
}

// after is the moment just past the newest call, or as_of where there is none.
func (s span) after(asOf time.Time) time.Time {
	if s.Calls == 0 {
		return asOf
	}
	return s.NewestCall.UTC().Add(time.Millisecond)
}

func (db *DB) span(ctx context.Context) (span, error) {
	rows, _, err := read[span](ctx, db, "span.sql", parameters{})
	if err != nil {
		return span{}, err
	}
	if len(rows) != 1 {
		return span{}, fmt.Errorf("ask span.sql: want one row, got %d", len(rows))
	}
	return rows[0], nil
}
