package main

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"sync"

	"errata/metrics/stats"
)

// fieldTests are permutation tests of a field that changes nothing while its
// presence and the labels both depend on the stratum.
func fieldTests() []scenario {
	return []scenario{{
		name:   "field effect, none, confounded strata",
		checks: []check{{method: "permutation p ≤ .05", rate: .05, bound: atMost{.05}}},
		trial: func(r *rand.Rand) []event {
			strata := make([]stats.FieldCounts, 2)
			for i := range 80 {
				s := i % 2
				label := min(r.IntN(4+2*s), r.IntN(6))
				if r.Float64() < .3+.4*float64(s) {
					strata[s].With[label]++
					continue
				}
				strata[s].Without[label]++
			}
			e := stats.NewFieldEffect(strata, r.Uint64())
			return []event{when(e.P != nil && *e.P <= .05)}
		},
	}}
}

// splitTests look at a true split after every run.
func splitTests() []scenario {
	var all []scenario
	for _, share := range []float64{.5, .2} {
		all = append(all, scenario{
			name: fmt.Sprintf("declared split %g, looked at 5000 times", share),
			checks: []check{
				{method: "E ≥ 20", rate: .05, bound: atMost{.05}},
				{method: "E ≥ 1000", rate: .001, bound: atMost{.001}},
			},
			trial: func(r *rand.Rand) []event {
				a, most := 0, 0.0
				for n := 1; n <= 5000; n++ {
					if r.Float64() < share {
						a++
					}
					most = max(most, stats.CheckSplit(a, n-a, share).E)
				}
				return []event{when(most >= 20), when(most >= stats.SplitLimit)}
			},
		})
	}
	return all
}

// mixes are the intervals of the standardised difference and of the mix effect
// where two tools differ in their rates and the arms in their use.
func mixes() []scenario {
	rates := [2][2]float64{{.1, .15}, {.4, .45}} // by tool, by arm
	shares := [2]float64{.5, .7}                 // of tool 0, by arm
	counts := func(r *rand.Rand, arm int) []stats.ToolCount {
		var all []stats.ToolCount
		for run := range 400 {
			for tool := range 2 {
				d := newUrn(rates[tool][arm]).draw(r)
				use := shares[arm]
				if tool == 1 {
					use = 1 - use
				}
				if r.Float64() < use {
					all = append(all, stats.ToolCount{Run: run, Tool: tool, X: d.errors, Y: d.hits})
				}
			}
		}
		return all
	}
	within := .05 // both tools rise by it, so that the weights do not matter
	raw := (.7*.15 + .3*.45) - (.5*.1 + .5*.4)
	return []scenario{{
		name: "mix over tools, 400 runs",
		checks: []check{
			{method: "standardised difference", rate: .05, coverage: true, bound: ungated{}},
			{method: "mix effect", rate: .05, coverage: true, bound: ungated{}},
		},
		trial: func(r *rand.Rand) []event {
			m := stats.NewMix(counts(r, 0), counts(r, 1))
			return []event{when(m.Interval.Excludes(within)), when(m.EffectInterval.Excludes(raw - within))}
		},
	}}
}

// power shows how many runs known effects need until a verdict.
func power() []scenario {
	var all []scenario
	for _, p := range []pair{{rateA: .3, rateB: .2}, {rateA: .3, rateB: .15}, {rateA: .1, rateB: .05}, {rateA: .05, rateB: .025}} {
		m := &median{}
		s := scenario{
			name:   fmt.Sprintf("known effect %g → %g, up to 5000 runs an arm", p.rateA, p.rateB),
			checks: []check{{method: "verdict reached", bound: &powerText{m}}},
		}
		s.trial = func(r *rand.Rand) []event {
			n := p.firstVerdict(r)
			m.add(n)
			return []event{when(n > 0)}
		}
		all = append(all, s)
	}
	return all
}

// firstVerdict is the number of runs an arm at the first look that shows a
// difference, 0 if none does.
func (p pair) firstVerdict(r *rand.Rand) int {
	var a, b stats.Moments
	ua, ub := newUrn(p.rateA), newUrn(p.rateB)
	have := 0
	for _, n := range lookSizes(30, 5000) {
		a = a.Merge(ua.moments(r, n-have))
		b = b.Merge(ub.moments(r, n-have))
		have = n
		if stats.RatioArms(a, b).Watch(stats.Sequence{}).Always.Excludes(0) {
			return n
		}
	}
	return 0
}

// median collects numbers of runs from all workers.
type median struct {
	mutex sync.Mutex
	runs  []int
}

func (m *median) add(n int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if n > 0 {
		m.runs = append(m.runs, n)
	}
}

// powerText shows the median number of runs in the place of a limit.
type powerText struct{ *median }

func (powerText) pass(outcome) verdict { return noGate }

func (t *powerText) text(outcome) string {
	if len(t.runs) == 0 {
		return "–"
	}
	sort.Ints(t.runs)
	return fmt.Sprintf("median %d runs an arm", t.runs[len(t.runs)/2])
}
