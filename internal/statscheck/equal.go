package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"errata/metrics/stats"
)

// The rows of a simulated comparison page.
const (
	rowSuccess = iota
	rowFirstError
	rowErrors
	rowRepeats
	rowTokens
	rowLoopRate
	rowTokensPerError
	rowCount
)

// pageRows names the rows and gives each its part on the page.
var pageRows = [rowCount]struct {
	name   string
	role   stats.Role
	higher bool
}{
	{"success per run", stats.Guardrail, true},
	{"looped on first error", stats.FirstError, false},
	{"errors per run", stats.FirstError, false},
	{"repeats per run", stats.FirstError, false},
	{"tokens per run", stats.FirstError, false},
	{"loop rate", stats.Primary, false},
	{"tokens per error", stats.Secondary, false},
}

// arm is the moments of every row in one arm.
type arm [rowCount]stats.Moments

// grow adds runs to the arm.
func (a *arm) grow(r *rand.Rand, u urn, n int) {
	for range n {
		d := u.draw(r)
		success := r.Float64() < .8-.3*math.Min(1, d.hits)
		tokens := 2000 * d.errors * math.Exp(.8*r.NormFloat64())
		a[rowSuccess].Add(1, number(success))
		a[rowFirstError].Add(1, number(d.firstHit))
		a[rowErrors].Add(1, d.errors)
		a[rowRepeats].Add(1, d.hits)
		a[rowTokens].Add(1, tokens)
		a[rowLoopRate].Add(d.errors, d.hits)
		a[rowTokensPerError].Add(d.errors, tokens)
	}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// design is how the arms of an A/A comparison grow.
type design struct {
	name  string
	sizes []int // of arm B, the new one
	// before is the fixed size of arm A; 0 means that it grows with B.
	before int
	ratio  int // runs of A for each of B where it grows
}

func designs() []design {
	return []design{
		{name: "1:1", sizes: lookSizes(30, 5000), ratio: 1},
		{name: "4:1", sizes: lookSizes(30, 2500), ratio: 4},
		{name: "before 100", sizes: lookSizes(30, 5000), before: 100},
		{name: "before 5000", sizes: lookSizes(30, 5000), before: 5000},
	}
}

// equalArms are comparisons of arms without any difference, looked at 100
// times: the false verdicts of each row by its own sequence, and of the page.
func equalArms() []scenario {
	var all []scenario
	for _, d := range designs() {
		for _, rate := range []float64{.01, .05, .3} {
			s := scenario{
				name:  fmt.Sprintf("A/A %s, rate %g", d.name, rate),
				trial: func(r *rand.Rand) []event { return d.play(r, newUrn(rate)) },
			}
			for _, row := range pageRows {
				s.checks = append(s.checks, check{method: "sequence, " + row.name, rate: .05, bound: atMost{.05}})
			}
			s.checks = append(s.checks, check{method: "page verdicts", rate: .05, bound: atMost{.05}})
			s.checks = append(s.checks, controls(rate, d)...)
			all = append(all, s)
		}
	}
	return all
}

// controls are the methods that the sequence replaces. Two must be seen to fail
// where there is plenty of data; elsewhere, and for the sequence without its
// floor, which fails where events are rare, they are shown.
func controls(rate float64, d design) []check {
	everyLook := check{method: "control: clustered 1.96 at every look", rate: .05, bound: ungated{}}
	independent := check{method: "control: independent 1.96 at one look", rate: .05, bound: ungated{}}
	if d.ratio == 1 && rate > .01 {
		everyLook.bound, independent.bound = mustExceed{.05}, mustExceed{.05}
	}
	noFloor := check{method: "control: sequence without the floor", rate: .05, bound: ungated{}}
	return []check{everyLook, independent, noFloor}
}

// play watches one comparison of equal arms. Events: one per row, the page,
// and the three controls on the loop rate.
func (d design) play(r *rand.Rand, u urn) []event {
	var a, b arm
	events := make([]event, rowCount+4)
	a.grow(r, u, d.before)
	have := 0
	for _, n := range d.sizes {
		a.grow(r, u, d.ratio*(n-have))
		b.grow(r, u, n-have)
		have = n
		page, surprising := watch(a, b, events)
		if surprising && events[rowCount] == no {
			events[rowCount] = when(claims(page.Judge()))
		}
		if events[rowCount+1] == no {
			events[rowCount+1] = when(clustered(a[rowLoopRate], b[rowLoopRate]) > 1.96)
		}
		if events[rowCount+3] == no {
			bare := stats.Arms{A: a[rowLoopRate].Ratio(), B: b[rowLoopRate].Ratio()}
			events[rowCount+3] = when(bare.Watch(stats.Sequence{}).Always.Excludes(0))
		}
	}
	events[rowCount+2] = when(independent(a[rowLoopRate], b[rowLoopRate]) > 1.96)
	return events
}

// watch looks once at every row, notes those whose sequence excludes 0, and
// says whether any does, since only then can the page claim anything.
func watch(a, b arm, events []event) (page stats.Page, surprising bool) {
	page.Rows = make([]stats.Row, rowCount)
	for i, row := range pageRows {
		d := stats.RatioArms(a[i], b[i]).Watch(stats.Sequence{})
		page.Rows[i] = stats.Row{Role: row.role, HigherIsBetter: row.higher, Difference: d}
		if d.Always.Excludes(0) {
			events[i] = yes
			surprising = true
		}
	}
	return page, surprising
}

// claims says whether a page says that anything differs.
func claims(verdicts []stats.Verdict) bool {
	for _, v := range verdicts {
		switch v {
		case stats.Better, stats.BetterGuardrailOpen, stats.BetterGuardrailViolated, stats.Worse, stats.Violated:
			return true
		}
	}
	return false
}

// clustered is |z| with the variance over runs.
func clustered(a, b stats.Moments) float64 {
	ra, rb := a.Ratio(), b.Ratio()
	return absolute(rb.Value-ra.Value, ra.Variance+rb.Variance)
}

// independent is |z| with every error taken as independent of the others.
func independent(a, b stats.Moments) float64 {
	p := (a.Y + b.Y) / (a.X + b.X)
	return absolute(b.Y/b.X-a.Y/a.X, p*(1-p)*(1/a.X+1/b.X))
}

// absolute is |d|/√v, 0 without variance.
func absolute(d, v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return math.Abs(d) / math.Sqrt(v)
}
