package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"errata/metrics/stats"
)

// cutover is a watched before/after comparison at a moment where nothing
// happened, in a world whose days differ.
type cutover struct {
	rate       float64
	variation  float64 // standard deviation of the days' rates, relative
	runsPerDay int
	window     int // days compared on the before side
	watched    int // days after, looked at once each
	placebos   int // earlier moments, one day apart
}

// cutovers are cutovers on noise, with and without the placebo rule.
func cutovers() []scenario {
	var all []scenario
	for _, placebos := range []int{20, 28, 60} {
		for _, watched := range []int{1, 7, 14} {
			c := cutover{rate: .1, variation: .3, runsPerDay: 200, window: 14, watched: watched, placebos: placebos}
			all = append(all, scenario{
				name: fmt.Sprintf("cutover on noise, %d looks, %d placebos", watched, placebos),
				checks: []check{
					{method: "sequence and placebo", rate: .05, bound: atMost{.05}},
					{method: "control: sequence alone", rate: .05, bound: mustExceed{.05}},
				},
				trial: c.play,
			})
		}
	}
	return all
}

// play watches one cutover.
func (c cutover) play(r *rand.Rand) []event {
	history := c.window + c.watched + c.placebos
	days := make([]stats.Moments, history+c.watched)
	for i := range days {
		rate := c.rate * math.Max(0, 1+c.variation*r.NormFloat64())
		days[i] = newUrn(math.Min(rate, .95)).moments(r, c.runsPerDay)
	}
	events := []event{no, no}
	for after := 1; after <= c.watched; after++ {
		d := c.compare(days, history, after)
		if !d.Always.Excludes(0) {
			continue
		}
		events[1] = yes
		earlier := make([]float64, c.placebos)
		for i := range earlier {
			earlier[i] = *c.compare(days, history-after-i, after).Value
		}
		p := stats.PlaceboP(*d.Value, earlier)
		page := stats.Page{Observational: true, Rows: []stats.Row{{Role: stats.Primary, Difference: d, PlaceboP: p}}}
		if claims(page.Judge()) {
			events[0] = yes
		}
	}
	return events
}

// compare holds the days before a moment against those after it.
func (c cutover) compare(days []stats.Moments, moment, after int) stats.Difference {
	var a, b stats.Moments
	for _, m := range days[moment-c.window : moment] {
		a = a.Merge(m)
	}
	for _, m := range days[moment : moment+after] {
		b = b.Merge(m)
	}
	return stats.RatioArms(a, b).Watch(stats.Sequence{})
}
