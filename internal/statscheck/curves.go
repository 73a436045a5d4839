package main

import (
	"math/rand/v2"

	"errata/metrics/stats"
)

// curveFigures are the compared figures that are read off a curve.
var curveFigures = []struct {
	name string
	of   func(*stats.Curve) stats.Estimate
}{
	{"recovered within 3", func(c *stats.Curve) stats.Estimate { return c.Estimate(stats.Within3) }},
	{"never", func(c *stats.Curve) stats.Estimate { return c.Estimate(stats.Never) }},
	{"restricted mean of attempts", (*stats.Curve).RestrictedMean},
}

// equalCurves watch two arms with one law of recovery, 100 times from 30 to
// 500 runs an arm.
func equalCurves() []scenario {
	var all []scenario
	for _, l := range laws()[1:3] {
		s := scenario{name: "A/A 1:1, recovery, " + l.name, trial: l.watch}
		for _, f := range curveFigures {
			s.checks = append(s.checks, check{method: "sequence, " + f.name, rate: .05, bound: atMost{.05}})
		}
		all = append(all, s)
	}
	return all
}

// watch plays one comparison of equal arms.
func (l recovery) watch(r *rand.Rand) []event {
	events := make([]event, len(curveFigures))
	sizes := lookSizes(30, 500)
	l.runs = sizes[len(sizes)-1]
	a, b := byRun(l.episodes(r)), byRun(l.episodes(r))
	for _, n := range sizes {
		curveA, curveB := a[:n].Curve(), b[:n].Curve()
		pooled := append(a[:n:n], b[:n]...).Curve()
		for i, f := range curveFigures {
			d := stats.FigureArms(f.of(curveA), f.of(curveB), f.of(pooled)).Watch(stats.Sequence{})
			if d.Always.Excludes(0) {
				events[i] = yes
			}
		}
	}
	return events
}

// byRun keeps the runs one by one, in their order, so that a look takes the
// first of them.
func byRun(episodes []stats.Episode) stats.Cohort {
	var c stats.Cohort
	for i, e := range episodes {
		if i == 0 || e.Run != episodes[i-1].Run {
			c = append(c, stats.Pattern{Runs: 1})
		}
		last := &c[len(c)-1]
		last.Outcomes = append(last.Outcomes, e.Outcome)
	}
	return c
}
