package ask_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
)

// Worked example 5: of 200 runs 136 recover within 3 attempts, 48 take 4 to 7, 16 never.
func TestRecoveryOf200Runs(t *testing.T) {
	f := open(t)
	var runs []metrics.Facts
	add := func(n, attempts int, ending metrics.Ending) {
		for range n {
			r := run(fmt.Sprint("r", len(runs)), time.Minute)
			e := episode(0, "search", "bad", ending, attempts)
			e.Reason = metrics.ReasonMovedOn
			r.Calls = []metrics.CallFact{failed(0, "search", "bad", metrics.LabelCorrected)}
			r.Episodes = []metrics.EpisodeFact{e}
			runs = append(runs, r)
		}
	}
	add(60, 1, metrics.EndingRecovered)
	add(50, 2, metrics.EndingRecovered)
	add(26, 3, metrics.EndingRecovered)
	add(40, 4, metrics.EndingRecovered)
	add(8, 7, metrics.EndingRecovered)
	add(16, 2, metrics.EndingAbandoned)
	f.put(runs...)
	a, err := f.Recovery(t.Context(), ask.Filters{})
	row := only(t, a, err)
	same(t, []int64{row.Runs, row.Episodes, row.Mature, row.Maturing, row.Recovered, row.Abandoned, row.Open}, []int64{200, 200, 200, 0, 184, 16, 0})
	same(t, row.Reasons, map[string]int64{"moved_on": 16})
	same(t, row.Attempts, map[string]int64{"1": 60, "2": 50, "3": 26, "4": 40, "7": 8})
	same(t, row.Turns, row.Attempts)
	near(t, "le3", row.Within3, .68)
	near(t, "f4_7", row.From4To7, .24)
	near(t, "ge8", row.From8, 0)
	near(t, "never", row.Never, .08)
	near(t, "with_user", row.WithUser, 0)
	near(t, "unknown", row.Unknown, 0)
	same(t, []any{row.AttemptsP50, row.AttemptsP90, row.AttemptsP95, row.TurnsP50, row.TurnsP95}, []any{2, 7, "never", 2, "never"}) // F1(4) is .88, F1(7) .92
	same(t, row.AttemptsP99, nil)                                                                                                   // two of 200 lie beyond it: too few to say
	if len(row.Incidence) != 7 || row.Incidence[6].Attempt != 7 {
		t.Fatalf("the curve is %+v; want seven points", row.Incidence)
	}
	near(t, "incidence at 1", &row.Incidence[0].Recovered, .3)
	near(t, "incidence at 7", &row.Incidence[6].Recovered, .92)
	// One episode a run: the interval of a share is as good as the binomial one. Clopper–Pearson's of 136 of 200 is
	// .611 to .744.
	if row.Within3Low == nil || *row.Within3Low < .60 || *row.Within3Low > .62 || *row.Within3High < .735 || *row.Within3High > .75 {
		t.Errorf("the interval of le3 is %v to %v", *row.Within3Low, *row.Within3High)
	}
}

// The counts hold all, the shares only what is older than the idle limit.
func TestRecoveryAsOf(t *testing.T) {
	f := open(t)
	r := run("r1", 20*time.Minute)
	r.Episodes = []metrics.EpisodeFact{
		episode(0, "search", "bad", metrics.EndingRecovered, 1),
		episode(10*time.Minute, "search", "bad", metrics.EndingOpen, 2),
	}
	r.Episodes[1].Reason = metrics.ReasonHandedToUser
	r.Calls = []metrics.CallFact{call(20*time.Minute, "search", metrics.OutcomeOK)}
	f.put(r)
	check := func(asOf time.Duration, maturing, abandoned, open int64, le3, never, unknown *float64) {
		t.Helper()
		a, err := f.Recovery(t.Context(), ask.Filters{AsOf: t0.Add(asOf)})
		row := only(t, a, err)
		same(t, []int64{row.Episodes, row.Recovered, row.Maturing, row.Abandoned, row.Open}, []int64{2, 1, maturing, abandoned, open})
		same(t, []*float64{row.Within3, row.Never, row.Unknown}, []*float64{le3, never, unknown})
		if abandoned == 1 {
			same(t, row.Reasons, map[string]int64{"handed_to_user": 1})
		}
	}
	check(30*time.Minute-time.Millisecond, 2, 0, 1, nil, nil, nil)
	check(30*time.Minute, 1, 0, 1, share(1), share(0), share(0))
	// Both are mature. The open one was at risk in steps 1 and 2: recovered at 1 is one of two, nothing is known beyond.
	check(40*time.Minute, 0, 0, 1, share(.5), share(0), share(.5))
	check(50*time.Minute, 0, 0, 1, share(.5), share(0), share(.5))
	// The run has been idle for longer than the limit: the open one is abandoned, after two failed attempts.
	check(50*time.Minute+time.Millisecond, 0, 1, 0, share(.5), share(.5), share(0))
}

// The fixture of statistics.md, section 2. There an abandoned episode stands at the step in which it was given up, which
// is the one after its last attempt.
func TestRecoveryCurve(t *testing.T) {
	f := open(t)
	type outcome struct {
		attempts int
		ending   metrics.Ending
	}
	const r, a, o = metrics.EndingRecovered, metrics.EndingAbandoned, metrics.EndingOpen
	for i, outcomes := range [][]outcome{
		{{1, r}, {2, r}, {1, a}},
		{{1, o}, {3, r}},
		{{0, a}, {4, r}, {2, o}},
		{{2, a}, {5, r}},
		{{3, o}, {1, r}},
	} {
		facts := run(fmt.Sprint("r", i), time.Hour)
		for _, x := range outcomes {
			facts.Episodes = append(facts.Episodes, episode(0, "search", "bad", x.ending, x.attempts))
		}
		f.put(facts)
	}
	// All are mature, and the runs go on, so that what is open stays so.
	answer, err := f.Recovery(t.Context(), ask.Filters{From: t0, To: t0.Add(time.Hour), AsOf: t0.Add(time.Hour)})
	row := only(t, answer, err)
	same(t, []int64{row.Episodes, row.Recovered, row.Abandoned, row.Open, row.Maturing}, []int64{12, 6, 3, 3, 0})
	for k, want := range []float64{.16667, .26042, .37292, .54167} {
		if got := row.Incidence[k].Recovered; math.Abs(got-want) > 5e-6 {
			t.Errorf("F1(%d) is %v, want %v", k+1, got, want)
		}
	}
	near(t, "le3 and F1(3)", row.Within3, row.Incidence[2].Recovered)
}

// Groups and filters are those of the episode's first error.
func TestRecoveryByEverything(t *testing.T) {
	f := open(t)
	a := run("a", time.Hour)
	a.Episodes = []metrics.EpisodeFact{
		episode(0, "search", "bad", metrics.EndingRecovered, 1),
		episode(time.Minute, "edit", "slow", metrics.EndingRecoveredWithUser, 2),
		episode(2*time.Minute, "edit", "slow", metrics.EndingAbandoned, 0),
	}
	a.Episodes[1].Model, a.Episodes[2].Variant = "claude", "structured"
	a.Episodes[2].Reason = metrics.ReasonTurnLimit
	b := run("b", time.Hour)
	b.Run.Meta.Agent = "other"
	b.Episodes = []metrics.EpisodeFact{episode(0, "search", "bad", metrics.EndingRecovered, 3)}
	b.Calls = []metrics.CallFact{call(time.Hour, "search", metrics.OutcomeOK)}
	f.put(a, b)
	check := func(name string, filters ask.Filters, want ...string) {
		want = append([]string{}, want...)
		t.Helper()
		answer, err := f.Recovery(t.Context(), filters)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, r := range answer.Rows {
			by := ""
			for _, dimension := range filters.By {
				by += r.By[dimension] + " "
			}
			got = append(got, fmt.Sprintf("%s%d runs: %d %d %d %v %v", by, r.Runs, r.Recovered, r.RecoveredWithUser, r.Abandoned, r.Attempts, r.Reasons))
		}
		t.Run(name, func(t *testing.T) { same(t, got, want) })
	}
	check("all", ask.Filters{}, "2 runs: 2 1 1 map[1:1 2:1 3:1] map[turn_limit:1]")
	check("by tool", ask.Filters{By: []string{"tool"}}, "edit 1 runs: 0 1 1 map[2:1] map[turn_limit:1]", "search 2 runs: 2 0 0 map[1:1 3:1] map[]")
	check("by code", ask.Filters{By: []string{"code"}}, "bad 2 runs: 2 0 0 map[1:1 3:1] map[]", "slow 1 runs: 0 1 1 map[2:1] map[turn_limit:1]")
	check("by agent", ask.Filters{By: []string{"agent"}}, "bot 1 runs: 1 1 1 map[1:1 2:1] map[turn_limit:1]", "other 1 runs: 1 0 0 map[3:1] map[]")
	check("by day", ask.Filters{By: []string{"day"}}, "2026-10-01 2 runs: 2 1 1 map[1:1 2:1 3:1] map[turn_limit:1]")
	check("by minute", ask.Filters{By: []string{"minute"}, Tool: []string{"edit"}},
		"2026-10-01T00:01:00Z 1 runs: 0 1 0 map[2:1] map[]", "2026-10-01T00:02:00Z 1 runs: 0 0 1 map[] map[turn_limit:1]")
	check("of a model", ask.Filters{Model: []string{"claude"}}, "1 runs: 0 1 0 map[2:1] map[]")
	check("of a variant", ask.Filters{Variant: []string{"structured"}}, "1 runs: 0 0 1 map[] map[turn_limit:1]")
	check("of a code", ask.Filters{Code: []string{"slow"}}, "1 runs: 0 1 1 map[2:1] map[turn_limit:1]")
	check("half open", ask.Filters{From: t0.Add(time.Minute), To: t0.Add(2 * time.Minute)}, "1 runs: 0 1 0 map[2:1] map[]")
	check("nothing", ask.Filters{Tool: []string{"none"}}, "0 runs: 0 0 0 map[] map[]")
	check("nothing, grouped", ask.Filters{Tool: []string{"none"}, By: []string{"tool"}})
}
