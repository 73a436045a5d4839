package store_test

import (
	"context"
	"os"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"errata/internal/devstack/devtest"
	"errata/metrics"
	"errata/migrations"
	"errata/pipeline/store"
	"errata/transcript"
)

var at = time.Date(2026, 11, 1, 10, 0, 0, 123e6, time.UTC)

func open(t *testing.T) (*store.Store, driver.Conn) {
	t.Helper()
	options, err := clickhouse.ParseDSN(devtest.ClickHouse(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrations.Apply(t.Context(), migrations.Config{Options: options}); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return s, conn
}

func ask[T any](t *testing.T, conn driver.Conn, query string) T {
	t.Helper()
	var out T
	if err := conn.QueryRow(context.Background(), query).Scan(&out); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return out
}

// full gives facts in which every list has something.
func full(id transcript.RunID) metrics.Facts {
	yes := true
	ref := metrics.Ref{Thread: "sub", Turn: 3, Index: 1}
	return metrics.Facts{
		Run: metrics.RunFact{
			Meta: transcript.Meta{ID: id, Agent: "bot", Model: "m", Variant: "v", Attributes: map[string]string{"tenant": "a"},
				Ended: true, EndReason: transcript.EndCompleted, TaskSuccess: &yes},
			Started: at, LastActivity: at.Add(time.Minute), Timed: true, Turns: 7,
			Usage: transcript.Usage{Input: 1, CacheRead: 2, CacheWrite: 3, Output: 4}, Money: -5, Unpriced: []string{"m"},
		},
		Calls: []metrics.CallFact{
			{Ref: metrics.Ref{Turn: 1}, Tool: "a", Time: at, Outcome: metrics.OutcomeOK},
			{Ref: ref, Tool: "b", Time: at.Add(time.Second), Outcome: metrics.OutcomeError, Code: "RATE_LIMITED", Folded: "rate_limited",
				Label: metrics.LabelRepeat, Sanctioned: true, Chain: 2, Honoured: &yes, Hash: 1 << 63, BodyTokens: 9,
				Error: transcript.ErrorObject{Schema: "five_field", Retryable: transcript.True, Hint: "wait"}},
			{Ref: ref, Tool: "b", Time: at.Add(2 * time.Second), Outcome: metrics.OutcomeRefused},
		},
		Episodes: []metrics.EpisodeFact{{First: ref, Tool: "b", Code: "rate_limited", Time: at, Ending: metrics.EndingAbandoned,
			Reason: metrics.ReasonMovedOn, Attempts: 4, Streak: 2, Helpers: []metrics.HelperFact{{Tool: "a", Calls: 2, Tokens: 30, ValueFromIt: true}}}},
		Charges: []metrics.ChargeFact{{Thread: "sub", Turn: 4, Time: at, Tool: "b", Code: "rate_limited", Turns: 1,
			Usage: transcript.Usage{Input: 10, Output: 20}, Money: 77, Seconds: 1.5, Streak: 3}},
		Patterns: []metrics.PatternFact{{Kind: metrics.PatternCycle, First: ref, Time: at, Tool: "b", Length: 6}},
		Pairs:    []metrics.PairFact{{Level: metrics.LevelValue, Tool: "b", Field: "/country", Rejected: `"UK"`, Accepted: `"GB"`, Kind: "alias", Time: at}},
		Accepted: []metrics.AcceptedFact{{Tool: "a", Field: "/x", Calls: 3, Values: []uint32{1, 4294967295}}},
		Findings: []metrics.FindingFact{{Finding: "no_code", Ref: ref, Time: at, Tool: "b"}},
		Shadows:  []metrics.ShadowFact{{Ref: ref, Time: at, Tool: "b", Shadow: "v2", OldTemplate: "no", NewCode: "bad", ErrorDisagrees: true, OldBodyTokens: 3, NewBodyTokens: 30}},
	}
}

func TestEveryColumnOfTheTableIsWritten(t *testing.T) {
	declared := map[string]bool{}
	for _, file := range []string{"0002_runs.sql", "0008_breakers_and_shadows.sql"} {
		text, err := os.ReadFile("../../migrations/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?m)^    (?:ADD COLUMN IF NOT EXISTS )?`?([a-z_.]+)`? ").FindAllSubmatch(text, -1) {
			declared[string(m[1])] = true
		}
	}
	delete(declared, "is_deleted")
	delete(declared, "stored_at")
	written := map[string]bool{}
	for _, name := range store.RunColumnNames() {
		written[name] = true
	}
	if !reflect.DeepEqual(declared, written) {
		t.Errorf("declared %v\nwritten %v", declared, written)
	}
}

func TestFactsComeBackAsTheyWere(t *testing.T) {
	s, conn := open(t)
	if err := s.Write(t.Context(), nil, []store.Run{{Version: 1, Rules: "r", Messages: 12, Facts: full("run-1")}}); err != nil {
		t.Fatal(err)
	}
	f := func(expression, want string) {
		t.Helper()
		if got := ask[string](t, conn, "SELECT toString("+expression+") FROM runs FINAL"); got != want {
			t.Errorf("%s = %s, want %s", expression, got, want)
		}
	}
	f("run_id", "run-1")
	f("started_at", "2026-11-01 10:00:00.123")
	f("task_success", "true")
	f("nano_usd", "-5")
	f("attributes", "{'tenant':'a'}")
	f("calls.outcome", "['ok','error','refused']")
	f("errors.code", "['rate_limited']")
	f("errors.raw_code", "['RATE_LIMITED']")
	f("errors.label", "['repeat']")
	f("errors.honoured", "[true]")
	f("errors.obeyed", "[NULL]")
	f("errors.hash", "[9223372036854775808]")
	f("errors.has", "[33]")
	f("errors.turn", "[3]")
	f("episodes.reason", "['moved_on']")
	f("episodes.helpers", "[[('a',2,30,true,false)]]")
	f("charges.output", "[20]")
	f("patterns.kind", "['cycle']")
	f("pairs.rejected", `['"UK"']`)
	f("accepted.values", "[[1,4294967295]]")
	f("findings.finding", "['no_code']")
	f("charges.streak", "[3]")
	f("episodes.streak", "[2]")
	f("shadows.new_code", "['bad']")
	f("shadows.error_disagrees", "[true]")
	f("shadows.new_body_tokens", "[30]")
}

func TestAWholeRunIsReplacedByGreaterKnowledgeOnly(t *testing.T) {
	s, conn := open(t)
	more, less := full("run-1"), full("run-1")
	less.Pairs = nil
	for _, run := range []store.Run{{Version: 5, Facts: less}, {Version: 9, Facts: more}, {Version: 7, Facts: less}, {Version: 9, Facts: more}} {
		if err := s.Write(t.Context(), nil, []store.Run{run}); err != nil {
			t.Fatal(err)
		}
	}
	if n := ask[uint64](t, conn, "SELECT count() FROM runs FINAL"); n != 1 {
		t.Errorf("%d rows", n)
	}
	if n := ask[uint64](t, conn, "SELECT sum(length(pairs.level)) FROM runs FINAL"); n != 1 {
		t.Errorf("%d pairs, want the 1 of the greatest version", n)
	}
}

func TestTranscriptsAreReadBack(t *testing.T) {
	s, _ := open(t)
	rows := []transcript.Row{
		{Run: "a", Kind: transcript.RowRun, Version: 1, Content: []byte(`{"run_id":"a"}`), Position: -1, Arrived: at},
		{Run: "a", Kind: transcript.RowThread, Version: 1, Content: []byte(`{}`), Arrived: at},
		{Run: "a", Thread: "sub", Kind: transcript.RowMessage, Slot: "p1", Version: 2, Position: 1, Content: []byte("\x00 'quoted' \u202e ü"), Arrived: at},
		{Run: "b", Kind: transcript.RowMessage, Slot: "p1", Version: 2, Content: []byte("b"), Arrived: at},
	}
	late := rows[2]
	late.Version, late.Content = 1, []byte("less")
	if err := s.Write(t.Context(), rows, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), []transcript.Row{late}, nil); err != nil {
		t.Fatal(err)
	}
	known, err := s.Load(t.Context(), []transcript.RunID{"a", "unknown", "it's"})
	if err != nil {
		t.Fatal(err)
	}
	if len(known) != 1 || !reflect.DeepEqual(known["a"], rows[:3]) {
		t.Errorf("got %+v", known)
	}
}

func TestHostileTimesAreStorable(t *testing.T) {
	s, conn := open(t)
	facts := full("run-1")
	facts.Run.Started = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	facts.Calls[0].Time = time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC)
	facts.Calls[2].Time = time.Time{}
	if err := s.Write(t.Context(), nil, []store.Run{{Version: 1, Facts: facts}}); err != nil {
		t.Fatal(err)
	}
	if got := ask[string](t, conn, "SELECT toString(calls.time) FROM runs FINAL"); got != "['1900-01-01 00:00:00.000','2026-11-01 10:00:01.123','1970-01-01 00:00:00.000']" {
		t.Error(got)
	}
}

func TestRejectsAndProgressAreKeyedByTheirPlace(t *testing.T) {
	s, conn := open(t)
	for range 2 {
		if err := s.WriteRejects(t.Context(), []store.Reject{{Topic: "t", Partition: 1, Offset: 5, Reason: "malformed_json", Sample: []byte{0xff}, At: at}}); err != nil {
			t.Fatal(err)
		}
		if err := s.WriteProgress(t.Context(), []store.Progress{{Group: "g", Topic: "t", Partition: 1, FirstOffset: 2, NextOffset: 6, HighWatermark: 9, At: at}}); err != nil {
			t.Fatal(err)
		}
	}
	if n := ask[uint64](t, conn, "SELECT count() FROM rejects FINAL"); n != 1 {
		t.Errorf("%d rejects", n)
	}
	known, err := s.Progress(t.Context(), "g", "t")
	if err != nil || len(known) != 1 || known[1].FirstOffset != 2 || known[1].NextOffset != 6 {
		t.Errorf("progress %+v, %v", known, err)
	}
}

// Whoever writes last: the row that has come further stays, and a topic made anew counts before any offset.
func TestProgressGoesForwardOnly(t *testing.T) {
	s, _ := open(t)
	f := func(incarnation int, next, want int64) {
		t.Helper()
		row := store.Progress{Group: "g", Topic: "t", NextOffset: next, HighWatermark: next, Incarnation: incarnation, At: time.Now()}
		if err := s.WriteProgress(t.Context(), []store.Progress{row}); err != nil {
			t.Fatal(err)
		}
		known, err := s.Progress(t.Context(), "g", "t")
		if err != nil || known[0].NextOffset != want {
			t.Errorf("after writing %d it is %d, want %d, %v", next, known[0].NextOffset, want, err)
		}
	}
	f(0, 6, 6)
	f(0, 9, 9)
	f(0, 7, 9)
	f(1, 2, 2)
	f(0, 12, 2)
}

// The same run gives the same row to the byte, however Go orders its attributes.
func TestAttributesAreWrittenInOrder(t *testing.T) {
	s, conn := open(t)
	facts := metrics.Facts{Run: metrics.RunFact{Meta: transcript.Meta{ID: "r", Attributes: map[string]string{"d": "4", "b": "2", "a": "1", "c": "3"}}}}
	for range 20 {
		if err := s.Write(t.Context(), nil, []store.Run{{Version: 1, Facts: facts}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := ask[string](t, conn, "SELECT arrayStringConcat(groupUniqArray(toString(attributes)), ' ') FROM runs"); got != "{'a':'1','b':'2','c':'3','d':'4'}" {
		t.Error(got)
	}
}
