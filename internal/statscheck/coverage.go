package main

import (
	"fmt"
	"math/rand/v2"

	"errata/metrics/stats"
)

// pair is two arms with known rates.
type pair struct {
	rateA, rateB float64
	runsA, runsB int
}

func (p pair) String() string {
	return fmt.Sprintf("%g (%d runs) – %g (%d)", p.rateA, p.runsA, p.rateB, p.runsB)
}

// leastEvents is the number of runs with the event that each arm needs before
// fixed-sample intervals are held to their coverage.
const leastEvents = 50

// fixedIntervals are the coverages of Welch's interval of a difference, gated
// with 400 runs and 50 runs with the event in each arm.
func fixedIntervals() []scenario {
	var all []scenario
	for _, p := range []pair{
		{.3, .3, 400, 400}, {.3, .5, 400, 1600}, {.05, .05, 800, 800}, {.05, .08, 800, 3200},
		{.01, .01, 4000, 4000}, {.01, .02, 4000, 4000},
	} {
		all = append(all, scenario{
			name: "fixed " + p.String(),
			checks: []check{
				{method: "Welch on runs", rate: .05, coverage: true, bound: missesBetween{.03, .07}},
			},
			trial: func(r *rand.Rand) []event { return p.fixed(r, leastEvents) },
		})
	}
	for _, p := range []pair{{.3, .3, 50, 50}, {.05, .05, 100, 100}, {.05, .08, 100, 400}, {.01, .01, 400, 400}} {
		all = append(all, scenario{
			name:   "fixed, small " + p.String(),
			checks: []check{{method: "Welch on runs", rate: .05, coverage: true, bound: ungated{}}},
			trial:  func(r *rand.Rand) []event { return p.fixed(r, 0) },
		})
	}
	return all
}

// fixed plays one comparison and says whether the interval misses. Repetitions
// with fewer runs with the event than least do not count.
func (p pair) fixed(r *rand.Rand, least int) []event {
	a, eventsA := withEvents(r, newUrn(p.rateA), p.runsA)
	b, eventsB := withEvents(r, newUrn(p.rateB), p.runsB)
	i := stats.RatioArms(a, b).Fixed()
	if min(eventsA, eventsB) < least || i.Low == nil {
		return []event{skipped}
	}
	return []event{when(i.Excludes(p.rateB - p.rateA))}
}

// withEvents plays n runs and counts those with a hit.
func withEvents(r *rand.Rand, u urn, n int) (m stats.Moments, events int) {
	for range n {
		d := u.draw(r)
		m.Add(d.errors, d.hits)
		if d.hits > 0 {
			events++
		}
	}
	return m, events
}

// sequences are the misses at any of 100 looks from 100 runs an arm on.
func sequences() []scenario {
	var all []scenario
	for _, p := range []pair{
		{.3, .3, 100, 100}, {.3, .4, 100, 100}, {.05, .1, 100, 100}, {.01, .02, 100, 100}, {.05, .1, 400, 100},
	} {
		all = append(all, scenario{
			name:   fmt.Sprintf("sequence from %s to 10000", p),
			checks: []check{{method: "misses at any look", rate: .05, bound: atMost{.05}}},
			trial:  p.sequence,
		})
	}
	return all
}

// sequence watches one comparison with a known difference.
func (p pair) sequence(r *rand.Rand) []event {
	var a, b stats.Moments
	ua, ub := newUrn(p.rateA), newUrn(p.rateB)
	have, ratio := 0, p.runsA/p.runsB
	for _, n := range lookSizes(p.runsB, 10000) {
		a = a.Merge(ua.moments(r, ratio*(n-have)))
		b = b.Merge(ub.moments(r, n-have))
		have = n
		if stats.RatioArms(a, b).Watch(stats.Sequence{}).Always.Excludes(p.rateB - p.rateA) {
			return []event{yes}
		}
	}
	return []event{no}
}

// shareIntervals compare the interval of a clustered share with the plain one.
func shareIntervals() []scenario {
	var all []scenario
	for _, n := range []int{20, 50, 200, 1000} {
		for _, rate := range []float64{.01, .05, .3} {
			all = append(all, scenario{
				name: fmt.Sprintf("share %g of %d runs", rate, n),
				checks: []check{
					{method: "Wilson at the effective size", rate: .05, coverage: true, bound: ungated{}},
					{method: "plain Wilson", rate: .05, coverage: true, bound: ungated{}},
				},
				trial: func(r *rand.Rand) []event {
					m := newUrn(rate).moments(r, n)
					return []event{
						when(m.Share().Excludes(rate)),
						when(stats.Wilson(m.Y, m.X).Excludes(rate)),
					}
				},
			})
		}
	}
	return all
}
