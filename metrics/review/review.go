package review

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"errata/metrics"
)

//go:embed *.sql
var files embed.FS

// SQL gives the text of a query, by its file's name.
func SQL(name string) (string, bool) {
	text, err := files.ReadFile(name)
	return string(text), err == nil
}

// Names lists all queries in order.
func Names() []string { return []string{"accepted.sql", "cutovers.sql", "history.sql", "newest.sql"} }

// Reviews reads and writes decisions. It is safe for concurrent use.
type Reviews struct {
	conn driver.Conn
	now  func() time.Time
	// deciding lets one decision at a time be compared with the one before it and written, so that of two reviewers who
	// saw the same the second is told.
	deciding sync.Mutex
}

// New makes Reviews on a connection; now tells the time.
func New(conn driver.Conn, now func() time.Time) *Reviews { return &Reviews{conn: conn, now: now} }

// Error is a decision that cannot be taken as it was given. It has a code for programs and a sentence for people, and
// names the field at fault.
type Error struct {
	Code    string
	Field   string
	Message string
	// Other is the decision that was taken meanwhile, where the code is CodeStale.
	Other *Decision
}

// Error is the sentence.
func (e *Error) Error() string { return e.Message }

// The codes of decisions that cannot be taken.
const (
	CodeInvalid = "invalid_field"
	CodeStale   = "stale_decision"
)

func invalid(field, format string, args ...any) error {
	return &Error{Code: CodeInvalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// The states of a candidate.
const (
	StateNew      = "new"
	StateAccepted = "accepted"
	StateRejected = "rejected"
)

// ImportedNote marks a review that came with an imported table. A person's note cannot be it.
const ImportedNote = "imported"

// AnyCase stands for both names of a field whose rejections are all of case. No JSON scalar is written so.
const AnyCase = "*"

// Bounds of what a reviewer may write.
const (
	maxName = 4 << 10
	maxNote = 4 << 10
)

// Decision is what a reviewer decided about a candidate. The state "new" takes a decision back.
type Decision struct {
	Entry
	State  string `json:"state"`
	Note   string `json:"note"`
	Author string `json:"author"`
	// DecidedAt is set when the decision is taken.
	DecidedAt time.Time `json:"decided_at"`
	// Seen is the decision that the reviewer saw, by its time; nil: not checked. Where another was taken meanwhile this
	// one is refused as stale.
	Seen *time.Time `json:"seen,omitempty"`
}

// check finds what is wrong with a decision.
func (d Decision) check() error {
	if err := d.Entry.check(); err != nil {
		return err
	}
	if !slices.Contains([]string{StateNew, StateAccepted, StateRejected}, d.State) {
		return invalid("state", "state is %.40q; it must be new, accepted or rejected", d.State)
	}
	if len(d.Note) > maxNote {
		return invalid("note", "the note has %d bytes; at most %d are kept", len(d.Note), maxNote)
	}
	if len(d.Author) > maxName {
		return invalid("author", "the author has %d bytes; at most %d are kept", len(d.Author), maxName)
	}
	if d.State == StateAccepted && d.Entry.sensitive() {
		return invalid("rejected", "a value that looks like an address, a phone number, a token or a key cannot become an alias")
	}
	return nil
}

// Decide records a decision and returns it with its time.
func (r *Reviews) Decide(ctx context.Context, d Decision) (Decision, error) {
	if err := d.check(); err != nil {
		return d, err
	}
	if d.Note == ImportedNote {
		return d, invalid("note", "the note %q is kept for imported tables; write another", ImportedNote)
	}
	r.deciding.Lock()
	defer r.deciding.Unlock()
	before, err := r.newest(ctx, d.Entry)
	if err != nil {
		return d, err
	}
	if d.Seen != nil && !before.DecidedAt.Equal(d.Seen.Truncate(time.Microsecond)) {
		return d, &Error{Code: CodeStale, Field: "seen", Other: &before, Message: fmt.Sprintf(
			"meanwhile %q decided %q; look at that decision and decide again", before.Author, before.State)}
	}
	d.DecidedAt = r.after(before.DecidedAt)
	return d, r.write(ctx, []Decision{d})
}

// after is now, or just after a decision that another clock took later.
func (r *Reviews) after(before time.Time) time.Time {
	now := r.now().UTC().Truncate(time.Microsecond)
	if !now.After(before) {
		return before.UTC().Add(time.Microsecond)
	}
	return now
}

// newest is the decision that counts for a candidate, the zero one where there is none.
func (r *Reviews) newest(ctx context.Context, e Entry) (Decision, error) {
	var rows []struct {
		State     string    `ch:"state"`
		Note      string    `ch:"note"`
		Author    string    `ch:"author"`
		DecidedAt time.Time `ch:"decided_at"`
	}
	p := clickhouse.Parameters{
		"level": e.Level, "tool": escape(e.Tool), "field": escape(e.Field),
		"rejected": escape(e.Rejected), "accepted": escape(e.Accepted),
	}
	if err := r.read(ctx, "newest.sql", p, &rows); err != nil {
		return Decision{}, err
	}
	if len(rows) == 0 {
		return Decision{Entry: e, State: StateNew}, nil
	}
	return Decision{Entry: e, State: rows[0].State, Note: rows[0].Note, Author: rows[0].Author, DecidedAt: rows[0].DecidedAt}, nil
}

// Accepted lists the decisions that accept a candidate and still count.
func (r *Reviews) Accepted(ctx context.Context) ([]Decision, error) {
	var rows []struct {
		Level     string    `ch:"level"`
		Tool      string    `ch:"tool"`
		Field     string    `ch:"field"`
		Rejected  string    `ch:"rejected"`
		Accepted  string    `ch:"accepted"`
		Note      string    `ch:"note"`
		Author    string    `ch:"author"`
		DecidedAt time.Time `ch:"decided_at"`
	}
	if err := r.read(ctx, "accepted.sql", nil, &rows); err != nil {
		return nil, err
	}
	decisions := make([]Decision, len(rows))
	for i, row := range rows {
		decisions[i] = Decision{
			Entry: Entry{row.Level, row.Tool, row.Field, row.Rejected, row.Accepted},
			State: StateAccepted, Note: row.Note, Author: row.Author, DecidedAt: row.DecidedAt.UTC(),
		}
	}
	return decisions, nil
}

// Import accepts all entries of a table, in the name of author, and returns how many were not accepted before. What is
// accepted already keeps its decision.
func (r *Reviews) Import(ctx context.Context, table Table, author string) (int, error) {
	if err := table.check(); err != nil {
		return 0, err
	}
	known, err := r.Accepted(ctx)
	if err != nil {
		return 0, err
	}
	seen := make(map[Entry]bool, len(known)+len(table))
	for _, d := range known {
		seen[d.Entry] = true
	}
	var fresh []Decision
	for _, e := range table {
		if seen[e] {
			continue
		}
		seen[e] = true
		fresh = append(fresh, Decision{
			Entry: e, State: StateAccepted, Note: ImportedNote, Author: author, DecidedAt: r.now().UTC().Truncate(time.Microsecond),
		})
	}
	return len(fresh), r.write(ctx, fresh)
}

func (r *Reviews) write(ctx context.Context, decisions []Decision) error {
	if len(decisions) == 0 {
		return nil
	}
	batch, err := r.conn.PrepareBatch(ctx, "INSERT INTO alias_reviews (level, tool, field, rejected, accepted, state, note, author, decided_at)")
	if err != nil {
		return fmt.Errorf("prepare %d reviews: %w", len(decisions), err)
	}
	defer batch.Abort()
	for _, d := range decisions {
		if err := batch.Append(d.Level, d.Tool, d.Field, d.Rejected, d.Accepted, d.State, d.Note, d.Author, d.DecidedAt); err != nil {
			return fmt.Errorf("append a review: %w", err)
		}
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("insert %d reviews: %w", len(decisions), err)
	}
	return nil
}

func (r *Reviews) read(ctx context.Context, name string, p clickhouse.Parameters, rows any) error {
	text, ok := SQL(name)
	if !ok {
		panic(fmt.Sprintf("BUG: there is no query %s", name))
	}
	if err := r.conn.Select(clickhouse.Context(ctx, clickhouse.WithParameters(p)), rows, text); err != nil {
		return fmt.Errorf("ask %s: %w", name, err)
	}
	return nil
}

// escaper writes a text as the server reads a parameter: as a tab-separated value.
var escaper = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`, "\b", `\b`, "\f", `\f`)

func escape(text string) string { return escaper.Replace(text) }

// sensitive says whether the entry shows what must never be exported.
func (e Entry) sensitive() bool {
	return e.Level == string(metrics.LevelValue) && (metrics.LooksSensitive(e.Rejected) || metrics.LooksSensitive(e.Accepted))
}

// isScalar says whether a text is one JSON scalar.
func isScalar(text string) bool {
	var value any
	if json.Unmarshal([]byte(text), &value) != nil {
		return false
	}
	switch value.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}
