package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"
)

// plan is how much to simulate.
type plan struct {
	repetitions int
	seed        uint64
	progress    io.Writer // where to say which scenario is being played
}

// scenario is one simulated situation in which several methods are tried.
type scenario struct {
	name   string
	checks []check
	// trial plays the situation once and says for each check what happened.
	trial func(r *rand.Rand) []event
}

// event is what happened to one method in one repetition.
type event uint8

const (
	no      event = iota // the method was right, or stayed silent
	yes                  // what the check counts happened
	skipped              // the repetition does not meet the check's premise
)

// when turns a condition into an event.
func when(happened bool) event {
	if happened {
		return yes
	}
	return no
}

// check is one method's row of the table.
type check struct {
	method string
	rate   float64 // the nominal rate of the event, 0 where there is none
	bound  bound
	// coverage shows the figure as 1 − rate: how often the truth was held.
	coverage bool
}

func (c check) nominal() string {
	if c.rate == 0 {
		return "–"
	}
	if c.coverage {
		return percent(1 - c.rate)
	}
	return percent(c.rate)
}

func (c check) achieved(o outcome) string {
	if o.trials == 0 {
		return "–"
	}
	if c.coverage {
		return percent(1 - o.rate())
	}
	return fmt.Sprintf("%s (%d of %d)", percent(o.rate()), o.count, o.trials)
}

func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }

// outcome is how often a check's event happened.
type outcome struct {
	count, trials int
}

func (o outcome) rate() float64 { return float64(o.count) / float64(o.trials) }

// run plays all repetitions on all cores. Each has its own generator, so that
// the result depends on the seed alone.
func (s scenario) run(p plan) []outcome {
	workers := runtime.GOMAXPROCS(0)
	partial := make([][]outcome, workers)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			sums := make([]outcome, len(s.checks))
			for i := w; i < p.repetitions; i += workers {
				for j, e := range s.trial(rand.New(rand.NewPCG(p.seed, uint64(i)))) {
					if e != skipped {
						sums[j].trials++
					}
					if e == yes {
						sums[j].count++
					}
				}
			}
			partial[w] = sums
		})
	}
	group.Wait()
	total := make([]outcome, len(s.checks))
	for _, sums := range partial {
		for j, o := range sums {
			total[j].count += o.count
			total[j].trials += o.trials
		}
	}
	return total
}

// verdict is whether a bound was met.
type verdict string

const (
	met    verdict = "yes"
	missed verdict = "NO"
	noGate verdict = "–"
)

// bound is what a rate must keep.
type bound interface {
	pass(o outcome) verdict
	text(o outcome) string
}

// ungated is a figure for information.
type ungated struct{}

func (ungated) pass(outcome) verdict { return noGate }
func (ungated) text(outcome) string  { return "–" }

// atMost is the count that an event of the given rate stays within 99.9 % of
// the time: 244 of 4,000 for 5 %.
type atMost struct{ rate float64 }

func (b atMost) pass(o outcome) verdict {
	if o.trials > 0 && o.count <= quantile(.999, b.rate, o.trials) {
		return met
	}
	return missed
}

func (b atMost) text(o outcome) string {
	return fmt.Sprintf("≤ %d", quantile(.999, b.rate, o.trials))
}

// mustExceed is the bound that a wrong method must be seen to miss.
type mustExceed struct{ rate float64 }

func (b mustExceed) pass(o outcome) verdict {
	if o.trials > 0 && o.count > quantile(.999, b.rate, o.trials) {
		return met
	}
	return missed
}

func (b mustExceed) text(o outcome) string {
	return fmt.Sprintf("> %d, must fail", quantile(.999, b.rate, o.trials))
}

// missesBetween is a range for the rate of misses of a 95 % interval. With few
// repetitions it widens to what an interval at exactly 95 % keeps.
type missesBetween struct{ low, high float64 }

func (b missesBetween) limits(n int) (low, high int) {
	low = min(int(b.low*float64(n)), quantile(.001, .05, n))
	high = max(int(b.high*float64(n)), quantile(.999, .05, n))
	return low, high
}

func (b missesBetween) pass(o outcome) verdict {
	low, high := b.limits(o.trials)
	if o.trials > 0 && low <= o.count && o.count <= high {
		return met
	}
	return missed
}

func (b missesBetween) text(o outcome) string {
	low, high := b.limits(o.trials)
	n := float64(max(o.trials, 1))
	if b.low == 0 {
		return "≥ " + percent(1-float64(high)/n)
	}
	return percent(1-float64(high)/n) + " – " + percent(1-float64(low)/n)
}

// quantile is the least count c with P(X ≤ c) ≥ q of a binomial.
func quantile(q, rate float64, trials int) int {
	if trials == 0 {
		return 0
	}
	law := distuv.Binomial{N: float64(trials), P: rate}
	for c := range trials {
		if law.CDF(float64(c)) >= q {
			return c
		}
	}
	return trials
}
