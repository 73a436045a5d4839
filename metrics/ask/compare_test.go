package ask_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/metrics/stats"
	"errata/transcript"
)

// shown is a run that saw one payload: it starts some time after t0, carries task success, and failed once with search,
// whose episode ended after some attempts.
func shown(id string, at time.Duration, variant transcript.Variant, success bool, label metrics.Label, e metrics.EpisodeFact) metrics.Facts {
	f := run(id, at+time.Hour)
	f.Run.Started = t0.Add(at)
	f.Run.Meta.TaskSuccess, f.Run.Meta.Ended = &success, true
	f.Calls = []metrics.CallFact{failed(at, "search", "bad", label)}
	f.Episodes = []metrics.EpisodeFact{e}
	f.Calls[0].Variant, f.Episodes[0].Variant = variant, variant
	f.Calls[0].BodyTokens = 10
	return f
}

func recoveredAfter(at time.Duration, attempts int) metrics.EpisodeFact {
	return episode(at, "search", "bad", metrics.EndingRecovered, attempts)
}

func row(t *testing.T, c ask.Comparison, metric string) ask.Compared {
	t.Helper()
	for _, r := range c.Rows {
		if r.Metric == metric {
			return r
		}
	}
	t.Fatalf("there is no row %s", metric)
	return ask.Compared{}
}

// twoArms are 100 runs of each payload. Of a, 60 repeat and 40 correct the call; 50 recover after 2 attempts, 30 after 5
// and 20 never; 90 succeed. Of b, 10 repeat; 90 recover after 1 attempt and 10 never; 95 succeed. Every error has a body
// of 10 tokens; every run of a pays 100 tokens for it, of b 40.
func twoArms() []metrics.Facts {
	var runs []metrics.Facts
	for i := range 100 {
		at := time.Duration(i) * time.Minute
		label, e := metrics.LabelCorrected, recoveredAfter(at, 2)
		if i < 60 {
			label = metrics.LabelRepeat
		}
		if i >= 50 {
			e = recoveredAfter(at, 5)
		}
		if i >= 80 {
			e = episode(at, "search", "bad", metrics.EndingAbandoned, 3)
		}
		a := shown(fmt.Sprintf("a%03d", i), at, "a", i < 90, label, e)
		a.Charges = []metrics.ChargeFact{{Time: t0.Add(at), Tool: "search", Code: "bad", Model: "gpt", Variant: "a", Turns: 1, Usage: transcript.Usage{Input: 60, Output: 40}, Money: 2e6}}
		label, e = metrics.LabelCorrected, recoveredAfter(at, 1)
		if i < 10 {
			label = metrics.LabelRepeat
		}
		if i >= 90 {
			e = episode(at, "search", "bad", metrics.EndingAbandoned, 2)
		}
		b := shown(fmt.Sprintf("b%03d", i), at, "b", i < 95, label, e)
		b.Charges = []metrics.ChargeFact{{Time: t0.Add(at), Tool: "search", Code: "bad", Model: "gpt", Variant: "b", Turns: 1, Usage: transcript.Usage{Input: 30, Output: 10}, Money: 1e6}}
		runs = append(runs, a, b)
	}
	return runs
}

func TestCompareTwoVariants(t *testing.T) {
	f := open(t)
	f.put(twoArms()...)
	c, err := f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, []int64{c.ARuns, c.BRuns, c.Straddling}, []int64{100, 100, 0})
	same(t, c.Withheld, []string{})
	for _, want := range []struct {
		metric     string
		role       stats.Role
		a, b       float64
		aN, aRuns  float64
		difference float64
		verdict    stats.Verdict
	}{
		{"task_success", stats.Guardrail, .90, .95, 100, 100, .05, stats.NotShown},
		{"first_error_looped", stats.FirstError, .6, .1, 100, 100, -.5, stats.BetterGuardrailOpen},
		{"first_error_recovered_within_3", stats.FirstError, .5, .9, 100, 100, .4, stats.BetterGuardrailOpen},
		{"first_error_recovery_tokens", stats.FirstError, 100, 40, 100, 100, -60, stats.BetterGuardrailOpen},
		{"first_error_recovery_tokens_capped", stats.FirstError, 100, 40, 100, 100, -60, stats.BetterGuardrailOpen},
		{"errors_per_run", stats.FirstError, 1, 1, 100, 100, 0, stats.NoDifferenceShown},
		{"repeats_per_run", stats.FirstError, .6, .1, 100, 100, -.5, stats.BetterGuardrailOpen},
		{"recovery_tokens_per_run", stats.FirstError, 100, 40, 100, 100, -60, stats.BetterGuardrailOpen},
		{"recovery_tokens_per_run_capped", stats.FirstError, 100, 40, 100, 100, -60, stats.BetterGuardrailOpen},
		{"loop_rate", stats.Primary, .6, .1, 100, 100, -.5, stats.BetterGuardrailOpen},
		{"never", stats.Secondary, .2, .1, 100, 100, -.1, stats.NoDifferenceShown},
		{"recovered_within_3", stats.Secondary, .5, .9, 100, 100, .4, stats.BetterGuardrailOpen},
		// Counted up to 10: 50·2 + 30·5 + 20·10 = 450 of a, 90·1 + 10·10 = 190 of b.
		{"restricted_mean_attempts", stats.Secondary, 4.5, 1.9, 100, 100, -2.6, stats.BetterGuardrailOpen},
		{"tokens_per_error", stats.Secondary, 100, 40, 100, 100, -60, stats.BetterGuardrailOpen},
		{"tokens_per_error_capped", stats.Secondary, 100, 40, 100, 100, -60, stats.BetterGuardrailOpen},
		{"usd_per_error", stats.Secondary, .002, .001, 100, 100, -.001, stats.BetterGuardrailOpen},
		{"body_tokens_per_error", stats.Secondary, 10, 10, 100, 100, 0, stats.NoDifferenceShown},
	} {
		r := row(t, c, want.metric)
		same(t, []any{r.Role, r.AN, r.ARuns, r.Observational}, []any{want.role, want.aN, want.aRuns, false})
		near(t, want.metric+" a", r.A.Value, want.a)
		near(t, want.metric+" b", r.B.Value, want.b)
		near(t, want.metric+" difference", r.Difference, want.difference)
		if r.Verdict != want.verdict {
			t.Errorf("%s: %q, want %q", want.metric, r.Verdict, want.verdict)
		}
	}
	if r := row(t, c, "obedience"); r.A.Value != nil || r.Verdict != stats.Collecting {
		t.Errorf("obedience without an error that asks for anything: %+v", r)
	}
	names := make([]string, len(c.Rows))
	for i, r := range c.Rows {
		names[i] = r.Metric
	}
	same(t, names, append(ask.ComparedMetrics(), "attempts_p50", "attempts_p90", "attempts_p95", "turns_p50", "turns_p90", "turns_p95"))
	// Half of a recovered by attempt 2; its 90th is never, since 20 of 100 are lost. Half of b did by attempt 1.
	p50, p90 := row(t, c, "attempts_p50"), row(t, c, "attempts_p90")
	same(t, []string{p50.A.String(), p50.B.String(), p90.A.String(), p90.B.String(), p90.Words}, []string{"2", "1", "never", "1", "1 against never"})
	near(t, "difference of medians", p50.Difference, -1)
	same(t, []any{p50.Verdict, p90.Difference}, []any{nil, nil})
}

// The intervals are those of statistics.md 4 by hand: one observation of 0 or 1 a run, 100 runs an arm, so Var R is
// p(1−p)/99 and the pooled floor .35·.65·200/199/100.
func TestCompareIntervals(t *testing.T) {
	f := open(t)
	f.put(twoArms()...)
	c, err := f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b"})
	if err != nil {
		t.Fatal(err)
	}
	va, vb, floor := .6*.4/99, .1*.9/99, .35*.65*200/199/100
	se := math.Sqrt(max(va, floor) + max(vb, floor))
	tuning := -2*math.Log(.05) + math.Log(1-2*math.Log(.05))
	x := tuning * 200 / 500
	half := se * math.Sqrt((1+1/x)*math.Log((1+x)/(.05*.05)))
	r := row(t, c, "loop_rate")
	near(t, "always valid low", r.AlwaysValidLow, -.5-half)
	near(t, "always valid high", r.AlwaysValidHigh, -.5+half)
	// Welch–Satterthwaite gives 162.47 degrees of freedom, t of which at .975 is 1.97472 (R: qt(.975, 162.47)).
	degrees := (va + vb) * (va + vb) / (va*va/99 + vb*vb/99)
	if math.Abs(degrees-163.5) > 3 {
		t.Errorf("%v degrees of freedom", degrees)
	}
	within(t, "low", r.Low, -.5-1.9747*math.Sqrt(va+vb), 1e-4)
	within(t, "high", r.High, -.5+1.9747*math.Sqrt(va+vb), 1e-4)
	if r := row(t, c, "errors_per_run"); r.AlwaysValidLow != nil {
		t.Error("a figure that no run varies in has an interval")
	}
	if r := row(t, c, "never"); r.CouldMiss == nil || *r.CouldMiss < .1 {
		t.Errorf("no difference shown could have missed %v", deref(r.CouldMiss))
	}
}

func within(t *testing.T, what string, got *float64, want, by float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > by {
		t.Errorf("%s: %v, want %v", what, deref(got), want)
	}
}

func TestCompareCollectsUnderThirtyRuns(t *testing.T) {
	f := open(t)
	f.put(twoArms()[:58]...)
	c, err := f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Rows {
		want := stats.Collecting
		if r.Role == stats.Description {
			want = stats.NoVerdict
		}
		if r.Verdict != want {
			t.Errorf("%s of 29 runs an arm: %q", r.Metric, r.Verdict)
		}
	}
}

func TestCompareLeavesStraddlersOut(t *testing.T) {
	f := open(t)
	runs := twoArms()
	for i := range 10 {
		both := shown(fmt.Sprintf("s%d", i), 0, "a", true, metrics.LabelRepeat, recoveredAfter(0, 9))
		other := call(time.Minute, "edit", metrics.OutcomeOK)
		other.Variant = "b"
		both.Calls = append(both.Calls, other)
		runs = append(runs, both)
	}
	f.put(runs...)
	c, err := f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b"})
	if err != nil {
		t.Fatal(err)
	}
	// 10 of 210 are 4.8 %.
	same(t, []int64{c.ARuns, c.Straddling, int64(len(c.Withheld))}, []int64{100, 10, 0})
	near(t, "share", c.StraddlingShare, 10./210)
	near(t, "loop rate", row(t, c, "loop_rate").A.Value, .6)
	near(t, "never", row(t, c, "never").A.Value, .2)
	one := shown("s10", 0, "b", true, metrics.LabelRepeat, recoveredAfter(0, 9))
	two := call(time.Minute, "edit", metrics.OutcomeOK)
	two.Variant = "a"
	one.Calls = append(one.Calls, two)
	f.put(one)
	// 11 of 211 are 5.2 %: no verdict at all.
	c, err = f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, c.Withheld, []string{ask.WithheldStraddling})
	for _, r := range c.Rows {
		if r.Verdict != stats.NoVerdict {
			t.Errorf("%s: %q", r.Metric, r.Verdict)
		}
	}
}

func TestCompareHoldsTheSplitAgainstWhatWasDeclared(t *testing.T) {
	f := open(t)
	f.put(twoArms()...)
	for _, test := range []struct {
		share    float64
		withheld []string
	}{{.5, []string{}}, {.9, []string{ask.WithheldSplit}}} {
		c, err := f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b", Split: test.share})
		if err != nil {
			t.Fatal(err)
		}
		same(t, []int64{c.Split.ARuns, c.Split.BRuns}, []int64{100, 100})
		same(t, c.Withheld, test.withheld)
	}
}

// Payload a is only seen with a tool that is always repeated, five runs aside; so the difference is one of tools.
func TestCompareShowsTheMixOfTools(t *testing.T) {
	f := open(t)
	var runs []metrics.Facts
	add := func(id string, n int, variant transcript.Variant, tool transcript.Tool, label metrics.Label) {
		for i := range n {
			r := shown(fmt.Sprintf("%s%03d", id, i), 0, variant, true, label, recoveredAfter(0, 1))
			r.Calls[0].Tool, r.Episodes[0].Tool = tool, tool
			runs = append(runs, r)
		}
	}
	add("a1", 75, "a", "search", metrics.LabelRepeat)
	add("a2", 25, "a", "edit", metrics.LabelCorrected)
	add("b1", 25, "b", "search", metrics.LabelRepeat)
	add("b2", 75, "b", "edit", metrics.LabelCorrected)
	f.put(runs...)
	c, err := f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b"})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "raw", c.Mix.Raw, -.5)
	near(t, "standardised", c.Mix.Standardised, 0)
	near(t, "effect", c.Mix.Effect, -.5)
	if !c.Mix.Flagged {
		t.Error("a difference that comes from tools alone is not flagged")
	}
	c, err = f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b", Filters: ask.Filters{Tool: []string{"edit"}}})
	if err != nil {
		t.Fatal(err)
	}
	r := row(t, c, "loop_rate")
	same(t, []any{r.AN, r.BN, deref(r.A.Value), deref(r.B.Value), c.Mix == nil}, []any{25, 75, 0, 0, true})
}

func TestCompareUnevenSuccess(t *testing.T) {
	f := open(t)
	runs := twoArms()
	for i := range 12 { // 6 of a's runs do not say whether they succeeded
		if i%2 == 0 {
			runs[i].Run.Meta.TaskSuccess = nil
		}
	}
	f.put(runs...)
	c, err := f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b"})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "success known", c.ASuccess, .94)
	same(t, []stats.Verdict{row(t, c, "task_success").Verdict, row(t, c, "loop_rate").Verdict}, []stats.Verdict{"", stats.BetterGuardrailOpen})
	near(t, "success", row(t, c, "task_success").A.Value, 84./94)
}

func TestCompareRefuses(t *testing.T) {
	f := open(t)
	for field, filters := range map[string]ask.CompareFilters{
		"a":       {},
		"b":       {A: "a"},
		"cutover": {A: "a", B: "b", Cutover: t0},
		"split":   {A: "a", B: "b", Split: 1},
		"margin":  {A: "a", B: "b", Margin: -1},
		"target":  {A: "a", B: "b", Target: -1},
		"by":      {A: "a", B: "b", Filters: ask.Filters{By: []string{"tool"}}},
		"variant": {A: "a", B: "b", Filters: ask.Filters{Variant: []string{"a"}}},
	} {
		_, err := f.Compare(t.Context(), filters)
		refused(t, err, field)
	}
	_, err := f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "a"})
	refused(t, err, "b")
}

// A code that only one payload uses cannot be compared across them.
func TestCompareOfACodeThatOneArmLacks(t *testing.T) {
	f := open(t)
	runs := twoArms()
	for i := 1; i < len(runs); i += 2 {
		runs[i].Calls[0].Folded, runs[i].Episodes[0].Code = "invalid", "invalid"
	}
	f.put(runs...)
	c, err := f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b", Filters: ask.Filters{Code: []string{"bad"}}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, c.Withheld, []string{ask.WithheldCode})
}
