package ask_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/transcript"
)

// past is a midnight long ago, so that its days are over whatever the clock says.
var past = time.Date(2021, 3, 1, 0, 0, 0, 0, time.UTC)

// atOnce rolls everything that was written.
var atOnce = ask.Rolling{Windows: []int32{1, 3}, Rows: 1000}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// randomRun is a run like no other, in four days, at times over midnight, at times over an hour, and at times still open.
func randomRun(r *rand.Rand, id string) metrics.Facts {
	start := past.Add(time.Duration(r.IntN(4*24*3600)) * time.Second)
	long := pick(r, time.Minute, 20*time.Minute, 3*time.Hour, 30*time.Hour)
	var f metrics.Facts
	f.Run.Meta = transcript.Meta{ID: transcript.RunID(id), Agent: pick(r, "a1", "a2", ""), Ended: r.IntN(2) == 0}
	if r.IntN(3) == 0 {
		f.Run.Meta.Attributes = map[string]string{"simulated": "true"}
	}
	f.Run.Started, f.Run.LastActivity, f.Run.Timed = start, start.Add(long), r.IntN(8) > 0
	f.Run.Unpriced = pick(r, nil, []string{"m1"}, []string{"m1", "m2"})
	for i := range r.IntN(8) {
		c := metrics.CallFact{
			Time: start.Add(time.Duration(r.Int64N(int64(long)))).Truncate(time.Millisecond), Tool: pick[transcript.Tool](r, "t1", "t2", "t3"), Model: pick(r, "m1", "m2"),
			Variant: pick[transcript.Variant](r, "v1", "v2", ""), Outcome: pick(r, metrics.OutcomeOK, metrics.OutcomeError, metrics.OutcomeError, metrics.OutcomeRefused),
		}
		c.Turn = i
		if c.Outcome == metrics.OutcomeError {
			c.Folded = pick[transcript.Code](r, "c1", "c2", "")
			c.Label = pick(r, metrics.LabelRepeat, metrics.LabelCorrected, metrics.LabelReplied, metrics.LabelEnded, "")
			c.Template, c.ErrorRule, c.BodyTokens = pick(r, "x *", "y *"), pick(r, "r1", "r2"), int64(r.IntN(90))
			c.Error.Retryable, c.Error.NextAction = pick(r, transcript.Unset, transcript.False), pick(r, "", "stop", "retry")
			c.Sanctioned, c.Chain = r.IntN(3) == 0, r.IntN(4)
			f.Episodes = append(f.Episodes, randomEpisode(r, c))
			f.Charges = append(f.Charges, metrics.ChargeFact{
				Time: c.Time.Add(time.Second), Tool: c.Tool, Code: c.Folded, Model: c.Model, Variant: c.Variant, Turns: 1, Episode: len(f.Episodes) - 1,
				Usage: transcript.Usage{Input: r.Int64N(1000), Output: r.Int64N(1000)}, Money: r.Int64N(3) * 1000, Seconds: r.Float64(), Estimated: r.IntN(2) == 0,
			})
			f.Patterns = append(f.Patterns, metrics.PatternFact{
				Kind: pick(r, metrics.PatternIdleRepeat, metrics.PatternCycle), Time: c.Time, Tool: c.Tool, Code: c.Folded, Model: c.Model, Variant: c.Variant, Length: 2,
			})
			f.Findings = append(f.Findings, metrics.FindingFact{Finding: pick(r, "f1", "f2"), Time: c.Time, Tool: c.Tool, Code: c.Folded, Model: c.Model, Variant: c.Variant})
		}
		f.Calls = append(f.Calls, c)
	}
	return f
}

func randomEpisode(r *rand.Rand, c metrics.CallFact) metrics.EpisodeFact {
	e := metrics.EpisodeFact{
		Tool: c.Tool, Code: c.Folded, Model: c.Model, Variant: c.Variant, Time: c.Time, Attempts: 1 + r.IntN(9), Serial: r.IntN(2), Changed: r.IntN(3),
		Ending: pick(r, metrics.EndingRecovered, metrics.EndingRecoveredWithUser, metrics.EndingAbandoned, metrics.EndingOpen),
	}
	if e.Ending == metrics.EndingRecovered || e.Ending == metrics.EndingRecoveredWithUser {
		e.Turns = e.Attempts
	}
	return e
}

// asks is every question that may be answered from cells.
var asks = map[string]func(context.Context, *ask.DB, ask.Filters) (any, error){
	"loops.sql":    func(ctx context.Context, db *ask.DB, f ask.Filters) (any, error) { return db.Loops(ctx, f) },
	"recovery.sql": func(ctx context.Context, db *ask.DB, f ask.Filters) (any, error) { return db.Recovery(ctx, f) },
	"cost.sql":     func(ctx context.Context, db *ask.DB, f ask.Filters) (any, error) { return db.Cost(ctx, f) },
	"waste.sql":    func(ctx context.Context, db *ask.DB, f ask.Filters) (any, error) { return db.Waste(ctx, f) },
	"findings.sql": func(ctx context.Context, db *ask.DB, f ask.Filters) (any, error) { return db.Findings(ctx, f) },
	"next_actions.sql": func(ctx context.Context, db *ask.DB, f ask.Filters) (any, error) {
		return db.NextActions(ctx, f)
	},
	"errors.sql": func(ctx context.Context, db *ask.DB, f ask.Filters) (any, error) {
		f.By = nil
		return db.Errors(ctx, ask.ErrorFilters{Filters: f})
	},
	"simulated.sql": func(ctx context.Context, db *ask.DB, f ask.Filters) (any, error) { return db.Simulated(ctx, f) },
}

// filtersFor is some combinations of dimensions that a question has cells of, with the second one, the first one, both or
// none of them filtered, and some that it has no cells of.
func filtersFor(combinations []string) []ask.Filters {
	value := map[string]string{"tool": "t1", "code": "c1", "variant": "v1", "model": "m2", "agent": "a1"}
	set := func(f *ask.Filters, dimension string) {
		*map[string]*[]string{"tool": &f.Tool, "code": &f.Code, "variant": &f.Variant, "model": &f.Model, "agent": &f.Agent}[dimension] = []string{value[dimension]}
	}
	all := []ask.Filters{
		{Tool: []string{"t1", "t2"}}, {Tool: []string{"t1", "t2"}, By: []string{ask.ByTool}}, {By: []string{ask.ByHour}},
		{Code: []string{"c1"}, Variant: []string{"v2"}, By: []string{ask.ByTool}}, {Variant: []string{""}},
	}
	for _, dims := range combinations {
		named := strings.Split(dims, ",")
		if dims == "" {
			all = append(all, ask.Filters{}, ask.Filters{By: []string{ask.ByDay}})
			continue
		}
		for filtered := range 1 << len(named) {
			var f ask.Filters
			for i, dimension := range named {
				if filtered>>i&1 == 1 {
					set(&f, dimension)
				} else {
					f.By = append(f.By, dimension)
				}
			}
			all = append(all, f)
		}
		byDay := all[len(all)-1]
		byDay.By = append([]string{ask.ByDay}, byDay.By...)
		all = append(all, byDay)
	}
	return all
}

// stretches are times that cut days, cut none, are longer than everything, and are asked while things were young.
var stretches = []ask.Filters{
	{All: true},
	{From: past, To: past.AddDate(0, 0, 3)},
	{From: past.Add(7*time.Hour + time.Minute), To: past.Add(50 * time.Hour)},
	{All: true, AsOf: past.Add(30 * time.Hour)},
}

// parity puts so many of all questions, drawn at random, to cells and to runs.
func parity(t *testing.T, f fixture, r *rand.Rand, few map[string][]string) {
	t.Helper()
	asked, celled := 0, 0
	for _, name := range slices.Sorted(maps.Keys(asks)) {
		put := asks[name]
		for _, filters := range filtersFor(few[name]) {
			for _, s := range stretches {
				s.Tool, s.Code, s.Variant, s.Model, s.Agent, s.By = filters.Tool, filters.Code, filters.Variant, filters.Model, filters.Agent, filters.By
				if r.Float64() > 0.04 {
					continue
				}
				if s.AsOf.IsZero() {
					s.AsOf = later
				}
				asked++
				if cells, _, err := f.Celled(t.Context(), name, s); err != nil {
					t.Fatal(err)
				} else if cells > 0 {
					celled++
				}
				got, err := put(t.Context(), f.DB, s)
				if err != nil {
					t.Fatal(name, err)
				}
				want, err := put(t.Context(), f.Anew(), s)
				if err != nil {
					t.Fatal(name, err)
				}
				if g, w := rounded(t, got), rounded(t, want); g != w {
					at := differ(g, w)
					t.Errorf("%s %+v\nfrom cells …%.200s\nfrom runs  …%.200s", name, s, g[at:], w[at:])
				}
			}
		}
	}
	t.Logf("%d questions, of which %d used cells", asked, celled)
	if celled == 0 {
		t.Errorf("none of %d questions used cells", asked)
	}
}

// differ is a little before the place where two texts differ.
func differ(a, b string) int {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	return max(at-60, 0)
}

var long = regexp.MustCompile(`\d+\.\d+(e-?\d+)?`)

// rounded is an answer as text, without the last digits of sums that were taken in another order.
func rounded(t *testing.T, answer any) string {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return long.ReplaceAllStringFunc(string(text), func(number string) string {
		var v float64
		if _, err := fmt.Sscan(number, &v); err != nil {
			return number
		}
		return fmt.Sprintf("%.9g", v)
	})
}

func (f fixture) roll() ask.Rolled {
	f.t.Helper()
	done, err := f.Roll(f.t.Context(), atOnce)
	if err != nil {
		f.t.Fatal(err)
	}
	return done
}

// truth checks that runs stand by time as their facts say, each once.
func truth(t *testing.T, f fixture) {
	t.Helper()
	var wrong uint64
	err := f.Conn().QueryRow(t.Context(), `
		SELECT count() FROM
		(
			SELECT run_id, version FROM runs FINAL UNION ALL SELECT run_id, version FROM dated_runs FINAL
		)
		GROUP BY run_id HAVING count() != 2 OR min(version) != max(version) LIMIT 1`).Scan(&wrong)
	if err == nil {
		t.Errorf("some run stands %d times", wrong)
	}
}

// What is answered from cells is what is answered from runs: of every question, under every filter and grouping that cells
// are kept for and some that they are not, over whole and cut days, whatever was written after they were computed.
func TestCellsSayWhatRunsSay(t *testing.T) {
	f := open(t)
	r := rand.New(rand.NewPCG(7, uint64(time.Now().UnixNano()))) // each run of the test draws other cells and questions
	var runs []metrics.Facts
	for i := range 150 {
		runs = append(runs, randomRun(r, fmt.Sprintf("run-%03d", i)))
	}
	few := map[string][]string{"span.sql": {""}}
	for name := range asks {
		few[name] = slices.Compact([]string{pick(r, ask.CellsOf(name)...), pick(r, ask.CellsOf(name)...)})
	}
	f.Keep(few)
	f.put(runs...)
	if done := f.roll(); done.Days < 4 || done.Hours == 0 {
		t.Errorf("%d days and %d hours were rolled", done.Days, done.Hours)
	}
	if done := f.roll(); done.Days+done.Hours > 0 {
		t.Errorf("%d days and %d hours were rolled again", done.Days, done.Hours)
	}
	parity(t, f, r, few)

	// Some become known anew, at other times, and some are deleted: the days of both are no longer answered from cells.
	f.putVersion(2, randomRun(r, "run-003"), randomRun(r, "run-004"), randomRun(r, "late"))
	for _, id := range []transcript.RunID{"run-010", "run-011"} {
		if err := f.store.Bury(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	f.put(randomRun(r, "run-003"), randomRun(r, "run-010")) // what is known already, and what must not come back
	if done := f.roll(); done.Days == 0 {
		t.Error("nothing was rolled anew")
	}
	truth(t, f)
	parity(t, f, r, few)
}

// What was written after a roll is seen at once.
func TestWhatIsWrittenAfterARollIsSeen(t *testing.T) {
	f := open(t)
	f.Keep(map[string][]string{"loops.sql": {""}, "span.sql": {""}})
	at := func(id string, hour int) metrics.Facts {
		x := run(id, time.Minute)
		x.Run.Started, x.Run.LastActivity = past.Add(time.Duration(hour)*time.Hour), past.Add(time.Duration(hour)*time.Hour+time.Minute)
		x.Calls = []metrics.CallFact{call(0, "t", metrics.OutcomeOK)}
		x.Calls[0].Time = x.Run.Started
		return x
	}
	calls := func(want int64) {
		t.Helper()
		a, err := f.Loops(t.Context(), ask.Filters{All: true})
		if row := only(t, a, err); row.Calls == nil || *row.Calls != want {
			t.Errorf("%+v, want %d calls", row, want)
		}
	}
	f.put(at("a", 3), at("b", 30))
	f.roll()
	calls(2)
	f.put(at("c", 4)) // in a day that is rolled
	calls(3)
	f.put(at("d", 80)) // in one that there was not
	calls(4)
	// What is known anew and stands elsewhere, what was deleted, and what is known already and comes again.
	moved := at("c", 100)
	f.putVersion(2, moved)
	if err := f.store.Bury(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	f.put(at("c", 4), at("b", 30))
	f.roll()
	truth(t, f)
	calls(3)

	// The cells are what answers: without the runs they say the same.
	if err := f.Conn().Exec(t.Context(), "TRUNCATE TABLE dated_runs"); err != nil {
		t.Fatal(err)
	}
	calls(3)
	// A roll that broke off before it was noted counts for nothing.
	if err := f.Conn().Exec(t.Context(), "INSERT INTO loops_cells (level, stretch, roll, dims, calls) SELECT level, stretch, roll + 1, '', 1000 FROM rolls"); err != nil {
		t.Fatal(err)
	}
	calls(3)
}

// A run whose times are corrected stands in one place once it was looked for, whether or not anything is rolled.
func TestARunThatMovedCountsOnce(t *testing.T) {
	f := open(t)
	at := func(id string, hour int) metrics.Facts {
		x := run(id, time.Minute)
		x.Run.Started, x.Run.LastActivity = past.Add(time.Duration(hour)*time.Hour), past.Add(time.Duration(hour)*time.Hour+time.Minute)
		x.Calls = []metrics.CallFact{call(0, "t", metrics.OutcomeOK)}
		x.Calls[0].Time = x.Run.Started
		return x
	}
	calls := func(want int64) {
		t.Helper()
		a, err := f.Loops(t.Context(), ask.Filters{All: true})
		if row := only(t, a, err); row.Calls == nil || *row.Calls != want {
			t.Errorf("%+v, want %d calls", row, want)
		}
	}
	f.put(at("a", 3), at("b", 5))
	f.putVersion(2, at("a", 100))
	tidy := func() {
		t.Helper()
		if err := f.ForgetMoved(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	tidy() // the first look, at everything
	calls(2)
	f.putVersion(3, at("b", 50))
	tidy() // a later one, at what was written since
	calls(2)
	f.put(at("a", 3)) // what was known before, written late
	tidy()
	calls(2)
	truth(t, f)
}
