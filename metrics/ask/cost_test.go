package ask_test

import (
	"fmt"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/transcript"
)

const oneDay = 24 * time.Hour

// charge is one recovery turn of the given tokens of uncached input at t0 plus the given time.
func charge(at time.Duration, code transcript.Code, input int64) metrics.ChargeFact {
	return metrics.ChargeFact{
		Time: t0.Add(at), Tool: "search", Code: code, Model: "gpt", Variant: "plain", Turns: 1,
		Usage: transcript.Usage{Input: input},
	}
}

// daily is one run a day at noon, each with one error and the given charges.
func daily(days int, charges func(day int) []metrics.ChargeFact) []metrics.Facts {
	var runs []metrics.Facts
	for i := range days {
		at := time.Duration(i)*oneDay + 12*time.Hour
		r := run(fmt.Sprint("r", i), at)
		r.Run.Started = t0.Add(at)
		r.Calls = []metrics.CallFact{failed(at, "search", "bad", metrics.LabelCorrected)}
		r.Charges = charges(i)
		for j := range r.Charges {
			r.Charges[j].Time = t0.Add(at)
		}
		runs = append(runs, r)
	}
	return runs
}

// Worked example 11: 40,000 runs a month, each with 4 recovery turns of 2,000 tokens, are 320 million tokens a month.
// The same runs in 15 days are twice as many a month.
func TestCostOfAMonth(t *testing.T) {
	const runs = 40_000
	f := open(t)
	var facts []metrics.Facts
	for i := range runs {
		at := time.Duration(i) * (30 * oneDay / runs)
		r := run(fmt.Sprint("r", i), at)
		r.Run.Started = t0.Add(at)
		r.Calls = []metrics.CallFact{failed(at, "search", "bad", metrics.LabelCorrected)}
		r.Charges = []metrics.ChargeFact{charge(at, "bad", 2000), charge(at, "bad", 2000), charge(at, "bad", 2000), charge(at, "bad", 2000)}
		facts = append(facts, r)
	}
	f.put(facts...)
	a, err := f.Cost(t.Context(), ask.Filters{From: t0, To: t0.Add(30 * oneDay)})
	row := only(t, a, err)
	same(t, []int64{row.Runs, row.Errors, row.RecoveryTurns, row.Tokens, row.WholeDays}, []int64{runs, runs, 4 * runs, 320_000_000, 30})
	near(t, "tokens_per_run", row.TokensPerRun, 8000)
	near(t, "monthly_tokens", row.MonthlyTokens, 320_000_000)
	near(t, "monthly_usd", row.MonthlyUSD, 0)
	near(t, "costliest_share", row.CostliestShare, .01) // 400 equal runs of 40,000

	a, err = f.Cost(t.Context(), ask.Filters{From: t0, To: t0.Add(15 * oneDay)})
	row = only(t, a, err)
	same(t, []int64{row.Tokens, row.WholeDays}, []int64{160_000_000, 15})
	near(t, "monthly_tokens of half", row.MonthlyTokens, 320_000_000)
}

// Every field, of one code and one other.
func TestCostOfEverything(t *testing.T) {
	f := open(t)
	r := run("a", time.Hour)
	e := failed(0, "search", "bad", metrics.LabelCorrected)
	e.BodyTokens = 70
	other := failed(0, "edit", "slow", metrics.LabelCorrected)
	other.BodyTokens = 5
	r.Calls = []metrics.CallFact{e, other}
	whole := charge(0, "bad", 100)
	whole.Usage = transcript.Usage{Input: 100, CacheRead: 20, CacheWrite: 30, Output: 50}
	whole.Money, whole.Seconds = 2_500_000_000, 1.5
	part := charge(time.Minute, "slow", 200)
	part.Turns, part.Estimated, part.Seconds = 0, true, 2
	r.Charges = []metrics.ChargeFact{whole, part}
	r.Run.Unpriced = []string{"llama"}
	f.put(r)
	a, err := f.Cost(t.Context(), ask.Filters{From: t0, To: t0.Add(oneDay)})
	same(t, only(t, a, err), ask.Cost{
		By: ask.Group{}, Runs: 1, Errors: 2, RecoveryTurns: 1,
		InputTokens: 300, CacheReadTokens: 20, CacheWriteTokens: 30, OutputTokens: 50, Tokens: 400, BodyTokens: 75,
		USD: share(2.5), Unpriced: []string{"llama"}, Seconds: share(3.5), EstimatedTokens: 200, EstimatedShare: share(.5), WholeDays: 1,
		TurnsPerError: share(.5), TokensPerError: share(200), USDPerError: share(1.25), SecondsPerError: share(1.75),
		TurnsPerRun: share(1), TokensPerRun: share(400), USDPerRun: share(2.5), SecondsPerRun: share(3.5),
	})
	a, err = f.Cost(t.Context(), ask.Filters{From: t0, To: t0.Add(oneDay), By: []string{"code"}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, a.Rows, []ask.Cost{
		{
			By: ask.Group{"code": "bad"}, Runs: 1, Errors: 1, RecoveryTurns: 1,
			InputTokens: 100, CacheReadTokens: 20, CacheWriteTokens: 30, OutputTokens: 50, Tokens: 200, BodyTokens: 70,
			USD: share(2.5), Unpriced: []string{"llama"}, Seconds: share(1.5), EstimatedShare: share(0), WholeDays: 1,
			TurnsPerError: share(1), TokensPerError: share(200), USDPerError: share(2.5), SecondsPerError: share(1.5),
			TurnsPerRun: share(1), TokensPerRun: share(200), USDPerRun: share(2.5), SecondsPerRun: share(1.5),
		},
		{ // nothing of it has a price: the money is not known
			By: ask.Group{"code": "slow"}, Runs: 1, Errors: 1,
			InputTokens: 200, Tokens: 200, BodyTokens: 5,
			Unpriced: []string{"llama"}, Seconds: share(2), EstimatedTokens: 200, EstimatedShare: share(1), WholeDays: 1,
			TurnsPerError: share(0), TokensPerError: share(200), SecondsPerError: share(2),
			TurnsPerRun: share(0), TokensPerRun: share(200), SecondsPerRun: share(2),
		},
	})
}

// The projection rests on whole days that are covered, and on seven of them at least.
func TestCostOfWholeDays(t *testing.T) {
	f := open(t)
	f.put(daily(9, func(int) []metrics.ChargeFact { return []metrics.ChargeFact{charge(0, "bad", 10)} })...)
	check := func(name string, filters ask.Filters, days int64, monthly *float64) {
		t.Helper()
		a, err := f.Cost(t.Context(), filters)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { same(t, []any{a.Rows[0].WholeDays, a.Rows[0].MonthlyTokens}, []any{days, monthly}) })
	}
	at := func(days float64) time.Time { return t0.Add(time.Duration(days * float64(oneDay))) }
	check("the day of the newest call is not over", ask.Filters{}, 8, share(300))
	check("all time likewise", ask.Filters{All: true}, 8, share(300))
	check("nine whole days", ask.Filters{From: at(0), To: at(9)}, 9, share(300))
	check("days without data are not covered", ask.Filters{From: at(-20), To: at(20)}, 9, share(300))
	check("a part of a day is not covered", ask.Filters{From: at(.5), To: at(8.5)}, 7, share(300))
	check("six days are too few", ask.Filters{From: at(1), To: at(7)}, 6, nil)
	check("as of an earlier time", ask.Filters{From: at(0), To: at(9), AsOf: at(7.5)}, 7, share(300))
	check("before all data", ask.Filters{From: at(-9), To: at(-1)}, 0, nil)
	check("no projection of a day", ask.Filters{From: at(0), To: at(9), By: []string{"day"}}, 9, nil)
}

// A run that does not say when things happened has no seconds, which is not none.
func TestCostWithoutTimes(t *testing.T) {
	f := open(t)
	r := run("a", 0)
	r.Run.Timed = false
	r.Charges = []metrics.ChargeFact{charge(0, "bad", 10)}
	f.put(r)
	a, err := f.Cost(t.Context(), ask.Filters{All: true})
	same(t, only(t, a, err).Seconds, nil)
	a, err = f.Cost(t.Context(), ask.Filters{All: true, Tool: []string{"none"}})
	same(t, only(t, a, err).Seconds, 0)
}
