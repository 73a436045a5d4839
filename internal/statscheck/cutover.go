package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"errata/metrics/stats"
)

// cutover is a watched before/after comparison in a world whose days differ.
type cutover struct {
	history    int     // days before the cutover
	effect     float64 // what the cutover multiplies the rate with
	runsPerDay int
	// memory is the correlation of a day with the one before it.
	memory float64
}

const (
	dayRate      = 0.1
	dayVariation = 0.3 // standard deviation of the days' rates, relative
)

// cutovers are cutovers on noise, with and without the placebo rule, and the
// power that the rule leaves.
func cutovers() []scenario {
	var all []scenario
	for _, c := range []cutover{
		{history: 28, effect: 1, runsPerDay: 500}, {history: 71, effect: 1, runsPerDay: 500},
		{history: 123, effect: 1, runsPerDay: 200}, {history: 123, effect: 1, runsPerDay: 1000},
	} {
		s := c.scenario("on noise")
		s.checks = []check{
			{method: "sequence and placebo, every day", rate: .05, bound: atMost{.05}},
			{method: "control: sequence alone", rate: .05, bound: mustExceed{.05}},
			{method: "sequence and placebo, last day only", rate: .05, bound: atMost{.05}},
			{method: "control: one-look placebo on every day", rate: .05, bound: ungated{}},
		}
		all = append(all, s)
	}
	for _, c := range []cutover{
		{history: 71, effect: 1, runsPerDay: 500, memory: .5},
		{history: 71, effect: .5, runsPerDay: 500}, {history: 123, effect: .5, runsPerDay: 500},
	} {
		s := c.scenario("for information")
		for _, m := range []string{"sequence and placebo, every day", "sequence alone", "sequence and placebo, last day only", "one-look placebo on every day"} {
			s.checks = append(s.checks, check{method: m, bound: ungated{}})
		}
		all = append(all, s)
	}
	return all
}

func (c cutover) scenario(kind string) scenario {
	window := stats.History{Days: make([]stats.Moments, c.history), Cutover: c.history}.Window()
	return scenario{
		name: fmt.Sprintf("cutover %s, effect ×%g, %d days before, %d watched, %d runs a day, memory %g",
			kind, c.effect, c.history, window, c.runsPerDay, c.memory),
		trial: func(r *rand.Rand) []event { return c.play(r, window) },
	}
}

// days plays the days before and the window after the cutover.
func (c cutover) days(r *rand.Rand, window int) []stats.Moments {
	days := make([]stats.Moments, c.history+window)
	state := r.NormFloat64()
	for i := range days {
		rate := dayRate * math.Max(0, 1+dayVariation*state)
		if i >= c.history {
			rate *= c.effect
		}
		days[i] = newUrn(math.Min(rate, .95)).moments(r, c.runsPerDay)
		state = c.memory*state + math.Sqrt(1-c.memory*c.memory)*r.NormFloat64()
	}
	return days
}

// play watches one cutover day by day. Events: a claim under the rule on any
// day, a difference by the sequence alone on any day, a claim on the last day
// with the placebo of that one look, and the same on any day.
func (c cutover) play(r *rand.Rand, window int) []event {
	days := c.days(r, window)
	events := make([]event, 4)
	for after := 1; after <= window; after++ {
		d := difference(days, c.history, window, after)
		if !d.Always.Excludes(0) {
			continue
		}
		events[1] = yes
		seen := stats.History{Days: days[:c.history+after], Cutover: c.history}
		if claimed(d, seen.PlaceboP()) {
			events[0] = yes
		}
		if claimed(d, oneLook(days, c.history, window, after)) {
			events[3] = yes
			events[2] = when(after == window)
		}
	}
	return events
}

// claimed says whether a before/after page with this one row claims anything.
func claimed(d stats.Difference, p *float64) bool {
	rows := []stats.Row{{Role: stats.Primary, Difference: d, PlaceboP: p}}
	return claims(stats.Page{Observational: true, Rows: rows}.Judge())
}

// oneLook is the placebo p-value of one length of the after side, with moments
// as far apart as the watched rule takes them.
func oneLook(days []stats.Moments, moment, window, after int) *float64 {
	actual := *difference(days, moment, window, after).Value
	var earlier []float64
	for m := moment - window; m >= window; m -= window/3 + 1 {
		earlier = append(earlier, *difference(days, m, window, after).Value)
	}
	return stats.PlaceboP(actual, earlier)
}

// difference holds the days before a moment against those after it.
func difference(days []stats.Moments, moment, window, after int) stats.Difference {
	var a, b stats.Moments
	for _, m := range days[moment-window : moment] {
		a = a.Merge(m)
	}
	for _, m := range days[moment : moment+after] {
		b = b.Merge(m)
	}
	return stats.RatioArms(a, b).Watch(stats.Sequence{})
}
