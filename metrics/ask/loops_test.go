package ask_test

import (
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/transcript"
)

// Worked example 2: call, error, the identical call, error, identical call, ok.
func TestLoopsOfOneChain(t *testing.T) {
	f := open(t)
	r := run("r1", 3*time.Minute)
	r.Calls = []metrics.CallFact{
		failed(time.Minute, "search", "bad", metrics.LabelRepeat),
		failed(2*time.Minute, "search", "bad", metrics.LabelRepeat),
		call(3*time.Minute, "search", metrics.OutcomeOK),
	}
	r.Calls[0].Chain = 2
	f.put(r)
	a, err := f.Loops(t.Context(), ask.Filters{})
	row := only(t, a, err)
	row.LoopRunShareLow, row.LoopRunShareHigh = nil, nil // checked where there is more than one run
	want := ask.Loops{
		By: ask.Group{}, Runs: 1, Calls: count(3), ErrorShare: share(2. / 3), LoopRunShare: share(1), RepeatsPerRun: share(2), Errored: 2, Refused: count(0), Cancelled: count(0), Pending: count(0),
		Labelled: 2, Repeat: 2, Futile: 2, LoopRate: share(1), Mature: 2, MatureRepeats: 2,
		Loops: 1, LongestChain: 2, RunsWithError: 1, RunsWithLoop: 1, MatureRunsWithError: 1, MatureRunsWithLoop: 1,
		IdleRepeats: count(0),
	}
	same(t, row, want)
	same(t, a.Filters.To, t0.Add(3*time.Minute+time.Millisecond))
	same(t, a.Filters.From, t0.Add(3*time.Minute+time.Millisecond-ask.Window))
	same(t, a.AsOf, later)
}

// Worked example 3: the repeat was asked for, so it is sanctioned and not futile.
func TestLoopsOfASanctionedRepeat(t *testing.T) {
	f := open(t)
	r := run("r1", time.Minute)
	c := failed(0, "search", "busy", metrics.LabelRepeat)
	c.Sanctioned = true
	r.Calls = []metrics.CallFact{c, call(time.Minute, "search", metrics.OutcomeOK)}
	f.put(r)
	a, err := f.Loops(t.Context(), ask.Filters{})
	row := only(t, a, err)
	same(t, []int64{row.Repeat, row.Sanctioned, row.Futile}, []int64{1, 1, 0})
}

// Worked example 7: a user message between the error and the same call again is no repeat.
func TestLoopsOfAUsersWord(t *testing.T) {
	f := open(t)
	r := run("r1", time.Minute)
	r.Calls = []metrics.CallFact{failed(0, "search", "bad", metrics.LabelUser), call(time.Minute, "search", metrics.OutcomeOK)}
	r.Episodes = []metrics.EpisodeFact{episode(0, "search", "bad", metrics.EndingRecoveredWithUser, 1)}
	f.put(r)
	a, err := f.Loops(t.Context(), ask.Filters{})
	row := only(t, a, err)
	same(t, []int64{row.User, row.Repeat, row.Labelled}, []int64{1, 0, 1})
	same(t, row.LoopRate, share(0))
	b, err := f.Recovery(t.Context(), ask.Filters{})
	recovered := only(t, b, err)
	same(t, []int64{recovered.Recovered, recovered.RecoveredWithUser}, []int64{0, 1})
	same(t, []*float64{recovered.Within3, recovered.WithUser}, []*float64{share(0), share(1)})
}

// everything holds every outcome, label and pattern at least once, in three runs of two tools, two codes, two agents,
// models and variants, over two days.
func everything() []metrics.Facts {
	const day = 24 * time.Hour
	a := run("a", 10*time.Minute)
	a.Calls = []metrics.CallFact{
		failed(1*time.Minute, "search", "bad", metrics.LabelRepeat), // first error: a repeat
		failed(2*time.Minute, "search", "bad", metrics.LabelRepeat),
		failed(3*time.Minute, "search", "bad", metrics.LabelCorrected),
		call(4*time.Minute, "search", metrics.OutcomeOK),
		call(5*time.Minute, "search", metrics.OutcomeRefused),
		call(6*time.Minute, "edit", metrics.OutcomeCancelled),
		call(7*time.Minute, "edit", metrics.OutcomePending),
		failed(8*time.Minute, "edit", "slow", metrics.LabelRepeat),
		failed(9*time.Minute, "edit", "slow", metrics.LabelSwitched),
	}
	a.Calls[0].Chain, a.Calls[7].Chain, a.Calls[7].Sanctioned = 2, 1, true
	a.Patterns = []metrics.PatternFact{
		{Kind: metrics.PatternIdleRepeat, Time: t0, Tool: "search", Model: "gpt", Variant: "plain", Length: 2},
		{Kind: metrics.PatternStuckStreak, Time: t0, Tool: "search", Code: "bad", Model: "gpt", Variant: "plain", Length: 3},
		{Kind: metrics.PatternCycle, Time: t0, Tool: "edit", Code: "slow", Model: "gpt", Variant: "plain", Length: 4},
	}
	b := run("b", day)
	b.Run.Meta.Agent = "other"
	b.Calls = []metrics.CallFact{
		failed(day, "search", "bad", metrics.LabelReplied), // first error: no repeat
		failed(day, "search", "bad", metrics.LabelUser),
	}
	b.Calls[0].Model, b.Calls[1].Variant = "claude", "structured"
	c := run("c", 0) // no error
	c.Calls = []metrics.CallFact{call(0, "edit", metrics.OutcomeOK)}
	return []metrics.Facts{a, b, c}
}

func TestLoopsOfEverything(t *testing.T) {
	f := open(t)
	f.put(everything()...)
	a, err := f.Loops(t.Context(), ask.Filters{})
	row := only(t, a, err)
	// Errored calls: 5 in a (3 repeats), 2 in b (none): p = 3/7, z = 5·4/7−… by statistics.md, section 1.
	low, high := row.LoopRateLow, row.LoopRateHigh
	if low == nil || high == nil || !(*low < 3./7 && 3./7 < *high) {
		t.Errorf("interval %v to %v does not hold 3/7", low, high)
	}
	row.LoopRateLow, row.LoopRateHigh = nil, nil
	// Wilson's interval of 1 of 2 runs: (1/2 + z²/4)/(1 + z²/2) ± z/(1 + z²/2)·√(1/8 + z²/16), with z² = 3.8415.
	near3(t, "loop_run_share_low", row.LoopRunShareLow, .0945)
	near3(t, "loop_run_share_high", row.LoopRunShareHigh, .9055)
	row.LoopRunShareLow, row.LoopRunShareHigh = nil, nil
	same(t, row, ask.Loops{
		By: ask.Group{}, Runs: 3, Calls: count(12), Errored: 7, Refused: count(1), Cancelled: count(1), Pending: count(1),
		ErrorShare: share(7. / 9), LoopRunShare: share(.5), RepeatsPerRun: share(1), // of 7 errored and 2 ok; 3 repeats in 3 runs
		Labelled: 7, Repeat: 3, Corrected: 1, Switched: 1, Replied: 1, User: 1, Futile: 2, Sanctioned: 1,
		LoopRate: share(3. / 7), Mature: 7, MatureRepeats: 3, Loops: 2, LongestChain: 2,
		RunsWithError: 2, RunsWithLoop: 1, MatureRunsWithError: 2, MatureRunsWithLoop: 1,
		IdleRepeats: count(1), StuckStreaks: 1, Cycles: 1,
	})
}

// TestLoopsByEverything puts the same question under every filter and group: what is counted is runs, calls, errored,
// repeats, idle repeats.
func TestLoopsByEverything(t *testing.T) {
	f := open(t)
	f.put(everything()...)
	const day = 24 * time.Hour
	type counts struct {
		By                     string
		Runs                   int64
		Calls                  *int64
		Errored, Repeat, Loops int64
		Idle                   *int64
	}
	check := func(name string, filters ask.Filters, want ...counts) {
		want = append([]counts{}, want...)
		t.Run(name, func(t *testing.T) {
			t.Helper()
			a, err := f.Loops(t.Context(), filters)
			if err != nil {
				t.Fatal(err)
			}
			got := []counts{}
			for _, r := range a.Rows {
				by := ""
				for _, dimension := range filters.By {
					by += r.By[dimension] + " "
				}
				got = append(got, counts{by, r.Runs, r.Calls, r.Errored, r.Repeat, r.Loops, r.IdleRepeats})
			}
			same(t, got, want)
		})
	}
	check("by tool", ask.Filters{By: []string{"tool"}},
		counts{"edit ", 2, count(5), 2, 1, 1, count(0)}, counts{"search ", 2, count(7), 5, 2, 1, count(1)})
	check("by code", ask.Filters{By: []string{"code"}},
		counts{"bad ", 2, nil, 5, 2, 1, nil}, counts{"slow ", 1, nil, 2, 1, 1, nil})
	check("of a code", ask.Filters{Code: []string{"slow"}},
		counts{"", 1, nil, 2, 1, 1, nil})
	check("by variant", ask.Filters{By: []string{"variant"}},
		counts{"plain ", 3, count(11), 6, 3, 2, count(1)}, counts{"structured ", 1, count(1), 1, 0, 0, count(0)})
	check("by model", ask.Filters{By: []string{"model"}},
		counts{"claude ", 1, count(1), 1, 0, 0, count(0)}, counts{"gpt ", 3, count(11), 6, 3, 2, count(1)})
	check("by agent", ask.Filters{By: []string{"agent"}},
		counts{"bot ", 2, count(10), 5, 3, 2, count(1)}, counts{"other ", 1, count(2), 2, 0, 0, count(0)})
	check("by agent and tool, in that order", ask.Filters{By: []string{"agent", "tool"}},
		counts{"bot edit ", 2, count(5), 2, 1, 1, count(0)}, counts{"bot search ", 1, count(5), 3, 2, 1, count(1)},
		counts{"other search ", 1, count(2), 2, 0, 0, count(0)})
	check("by day", ask.Filters{By: []string{"day"}},
		counts{"2026-10-01 ", 2, count(10), 5, 3, 2, count(1)}, counts{"2026-10-02 ", 1, count(2), 2, 0, 0, count(0)})
	check("by hour", ask.Filters{By: []string{"hour"}, Tool: []string{"edit"}},
		counts{"2026-10-01T00:00:00Z ", 2, count(5), 2, 1, 1, count(0)})
	check("by minute and day", ask.Filters{By: []string{"minute", "day"}, To: t0.Add(2 * time.Minute)},
		counts{"2026-10-01T00:00:00Z 2026-10-01 ", 1, count(1), 0, 0, 0, count(1)},
		counts{"2026-10-01T00:01:00Z 2026-10-01 ", 1, count(1), 1, 1, 1, count(0)})
	check("tools", ask.Filters{Tool: []string{"edit", "search"}, Agent: []string{"bot"}},
		counts{"", 2, count(10), 5, 3, 2, count(1)})
	check("variant and model", ask.Filters{Variant: []string{"plain"}, Model: []string{"claude"}},
		counts{"", 1, count(1), 1, 0, 0, count(0)})
	check("nothing matches", ask.Filters{Tool: []string{"no such tool"}},
		counts{"", 0, count(0), 0, 0, 0, count(0)})
	check("nothing matches, of a code", ask.Filters{Code: []string{"no such code"}},
		counts{"", 0, nil, 0, 0, 0, nil})
	check("nothing matches, grouped", ask.Filters{Tool: []string{"no such tool"}, By: []string{"tool"}})
	check("half open", ask.Filters{From: t0.Add(time.Minute), To: t0.Add(3 * time.Minute)},
		counts{"", 1, count(2), 2, 2, 1, count(0)})
	check("all time", ask.Filters{All: true, Agent: []string{"other"}},
		counts{"", 1, count(2), 2, 0, 0, count(0)})
	check("the newest call is in the default window", ask.Filters{From: t0.Add(day)},
		counts{"", 1, count(2), 2, 0, 0, count(0)})
	check("names are data", ask.Filters{Tool: []string{`it's`, `a\b`, "tab\tnew\nline", `'), (SELECT 1`, `{by:String}`}},
		counts{"", 0, count(0), 0, 0, 0, count(0)})
}

// Names of tools come from model output and go back as filters.
func TestFiltersFindEveryName(t *testing.T) {
	f := open(t)
	names := []string{`it's`, `a\b`, `a\\b`, `\'`, "tab\tnew\nline\rback\bform\fnul\x00", `[]`, `日本`, "\xff", `"`, `%`, ``}
	for i, name := range names {
		r := run(string(rune('a'+i)), 0)
		r.Calls = []metrics.CallFact{call(0, transcript.Tool(name), metrics.OutcomeOK)}
		f.put(r)
	}
	for _, name := range names {
		a, err := f.Loops(t.Context(), ask.Filters{Tool: []string{name, "and another"}})
		if row := only(t, a, err); row.Runs != 1 {
			t.Errorf("tool %q: %d runs, want 1", name, row.Runs)
		}
	}
}

// A label and maturity come with age; as_of decides, not the clock.
func TestLoopsAsOf(t *testing.T) {
	f := open(t)
	r := run("r1", 2*time.Minute)
	r.Calls = []metrics.CallFact{
		failed(time.Minute, "search", "bad", metrics.LabelRepeat),
		failed(2*time.Minute, "search", "bad", metrics.LabelNone),
	}
	f.put(r)
	check := func(asOf time.Duration, labelled, ended, maturing int64, rate *float64) {
		t.Helper()
		a, err := f.Loops(t.Context(), ask.Filters{AsOf: t0.Add(asOf)})
		row := only(t, a, err)
		same(t, []int64{row.Labelled, row.Ended, row.Maturing, row.Repeat}, []int64{labelled, ended, maturing, 1})
		same(t, row.LoopRate, rate)
	}
	check(3*time.Minute, 1, 0, 2, nil)
	check(6*time.Minute-time.Millisecond, 1, 0, 2, nil)
	check(6*time.Minute, 1, 0, 1, share(1)) // the first is five minutes old
	check(7*time.Minute-time.Millisecond, 1, 0, 1, share(1))
	check(7*time.Minute, 2, 1, 0, share(.5)) // the second too: its label is settled
}

// An error in a run that has ended is labelled at once, and matures like any other.
func TestLoopsOfAnEndedRunAsOf(t *testing.T) {
	f := open(t)
	r := run("r1", 0)
	r.Run.Meta.Ended = true
	r.Calls = []metrics.CallFact{failed(0, "search", "bad", metrics.LabelNone)}
	f.put(r)
	a, err := f.Loops(t.Context(), ask.Filters{AsOf: t0})
	row := only(t, a, err)
	same(t, []int64{row.Labelled, row.Ended, row.Maturing}, []int64{1, 1, 1})
}

// A run without times of its own has no age: nothing in it matures before it has ended, by its record or by the idle
// limit after the records came.
func TestLoopsWithoutTimesAsOf(t *testing.T) {
	f := open(t)
	r := run("r1", 0)
	r.Run.Timed = false
	r.Calls = []metrics.CallFact{failed(0, "search", "bad", metrics.LabelNone)}
	f.put(r)
	check := func(asOf time.Duration, labelled, maturing int64) {
		t.Helper()
		a, err := f.Loops(t.Context(), ask.Filters{AsOf: t0.Add(asOf)})
		row := only(t, a, err)
		same(t, []int64{row.Labelled, row.Maturing}, []int64{labelled, maturing})
	}
	check(6*time.Minute, 0, 1)
	check(30*time.Minute, 0, 1)
	check(30*time.Minute+time.Millisecond, 1, 0) // older than the idle limit

	r.Run.Meta.Ended = true
	f.putVersion(2, r)
	check(0, 1, 0)
}

// A run that is stored again replaces itself, whatever it held before.
func TestLoopsOfARunStoredTwice(t *testing.T) {
	f := open(t)
	r := run("r1", time.Minute)
	r.Calls = []metrics.CallFact{failed(0, "search", "bad", metrics.LabelRepeat), failed(time.Minute, "search", "bad", "")}
	f.put(r)
	r.Calls = r.Calls[:1]
	r.Calls[0].Label = metrics.LabelCorrected
	f.putVersion(2, r)
	a, err := f.Loops(t.Context(), ask.Filters{})
	row := only(t, a, err)
	same(t, []int64{row.Runs, row.Errored, row.Repeat, row.Corrected}, []int64{1, 1, 0, 1})
}

func TestEmptyDatabase(t *testing.T) {
	f := open(t)
	a, err := f.Loops(t.Context(), ask.Filters{})
	row := only(t, a, err)
	zero := count(0)
	same(t, row, ask.Loops{By: ask.Group{}, Calls: zero, Refused: zero, Cancelled: zero, Pending: zero, IdleRepeats: zero})
	same(t, a.Filters.To, later)

	b, err := f.Recovery(t.Context(), ask.Filters{})
	recovered := only(t, b, err)
	same(t, []any{recovered.Episodes, recovered.Within3, recovered.AttemptsP50, recovered.Incidence, recovered.Reasons},
		[]any{0, nil, nil, []int{}, map[string]int{}})

	c, err := f.Cost(t.Context(), ask.Filters{})
	cost := only(t, c, err)
	same(t, []any{cost.Errors, cost.USD, cost.EstimatedShare, cost.MonthlyTokens}, []any{0, 0, nil, nil})

	for _, by := range ask.Dimensions() {
		a, err := f.Loops(t.Context(), ask.Filters{By: []string{by}})
		if err != nil || len(a.Rows) != 0 || a.Rows == nil {
			t.Errorf("by %s: %v, %v", by, a.Rows, err)
		}
	}
}
