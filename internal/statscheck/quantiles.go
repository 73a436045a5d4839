package main

import (
	"fmt"
	"math/rand/v2"

	"errata/metrics/stats"
)

// recovery is a law of episodes: in each step one recovers with a probability
// of its run, or is abandoned, or is helped, or censored.
type recovery struct {
	name                  string
	hard, easy            float64 // chances of recovery per step, of either half of the runs
	abandon, help, censor float64
	runs                  int
}

// laws are those whose quantile intervals are tried.
func laws() []recovery {
	return []recovery{
		{name: "little lost", hard: .2, easy: .7, abandon: .01, help: .005, runs: 300},
		{name: "a tenth lost", hard: .25, easy: .6, abandon: .05, help: .01, runs: 300},
		{name: "censored", hard: .3, easy: .6, abandon: .03, help: .01, censor: .05, runs: 300},
		{name: "few runs", hard: .3, easy: .6, abandon: .05, help: .01, runs: 60},
	}
}

// truth is the quantile of the law: the halves weigh the same, since the
// number of a run's episodes does not depend on its chance.
func (l recovery) truth(q float64) stats.Number {
	const horizon = 100000
	f, leftHard, leftEasy := 0.0, .5, .5
	for k := 1; k <= horizon; k++ {
		f += leftHard*l.hard + leftEasy*l.easy
		if f >= q {
			return stats.Exactly(k)
		}
		leftHard *= 1 - l.hard - l.abandon - l.help
		leftEasy *= 1 - l.easy - l.abandon - l.help
	}
	return stats.NeverReached()
}

// episodes plays the law's runs, each with a geometric number of episodes.
func (l recovery) episodes(r *rand.Rand) []stats.Episode {
	episodes := make([]stats.Episode, 0, 5*l.runs)
	for run := range l.runs {
		chance := l.hard
		if r.IntN(2) == 0 {
			chance = l.easy
		}
		for {
			episodes = append(episodes, stats.Episode{Run: run, Outcome: l.episode(r, chance)})
			if r.Float64() < 1/meanErrors {
				break
			}
		}
	}
	return episodes
}

// episode plays one episode.
func (l recovery) episode(r *rand.Rand, chance float64) stats.Outcome {
	for k := 1; ; k++ {
		u := r.Float64()
		switch {
		case u < chance:
			return stats.Outcome{Attempts: k, End: stats.Recovered}
		case u < chance+l.abandon:
			return stats.Outcome{Attempts: k - 1, End: stats.Abandoned}
		case u < chance+l.abandon+l.help:
			return stats.Outcome{Attempts: k, End: stats.RecoveredWithUser}
		}
		if r.Float64() < l.censor {
			return stats.Outcome{Attempts: k, End: stats.Open}
		}
	}
}

// quantiles are the coverages of quantile intervals, never included, and of
// the band at three attempts.
func quantiles() []scenario {
	var all []scenario
	qs := []float64{.5, .75, .85, .9, .95}
	for _, l := range laws() {
		s := scenario{name: fmt.Sprintf("recovery, %s, %d runs", l.name, l.runs)}
		for _, q := range qs {
			method := fmt.Sprintf("P%g interval (truth %v)", 100*q, l.truth(q))
			s.checks = append(s.checks, check{method: method, rate: .05, coverage: true, bound: missesBetween{0, .07}})
		}
		s.checks = append(s.checks, check{method: "band at 3 attempts", rate: .05, coverage: true, bound: ungated{}})
		s.trial = func(r *rand.Rand) []event {
			c := stats.NewCohort(l.episodes(r)).Curve()
			var events []event
			for _, q := range qs {
				events = append(events, quantileMisses(c.Quantile(q), l.truth(q)))
			}
			return append(events, when(c.Interval(stats.Within3).Excludes(l.within(3))))
		}
		all = append(all, s)
	}
	return all
}

// within is the true share recovered by step k.
func (l recovery) within(k int) float64 {
	f, leftHard, leftEasy := 0.0, .5, .5
	for range k {
		f += leftHard*l.hard + leftEasy*l.easy
		leftHard *= 1 - l.hard - l.abandon - l.help
		leftEasy *= 1 - l.easy - l.abandon - l.help
	}
	return f
}

// quantileMisses says whether the interval leaves the truth out.
func quantileMisses(q stats.Quantile, truth stats.Number) event {
	if !q.Value.IsKnown() {
		return skipped
	}
	exact, finite := truth.Int()
	low, lowFinite := q.Low.Int()
	high, highFinite := q.High.Int()
	switch {
	case finite && q.Low.IsNever():
		return yes
	case finite && lowFinite && exact < low:
		return yes
	case finite && !lowFinite && exact <= low: // the low end is "> K"
		return yes
	case highFinite && (!finite || exact > high):
		return yes
	}
	return no
}
