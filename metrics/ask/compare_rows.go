package ask

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"errata/metrics/stats"
)

// Figure is a figure of one arm: a number, or of quantiles "never", or nothing.
type Figure struct {
	Value *float64
	Never bool
}

// MarshalJSON writes a number, "never", or null.
func (f Figure) MarshalJSON() ([]byte, error) {
	if f.Never {
		return json.Marshal("never")
	}
	return json.Marshal(f.Value)
}

// String is the figure as a text; "" where there is none.
func (f Figure) String() string {
	switch {
	case f.Never:
		return "never"
	case f.Value == nil:
		return ""
	}
	return fmt.Sprint(*f.Value)
}

// comparedRow is a row of compare.sql.
type comparedRow struct {
	moments
	Arm     int64 `ch:"arm"`
	InRange bool  `ch:"in_range"`
	Stretch int64 `ch:"stretch"`
	Figure  int64 `ch:"figure"`
}

func (r comparedRow) sums() stats.Moments {
	return stats.Moments{Runs: r.MomentRuns, X: r.MomentX, Y: r.MomentY, XX: r.MomentXX, XY: r.MomentXY, YY: r.MomentYY}
}

// kindOfRow is one row of a comparison that rests on sums over runs.
type kindOfRow struct {
	metric string
	role   stats.Role
	unit   string
	higher bool
	// curve names the row that is read off the recovery curve instead; the sums then only serve its history.
	curve func(*stats.Curve) stats.Estimate
}

func window(w stats.Window) func(*stats.Curve) stats.Estimate {
	return func(c *stats.Curve) stats.Estimate { return c.Estimate(w) }
}

// The units of compared figures.
const (
	unitShare    = "share"
	unitErrors   = "errors per run"
	unitRepeats  = "repeats per run"
	unitTokens   = "tokens"
	unitUSD      = "USD"
	unitAttempts = "attempts"
	unitTurns    = "turns"
)

// kindsOfRow are the rows in the order of section 8, which is also the order of the pairs in compare.sql.
var kindsOfRow = []kindOfRow{
	{metric: "task_success", role: stats.Guardrail, unit: unitShare, higher: true},
	{metric: "first_error_looped", role: stats.FirstError, unit: unitShare},
	{metric: "first_error_recovered_within_3", role: stats.FirstError, unit: unitShare, higher: true},
	{metric: "first_error_recovery_tokens", role: stats.FirstError, unit: unitTokens},
	{metric: "first_error_recovery_tokens_capped", role: stats.FirstError, unit: unitTokens},
	{metric: "errors_per_run", role: stats.FirstError, unit: unitErrors},
	{metric: "repeats_per_run", role: stats.FirstError, unit: unitRepeats},
	{metric: "recovery_tokens_per_run", role: stats.FirstError, unit: unitTokens},
	{metric: "recovery_tokens_per_run_capped", role: stats.FirstError, unit: unitTokens},
	{metric: "loop_rate", role: stats.Primary, unit: unitShare},
	{metric: "never", role: stats.Secondary, unit: unitShare, curve: window(stats.Never)},
	{metric: "recovered_within_3", role: stats.Secondary, unit: unitShare, higher: true, curve: window(stats.Within3)},
	{metric: "restricted_mean_attempts", role: stats.Secondary, unit: unitAttempts, curve: (*stats.Curve).RestrictedMean},
	{metric: "tokens_per_error", role: stats.Secondary, unit: unitTokens},
	{metric: "tokens_per_error_capped", role: stats.Secondary, unit: unitTokens},
	{metric: "usd_per_error", role: stats.Secondary, unit: unitUSD},
	{metric: "body_tokens_per_error", role: stats.Secondary, unit: unitTokens},
	{metric: "obedience", role: stats.Secondary, unit: unitShare, higher: true},
}

// exposedRuns is the place of the figure that every exposed run has.
const exposedRuns = 5

// ComparedMetrics lists the metrics of a comparison that have verdicts, in order.
func ComparedMetrics() []string {
	names := make([]string, len(kindsOfRow))
	for i, kind := range kindsOfRow {
		names[i] = kind.metric
	}
	return names
}

// figure is a row before it is judged.
type figure struct {
	Compared
	difference stats.Difference
}

// table holds the sums of every figure by arm, and by day around a cutover.
type table struct {
	filters CompareFilters
	arms    [2][]stats.Moments        // by figure
	days    []map[int64]stats.Moments // by figure, the days counted from the cutover
	last    int64                     // the last whole day
}

// newTable sorts the sums. What counts is at least idle old, so that the last whole day ended that long ago.
func newTable(f CompareFilters, idle time.Duration, rows []comparedRow) table {
	t := table{filters: f, days: make([]map[int64]stats.Moments, len(kindsOfRow))}
	for i := range t.arms {
		t.arms[i] = make([]stats.Moments, len(kindsOfRow))
	}
	end := f.AsOf.Add(-idle)
	if !f.To.IsZero() && f.To.Before(end) {
		end = f.To
	}
	t.last = int64(math.Floor(float64(end.Sub(f.Cutover))/float64(day))) - 1
	for i := range t.days {
		t.days[i] = map[int64]stats.Moments{}
	}
	for _, row := range rows {
		at := row.Figure - 1
		if row.InRange && (row.Arm == 1 || row.Arm == 2) {
			t.arms[row.Arm-1][at] = t.arms[row.Arm-1][at].Merge(row.sums())
		}
		t.days[at][row.Stretch] = t.days[at][row.Stretch].Merge(row.sums())
	}
	return t
}

// longestGap is how many days without a run a history may hold. Beyond a longer gap there may be a few stray runs, and
// moments without any run would pass for moments at which nothing changed.
const longestGap = 7

// history is the days of one figure around the cutover. Runs that straddle the cutover count with the day they started
// on, as those that straddle an earlier moment do.
func (t table) history(at int) stats.History {
	first, empty := int64(0), 0
	for d := int64(-1); d >= -historyDays && empty <= longestGap; d-- {
		if empty++; t.days[at][d].Runs > 0 {
			first, empty = d, 0
		}
	}
	h := stats.History{Cutover: int(-first)}
	for d := first; d <= t.last; d++ {
		h.Days = append(h.Days, t.days[at][d])
	}
	return h
}

// placebo is the figure's place among earlier moments, nil where variants are compared or there is no history.
func (t table) placebo(at int) *float64 {
	if !t.filters.watched() {
		return nil
	}
	return t.history(at).PlaceboP()
}

// window is the number of days on each side that earlier moments are compared over, by the runs that there are.
func (t table) window() int {
	if !t.filters.watched() {
		return 0
	}
	return t.history(exposedRuns).Window()
}

// figures are all rows, in order, the descriptions last.
func (t table) figures(c cohorts) []figure {
	curves := [2]*stats.Curve{c.attempts[0].Curve(), c.attempts[1].Curve()}
	pooled := append(append(stats.Cohort{}, c.attempts[0]...), c.attempts[1]...).Curve()
	sequence := stats.Sequence{Target: t.filters.Target}
	var figures []figure
	for i, kind := range kindsOfRow {
		a, b := t.arms[0][i], t.arms[1][i]
		g := figure{Compared: Compared{
			Metric: kind.metric, Role: kind.role, Unit: kind.unit, HigherIsBetter: kind.higher,
			AN: a.X, BN: b.X, PlaceboP: t.placebo(i),
		}}
		arms := stats.RatioArms(a, b)
		if kind.curve != nil {
			arms = stats.FigureArms(kind.curve(curves[0]), kind.curve(curves[1]), kind.curve(pooled))
			g.AN, g.BN = c.attempts.episodes(0), c.attempts.episodes(1)
		}
		g.difference = arms.Difference(sequence)
		g.fill()
		figures = append(figures, g)
	}
	return append(figures, c.descriptions(curves)...)
}

// fill copies the difference into the row.
func (g *figure) fill() {
	d := g.difference
	g.A, g.B = Figure{Value: d.A}, Figure{Value: d.B}
	g.ARuns, g.BRuns = d.ARuns, d.BRuns
	g.Difference = d.Value
	g.Low, g.High = d.Fixed.Low, d.Fixed.High
	g.AlwaysValidLow, g.AlwaysValidHigh = d.Always.Low, d.Always.High
	g.EValue = d.E
}
