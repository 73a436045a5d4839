package endtoend_test

import (
	"testing"
	"time"

	"errata/internal/simulate"
	"errata/metrics/ask"
	"errata/metrics/stats"
)

func rowOf(t *testing.T, c ask.Comparison, metric string) ask.Compared {
	t.Helper()
	for _, r := range c.Rows {
		if r.Metric == metric {
			return r
		}
	}
	t.Fatalf("there is no row %s", metric)
	return ask.Compared{}
}

// planned is what the simulator planned for each payload, of runs that saw but one.
type planned struct {
	labelled, repeats, known, successes map[string]float64
	straddling                          int64
}

func (p *planned) add(r simulate.Truth) {
	if p.labelled == nil {
		p.labelled, p.repeats, p.known, p.successes = map[string]float64{}, map[string]float64{}, map[string]float64{}, map[string]float64{}
	}
	if len(r.Calls) == 0 {
		return
	}
	if r.Straddles() {
		p.straddling++
		return
	}
	for _, e := range r.Errors {
		p.labelled[e.Variant]++
		if e.Label == simulate.Repeat {
			p.repeats[e.Variant]++
		}
	}
	if r.TaskSuccess != nil {
		p.known[r.Calls[0].Variant]++
		p.successes[r.Calls[0].Variant] += float64(one(*r.TaskSuccess))
	}
}

func (p *planned) loopRate(variant string) float64 { return p.repeats[variant] / p.labelled[variant] }
func (p *planned) success(variant string) float64  { return p.successes[variant] / p.known[variant] }

// The demo's two payloads: guardrail first, the simulated effect inside its interval, and the loop rates those of the truth.
func TestComparisonOfTheDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("the demo's 3,000 runs are left out in short tests")
	}
	cfg := simulate.Demo(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC))
	db, truths := stored(t, cfg)
	asOf := ask.Filters{All: true, AsOf: cfg.End().Add(48 * time.Hour)}
	c, err := db.Compare(t.Context(), ask.CompareFilters{Filters: asOf, A: cfg.Before, B: cfg.After})
	if err != nil {
		t.Fatal(err)
	}
	var seen planned
	for i := range truths {
		seen.add(truths[i].Settled())
	}
	equal(t, "straddling", c.Straddling, seen.straddling)
	equal(t, "first row", c.Rows[0].Role, stats.Guardrail)
	r := rowOf(t, c, "loop_rate")
	equal(t, "errors", []float64{r.AN, r.BN}, []float64{seen.labelled[cfg.Before], seen.labelled[cfg.After]})
	equal(t, "loop rates", []float64{*r.A.Value, *r.B.Value}, []float64{seen.loopRate(cfg.Before), seen.loopRate(cfg.After)})

	// The effect is what the same settings give in other runs, of which there are four times as many.
	var others planned
	for seed := range uint64(4) {
		more := cfg
		more.Seed = cfg.Seed + 1 + seed
		for run := range simulate.Generate(more) {
			others.add(run.Truth.Settled())
		}
	}
	inside := func(r ask.Compared, effect float64) {
		t.Helper()
		t.Logf("%s: effect %.4f, shown %.4f in %.4f to %.4f: %q", r.Metric, effect, *r.Difference, *r.AlwaysValidLow, *r.AlwaysValidHigh, r.Verdict)
		if effect < *r.AlwaysValidLow || effect > *r.AlwaysValidHigh {
			t.Errorf("%s: the effect %v is not inside %v to %v", r.Metric, effect, *r.AlwaysValidLow, *r.AlwaysValidHigh)
		}
	}
	inside(r, others.loopRate(cfg.After)-others.loopRate(cfg.Before))
	inside(c.Rows[0], others.success(cfg.After)-others.success(cfg.Before))
	equal(t, "verdicts", []any{c.Rows[0].Verdict, r.Verdict}, []any{stats.Holds, stats.Better})

	// Cut to about a dozen runs on either side of the cutover, it is still collecting.
	few := ask.Filters{AsOf: asOf.AsOf, From: cfg.CutoverAt().Add(-90 * time.Minute), To: cfg.CutoverAt().Add(90 * time.Minute)}
	c, err = db.Compare(t.Context(), ask.CompareFilters{Filters: few, A: cfg.Before, B: cfg.After})
	if err != nil {
		t.Fatal(err)
	}
	if r := rowOf(t, c, "loop_rate"); r.ARuns >= stats.LeastRuns || r.Verdict != stats.Collecting && len(c.Withheld) == 0 {
		t.Errorf("%v and %v runs: %q, withheld %v", r.ARuns, r.BRuns, r.Verdict, c.Withheld)
	}
}

// A moment placed at random in days that merely vary shows no cause.
func TestComparisonAroundAMomentAtWhichNothingHappened(t *testing.T) {
	cfg := simulate.Default()
	cfg.Days, cfg.RunsPerDay, cfg.OpenRuns, cfg.Fraction, cfg.Straddle, cfg.Variation = 60, 30, 0, 0, 0, .6
	cfg.After = cfg.Before
	if testing.Short() {
		t.Skip("two months of runs are left out in short tests")
	}
	db, _ := stored(t, cfg)
	differs := 0
	for _, after := range []int{46, 49, 53} {
		c, err := db.Compare(t.Context(), ask.CompareFilters{
			Filters: ask.Filters{All: true, AsOf: cfg.End().Add(48 * time.Hour)}, Cutover: cfg.Start.Add(time.Duration(after) * 24 * time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range []string{"loop_rate", "repeats_per_run", "errors_per_run"} {
			switch r := rowOf(t, c, metric); r.Verdict {
			case stats.CauseNotShown, stats.NoDifferenceShown:
				differs += one(r.Verdict == stats.CauseNotShown)
				t.Logf("day %d, %s: %q", after, metric, r.Verdict)
			default:
				t.Errorf("day %d, %s: %q of %v, placebo p %v", after, metric, r.Verdict, r.Difference, r.PlaceboP)
			}
		}
	}
	if differs == 0 {
		t.Error("at no moment was there a difference: these days do not vary enough to show anything")
	}
}
