package review_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"errata/internal/devstack/devtest"
	"errata/metrics/review"
	"errata/migrations"
)

var now = time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC)

func open(t *testing.T) *review.Reviews {
	t.Helper()
	options, err := clickhouse.ParseDSN(devtest.ClickHouse(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrations.Apply(t.Context(), migrations.Config{Options: options}); err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return review.New(conn, func() time.Time { return now })
}

// refused checks that a decision was refused with the code, for the field.
func refused(t *testing.T, err error, code, field string) {
	t.Helper()
	var refusal *review.Error
	if !errors.As(err, &refusal) || refusal.Code != code || refusal.Field != field {
		t.Errorf("got %#v, want %s of %s", err, code, field)
	}
}

// The newest decision counts, also where the clock stands still or goes back.
func TestDecisions(t *testing.T) {
	r := open(t)
	entry := review.Entry{Level: "value", Tool: `it's`, Field: "/a\\b\tc", Rejected: `"\u0000'"`, Accepted: "1"}
	decide := func(state string, seen *time.Time) (review.Decision, error) {
		return r.Decide(t.Context(), review.Decision{Entry: entry, State: state, Author: "ann", Seen: seen})
	}
	first, err := decide("accepted", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !first.DecidedAt.Equal(now) {
		t.Errorf("decided at %v", first.DecidedAt)
	}
	accepted, err := r.Accepted(t.Context())
	if err != nil || len(accepted) != 1 || accepted[0].Entry != entry || accepted[0].Author != "ann" {
		t.Fatalf("%+v, %v", accepted, err)
	}
	second, err := decide("rejected", &first.DecidedAt)
	if err != nil {
		t.Fatal(err)
	}
	if !second.DecidedAt.After(first.DecidedAt) {
		t.Error("the second decision is not later")
	}
	if accepted, err := r.Accepted(t.Context()); err != nil || len(accepted) != 0 {
		t.Errorf("%+v, %v", accepted, err)
	}
	_, err = decide("accepted", &first.DecidedAt)
	refused(t, err, review.CodeStale, "seen")
}

func TestDecisionsThatCannotBeTaken(t *testing.T) {
	r := open(t)
	good := review.Entry{Level: "value", Tool: "t", Field: "/f", Rejected: `"a"`, Accepted: `"b"`}
	f := func(field string, change func(*review.Decision)) {
		t.Helper()
		d := review.Decision{Entry: good, State: "accepted"}
		change(&d)
		_, err := r.Decide(t.Context(), d)
		refused(t, err, review.CodeInvalid, field)
	}
	f("level", func(d *review.Decision) { d.Level = "colour" })
	f("tool", func(d *review.Decision) { d.Tool = "" })
	f("rejected", func(d *review.Decision) { d.Rejected = "plain" })
	f("rejected", func(d *review.Decision) { d.Rejected = `"ann@example.org"` })
	f("accepted", func(d *review.Decision) { d.Accepted = "{}" })
	f("state", func(d *review.Decision) { d.State = "maybe" })
	f("note", func(d *review.Decision) { d.Note = review.ImportedNote })
	f("note", func(d *review.Decision) { d.Note = string(make([]byte, 5000)) })
}

func TestCutovers(t *testing.T) {
	r := open(t)
	mark := func(c review.Cutover) review.Cutover {
		t.Helper()
		marked, err := r.Mark(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return marked
	}
	names := func() string {
		t.Helper()
		cutovers, err := r.Cutovers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, c := range cutovers {
			got += c.Name + "@" + c.At.Format("15:04") + " "
		}
		return got
	}
	if got := names(); got != "" {
		t.Errorf("got %q", got)
	}
	mark(review.Cutover{Name: " structured-v2 ", At: now.Add(time.Hour), Note: "the new errors", Author: "ann"})
	mark(review.Cutover{Name: "v1", At: now})
	if got := names(); got != "v1@12:00 structured-v2@13:00 " {
		t.Errorf("got %q", got)
	}
	mark(review.Cutover{Name: "structured-v2", At: now.Add(-time.Hour)})
	if got := names(); got != "structured-v2@11:00 v1@12:00 " {
		t.Errorf("moved: %q", got)
	}
	mark(review.Cutover{Name: "structured-v2", Deleted: true})
	if got := names(); got != "v1@12:00 " {
		t.Errorf("taken back: %q", got)
	}
	mark(review.Cutover{Name: "structured-v2", At: now})
	if got := names(); got != "structured-v2@12:00 v1@12:00 " {
		t.Errorf("given again: %q", got)
	}
	for field, c := range map[string]review.Cutover{
		"name": {At: now}, "at": {Name: "x"}, "note": {Name: "x", At: now, Note: string(make([]byte, 5000))},
	} {
		_, err := r.Mark(t.Context(), c)
		refused(t, err, review.CodeInvalid, field)
	}
	_, err := r.Mark(t.Context(), review.Cutover{Name: "nobody", Deleted: true})
	refused(t, err, review.CodeInvalid, "name")
}

// The history has every decision with what it replaced; only the newest of a candidate can be undone.
func TestHistory(t *testing.T) {
	r := open(t)
	one := review.Entry{Level: "tool", Tool: "find", Rejected: "find", Accepted: "search"}
	two := review.Entry{Level: "tool", Tool: "look", Rejected: "look", Accepted: "search"}
	for _, d := range []review.Decision{
		{Entry: one, State: "rejected", Author: "ann"}, {Entry: two, State: "accepted", Author: "bob"}, {Entry: one, State: "accepted", Author: "bob"}, {Entry: one, State: "new"},
	} {
		now = now.Add(time.Second)
		if _, err := r.Decide(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Import(t.Context(), review.Table{{Level: "tool", Tool: "seek", Rejected: "seek", Accepted: "search"}}, "eve"); err != nil {
		t.Fatal(err)
	}
	past, err := r.History(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range past {
		got = append(got, fmt.Sprint(p.Rejected, " ", p.Before, "→", p.State, " ", p.Author, " ", p.Newest))
	}
	want := []string{"find accepted→new  true", "find rejected→accepted bob false", "look new→accepted bob true", "find new→rejected ann false"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if few, err := r.History(t.Context(), 1); err != nil || len(few) != 1 {
		t.Errorf("%d of one, %v", len(few), err)
	}
}

// Of reviewers who saw the same and decide at the same moment one is recorded and the others are told whose.
func TestReviewersAtOnce(t *testing.T) {
	r := open(t)
	entry := review.Entry{Level: "tool", Tool: "find", Rejected: "find", Accepted: "search"}
	var recorded, told atomic.Int64
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			_, err := r.Decide(t.Context(), review.Decision{Entry: entry, State: "accepted", Author: fmt.Sprint(i), Seen: &time.Time{}})
			var refusal *review.Error
			switch {
			case err == nil:
				recorded.Add(1)
			case errors.As(err, &refusal) && refusal.Code == review.CodeStale && refusal.Other != nil && refusal.Other.State == "accepted":
				told.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if recorded.Load() != 1 || told.Load() != 7 {
		t.Errorf("%d recorded, %d told", recorded.Load(), told.Load())
	}
}
