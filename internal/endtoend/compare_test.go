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
	repeats, labelled, straddling := map[string]float64{}, map[string]float64{}, int64(0)
	for i := range truths {
		settled := truths[i].Settled()
		if settled.Straddles() {
			straddling++
			continue
		}
		for _, e := range settled.Errors {
			labelled[e.Variant]++
			if e.Label == simulate.Repeat {
				repeats[e.Variant]++
			}
		}
	}
	equal(t, "straddling", c.Straddling, straddling)
	equal(t, "first row", c.Rows[0].Role, stats.Guardrail)
	r := rowOf(t, c, "loop_rate")
	equal(t, "errors", []float64{r.AN, r.BN}, []float64{labelled[cfg.Before], labelled[cfg.After]})
	a, b := repeats[cfg.Before]/labelled[cfg.Before], repeats[cfg.After]/labelled[cfg.After]
	equal(t, "loop rates", []float64{*r.A.Value, *r.B.Value}, []float64{a, b})
	if !(*r.AlwaysValidLow <= b-a && b-a <= *r.AlwaysValidHigh) || *r.AlwaysValidHigh >= 0 {
		t.Errorf("the effect %v is not shown inside %v to %v", b-a, *r.AlwaysValidLow, *r.AlwaysValidHigh)
	}
	t.Logf("guardrail %q, loop rate %q", c.Rows[0].Verdict, r.Verdict)

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
				t.Logf("day %d, %s: %q", after, metric, r.Verdict)
			default:
				t.Errorf("day %d, %s: %q of %v, placebo p %v", after, metric, r.Verdict, r.Difference, r.PlaceboP)
			}
		}
	}
}
