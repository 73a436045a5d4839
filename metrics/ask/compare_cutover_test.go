package ask_test

import (
	"fmt"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/metrics/stats"
)

const aDay = 24 * time.Hour

// dailyRuns stores 30 runs on each of the days from t0 on, of which as many repeat their failed call as looped says of the day.
func dailyRuns(f fixture, days int, looped func(day int) int) {
	f.t.Helper()
	var runs []metrics.Facts
	for d := range days {
		for i := range 30 {
			at := time.Duration(d)*aDay + time.Duration(i)*time.Minute
			label := metrics.LabelCorrected
			if i < looped(d) {
				label = metrics.LabelRepeat
			}
			runs = append(runs, shown(fmt.Sprintf("d%03d-%02d", d, i), at, "any", true, label, recoveredAfter(at, 1)))
		}
	}
	f.put(runs...)
}

func around(t *testing.T, f fixture, cutover time.Duration) ask.Comparison {
	t.Helper()
	c, err := f.Compare(t.Context(), ask.CompareFilters{Cutover: t0.Add(cutover)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// 80 days of which each is like the others, but for the last 5: 15 of 30 loop before, 3 of 30 after. No earlier moment has
// such a difference. A history of 75 days has windows of 8: 2·8 + 19·3 = 73.
func TestCompareAroundACutoverWithAnEffect(t *testing.T) {
	f := open(t)
	dailyRuns(f, 80, func(d int) int {
		if d >= 75 {
			return 3
		}
		return 14 + d%3
	})
	c, err := f.Compare(t.Context(), ask.CompareFilters{Cutover: t0.Add(75 * aDay), Filters: ask.Filters{From: t0.Add(60 * aDay)}})
	if err != nil {
		t.Fatal(err)
	}
	r := row(t, c, "loop_rate")
	near(t, "before", r.A.Value, .5)
	near(t, "after", r.B.Value, .1)
	same(t, []any{r.AN, r.BN, r.Observational, c.Window}, []any{450, 150, true, 8})
	// Every third day from the 67th back to the 10th: 20 earlier moments.
	near(t, "placebo p", r.PlaceboP, 1./21)
	if r.Verdict != stats.Better && r.Verdict != stats.BetterGuardrailOpen {
		t.Errorf("verdict %q", r.Verdict)
	}
	if c.Cutover == nil || !c.Cutover.Equal(t0.Add(75*aDay)) || c.A != "" {
		t.Errorf("cutover %v, a %q", c.Cutover, c.A)
	}
}

// Days that come in blocks, ten with much looping and ten with little: at the 80th one block ends, which differs, but as
// much as it did at every tenth day before.
func TestCompareAroundACutoverInDaysThatMerelyVary(t *testing.T) {
	f := open(t)
	dailyRuns(f, 85, func(d int) int { return 15 - 12*(d/10%2) })
	c := around(t, f, 80*aDay)
	r := row(t, c, "loop_rate")
	if r.AlwaysValidLow == nil || (*r.AlwaysValidLow <= 0 && *r.AlwaysValidHigh >= 0) {
		t.Fatalf("the sequence does not exclude 0: %+v", r)
	}
	if r.Verdict != stats.CauseNotShown || r.PlaceboP == nil || *r.PlaceboP <= .05 {
		t.Errorf("verdict %q, p %v", r.Verdict, deref(r.PlaceboP))
	}
}

func TestCompareAroundACutoverWithoutHistory(t *testing.T) {
	f := open(t)
	dailyRuns(f, 12, func(d int) int { return 15 - 12*(d/10) })
	r := row(t, around(t, f, 10*aDay), "loop_rate")
	same(t, []any{r.Verdict, r.PlaceboP}, []any{stats.NoHistory, nil})
}

// Runs that were there before a long silence are no history: moments without runs are none at which nothing happened.
func TestCompareHistoryEndsAtAGap(t *testing.T) {
	f := open(t)
	var runs []metrics.Facts
	for _, d := range []int{0, 75, 76} {
		for i := range 30 {
			at := time.Duration(d)*aDay + time.Duration(i)*time.Minute
			runs = append(runs, shown(fmt.Sprintf("d%d-%d", d, i), at, "any", true, metrics.LabelRepeat, recoveredAfter(at, 1)))
		}
	}
	f.put(runs...)
	c := around(t, f, 76*aDay)
	same(t, []any{c.Window, row(t, c, "loop_rate").PlaceboP}, []any{0, nil})
}

// A run that started before the cutover and went on after it saw both.
func TestCompareAroundACutoverLeavesOutRunsThatGoOn(t *testing.T) {
	f := open(t)
	dailyRuns(f, 10, func(int) int { return 10 })
	long := shown("long", 5*aDay-time.Minute, "any", true, metrics.LabelRepeat, recoveredAfter(5*aDay, 1))
	long.Calls = append(long.Calls, call(5*aDay, "search", metrics.OutcomeOK))
	f.put(long)
	c := around(t, f, 5*aDay)
	same(t, []int64{c.ARuns, c.BRuns, c.Straddling}, []int64{150, 150, 1})
}

// A moment before the usual 28 days is given the 28 days before it.
func TestCompareAroundAnEarlyCutover(t *testing.T) {
	f := open(t)
	dailyRuns(f, 60, func(int) int { return 10 })
	c := around(t, f, 20*aDay)
	same(t, []any{c.ARuns, c.BRuns, c.Filters.From.Format(time.DateOnly)}, []any{600, 1200, t0.Add(-8 * aDay).Format(time.DateOnly)})
}

// What is younger than the idle limit is in no arm.
func TestCompareRestsOnMatureRuns(t *testing.T) {
	f := open(t)
	f.put(twoArms()...)
	c, err := f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b", Filters: ask.Filters{AsOf: t0.Add(59*time.Minute + 30*time.Second)}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, []int64{c.ARuns, c.BRuns}, []int64{30, 30})
}
