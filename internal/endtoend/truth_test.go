package endtoend_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"errata/internal/devstack/devtest"
	"errata/internal/simulate"
	"errata/metrics"
	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/migrations"
	"errata/pipeline"
	"errata/pipeline/feed"
	"errata/pipeline/store"
	"errata/transcript"
)

type noRejects struct{ t *testing.T }

func (n noRejects) Write(_ context.Context, rejects []feed.Rejected) error {
	for _, r := range rejects {
		n.t.Errorf("rejected: %s", r.Message)
	}
	return nil
}

// stored sends the simulated runs through the pipeline into an engine and opens it for questions.
func stored(t *testing.T, cfg simulate.Config) (*ask.DB, []simulate.Truth) {
	t.Helper()
	var truths []simulate.Truth
	var records []simulate.Record
	for run := range simulate.Generate(cfg) {
		truths = append(truths, run.Truth)
		records = append(records, run.Records...)
	}
	return ingested(t, records), truths
}

// ingested sends records through the pipeline into an engine of their own and opens it for questions.
func ingested(t *testing.T, records []simulate.Record) *ask.DB {
	t.Helper()
	return handled(t, placed(records), noRejects{t})
}

// placed are simulated records as they come from a topic.
func placed(records []simulate.Record) []feed.Record {
	out := make([]feed.Record, len(records))
	for i, r := range records {
		out[i] = feed.Record{Key: []byte(r.Key), Value: r.Value, Time: r.Time}
	}
	return out
}

// keptRejects bears with records of which nothing, or not all, could be used.
type keptRejects struct{}

func (keptRejects) Write(context.Context, []feed.Rejected) error { return nil }

// handledAtOnce is how many records are handled together.
const handledAtOnce = 4096

func handled(t *testing.T, records []feed.Record, rejects pipeline.Rejects) *ask.DB {
	t.Helper()
	dsn := devtest.ClickHouse(t)
	options, err := clickhouse.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrations.Apply(t.Context(), migrations.Config{Options: options}); err != nil {
		t.Fatal(err)
	}
	target, err := store.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { target.Close() })
	env := metrics.Env{Rules: metrics.DefaultRules(), Prices: metrics.DefaultPrices(), Tokens: metrics.NewBPE()}
	line, err := pipeline.New(pipeline.DefaultConfig(env), target, rejects, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	line.Assigned(t.Context(), []int{0})
	for i := range records {
		records[i].Offset = int64(i)
	}
	for chunk := range slices.Chunk(records, handledAtOnce) {
		next := chunk[len(chunk)-1].Offset + 1
		if err := line.Handle(t.Context(), feed.Batch{Records: chunk, Marks: []feed.Mark{{Next: next, HighWatermark: int64(len(records))}}}); err != nil {
			t.Fatal(err)
		}
	}
	settings := ask.DefaultSettings()
	settings.Mine = func(run transcript.Run) metrics.Facts { return metrics.Mine(run, env) }
	db, err := ask.Open(dsn, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// What the API says of simulated runs is what the simulator planned: equal, not close.
func TestAnswersAreTheSimulatorsTruth(t *testing.T) {
	cfg := simulate.Demo(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	if testing.Short() {
		cfg = simulate.Small()
	}
	db, truths := stored(t, cfg)
	settled := make([]simulate.Truth, len(truths))
	for i := range truths {
		settled[i] = truths[i].Settled()
	}
	filters := ask.Filters{All: true, AsOf: cfg.End().Add(48 * time.Hour)}
	for _, by := range []string{"", ask.ByTool, ask.ByCode, ask.ByVariant, ask.ByModel, ask.ByAgent, ask.ByDay} {
		var dimensions []string
		if by != "" {
			dimensions = []string{by}
		}
		filters.By = dimensions
		want := map[string]simulate.Group{}
		for _, g := range simulate.Aggregate(settled, dimensions...) {
			want[keyOf(g.Key, by)] = g
		}
		t.Run("loops by "+by, func(t *testing.T) { sameLoops(t, db, filters, want) })
		t.Run("recovery by "+by, func(t *testing.T) { sameRecovery(t, db, filters, want) })
		t.Run("cost by "+by, func(t *testing.T) { sameCost(t, db, filters, want) })
		t.Run("waste by "+by, func(t *testing.T) { sameWaste(t, db, filters, want) })
		t.Run("next actions by "+by, func(t *testing.T) { sameNextActions(t, db, filters, want) })
		t.Run("breaker by "+by, func(t *testing.T) { sameBreaker(t, db, filters, settled) })
	}
	for _, by := range []string{"", ask.ByModel, ask.ByAgent} { // what the truth knows of patterns is whose run it was
		if filters.By = nil; by != "" {
			filters.By = []string{by}
		}
		t.Run("patterns by "+by, func(t *testing.T) { samePatterns(t, db, filters, settled) })
	}
	filters.By = nil
	t.Run("obedience", func(t *testing.T) { sameObedience(t, db, filters, settled) })
	t.Run("coupling", func(t *testing.T) { sameCoupling(t, db, filters, settled) })
	t.Run("shadows", func(t *testing.T) { sameShadows(t, db, filters, settled) })
	t.Run("charges add up", func(t *testing.T) { chargesAddUp(t, db, filters) })
	t.Run("aliases", func(t *testing.T) { sameAliases(t, db, filters, settled) })
}

// keyOf is what the API calls a group.
func keyOf(k simulate.Key, by string) string {
	if by == ask.ByDay {
		return k.Time.Format(time.DateOnly)
	}
	return k.Tool + k.Code + k.Variant + k.Model + k.Agent
}

func groupOf(by ask.Group, dimension []string) string {
	if len(dimension) == 0 {
		return ""
	}
	return by[dimension[0]]
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func sameLoops(t *testing.T, db *ask.DB, f ask.Filters, want map[string]simulate.Group) {
	answer, err := db.Loops(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, row := range answer.Rows {
		name := groupOf(row.By, f.By)
		g, ok := want[name]
		if !ok {
			t.Errorf("the truth has no group %q", name)
			continue
		}
		seen++
		got := []any{row.Errored, row.Labelled, row.Repeat, row.Corrected, row.Switched, row.Replied, row.User, row.Ended, row.Futile, row.Sanctioned, row.Loops, row.LongestChain, row.RunsWithError}
		truth := []any{g.Errored, g.Labelled, g.Repeat, g.Corrected, g.Switched, g.Replied, g.User, g.Ended, g.Futile, g.Sanctioned, g.Loops, g.LongestChain, g.RunsWithError}
		equal(t, name+" errors", got, truth)
		if row.Calls != nil {
			equal(t, name+" calls", []any{*row.Calls, *row.Refused, *row.Cancelled, *row.Pending, row.Runs}, []any{g.Calls, g.Refused, g.Cancelled, g.Pending, g.Runs})
		}
	}
	withErrors := 0
	for _, g := range want {
		if g.Calls > 0 || g.Errored > 0 {
			withErrors++
		}
	}
	equal(t, "groups", seen, withErrors)
}

func sameRecovery(t *testing.T, db *ask.DB, f ask.Filters, want map[string]simulate.Group) {
	answer, err := db.Recovery(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range answer.Rows {
		name := groupOf(row.By, f.By)
		g := want[name]
		equal(t, name+" episodes", []any{row.Episodes, row.Recovered, row.RecoveredWithUser, row.Abandoned, row.Open},
			[]any{g.Episodes, g.Recovered, g.RecoveredWithUser, g.Abandoned, g.Open})
		for reason, n := range g.Reasons {
			equal(t, name+" "+reason, row.Reasons[reason], n)
		}
		for attempts, n := range g.Attempts {
			equal(t, fmt.Sprint(name, " attempts ", attempts), row.Attempts[fmt.Sprint(attempts)], n)
		}
		for turns, n := range g.Turns {
			equal(t, fmt.Sprint(name, " turns ", turns), row.Turns[fmt.Sprint(turns)], n)
		}
		equal(t, name+" kinds of attempts", len(row.Attempts), len(g.Attempts))
	}
}

func sameCost(t *testing.T, db *ask.DB, f ask.Filters, want map[string]simulate.Group) {
	answer, err := db.Cost(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range answer.Rows {
		name := groupOf(row.By, f.By)
		g := want[name]
		u := g.RecoveryTokens
		equal(t, name+" cost", []any{row.Errors, row.RecoveryTurns, row.InputTokens, row.CacheReadTokens, row.CacheWriteTokens, row.OutputTokens, row.Tokens},
			[]any{g.Errored, g.RecoveryTurns, u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Total()})
	}
}

// sameAliases holds the candidates against the planted pairs: episodes, runs and kinds equal, nothing shown that is
// guarded, and the quality of the list a committed figure.
func sameAliases(t *testing.T, db *ask.DB, f ask.Filters, truths []simulate.Truth) {
	answer, err := db.Aliases(t.Context(), ask.AliasFilters{Filters: f})
	if err != nil {
		t.Fatal(err)
	}
	got, cases := map[string]string{}, map[string]bool{}
	for _, row := range answer.Rows {
		if row.Rejected == review.AnyCase {
			cases[row.Tool+row.Field] = true
		}
		got[nameOf(row.Level, row.Tool, row.Field, plain(row.Rejected), plain(row.Accepted))] = fmt.Sprint(row.Runs, row.Episodes, row.Kind)
	}
	planted, found, ruled, negatives, wrong := 0, 0, 0, 0, 0
	for _, c := range simulate.Candidates(truths) {
		name := nameOf(c.Level, c.Tool, pointer(c.Field), c.Rejected, c.Accepted)
		value, ok := got[name]
		if !c.Shown() {
			negatives++
			if ok {
				wrong++
				t.Errorf("%s is shown, and should be guarded (%s, %d runs)", name, c.Guard, c.Runs)
			}
			continue
		}
		planted++
		switch {
		case ok:
			found++
			equal(t, name, value, fmt.Sprint(c.Runs, c.Episodes, c.Kind))
		case cases[c.Tool+pointer(c.Field)] && c.Kind == "case":
			ruled++
		default:
			t.Logf("%s is not listed", name)
		}
	}
	figures := fmt.Sprintf("planted %d, listed %d, under a rule of case %d\nshown %d, of which planted %d\nnegatives %d, of which shown %d\n",
		planted, found, ruled, len(answer.Rows), found+len(cases), negatives, wrong)
	if testing.Short() {
		return
	}
	golden, err := os.ReadFile("testdata/aliases.golden")
	if err != nil || string(golden) != figures {
		t.Errorf("the quality of alias candidates is\n%swant\n%s(%v)", figures, golden, err)
	}
}

// pointer is the JSON Pointer of a top-level argument.
func pointer(field string) string {
	if field == "" {
		return ""
	}
	return "/" + field
}

// nameOf names a candidate as both sides can: the simulator knows no field of a renamed argument, and values as texts.
func nameOf(level, tool, field, rejected, accepted string) string {
	if level != "value" {
		field = ""
	}
	return fmt.Sprint(level, " ", tool, field, " ", rejected, "→", accepted)
}

// plain is a JSON scalar as a text.
func plain(value string) string {
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	return value
}
