package stats

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// End is how an episode ended, as far as is known. Ends other than Open are
// bits, so that several can be asked about at once.
type End uint8

// The ends of an episode. Open is censored: neither recovered nor given up.
const (
	Open      End = 0
	Recovered End = 1 << iota
	Abandoned
	RecoveredWithUser
)

// Outcome is what became of an episode: the attempts made (the successful one
// included) and the end. Turns may stand in place of attempts.
type Outcome struct {
	Attempts int
	End      End
}

// kind is an outcome in the terms of the curve: the step in which an episode
// left observation, and how. An abandoned one gave up in the step after its
// last failed attempt; an open one was at risk through its last. An end that
// is none of the known ones is open, since nothing can be said of it.
func (o Outcome) kind() kind {
	attempts := min(max(o.Attempts, 0), math.MaxInt-1)
	switch o.End {
	case Recovered, RecoveredWithUser:
		return kind{exit: max(attempts, 1), end: o.End}
	case Abandoned:
		return kind{exit: attempts + 1, end: o.End}
	default:
		return kind{exit: attempts, end: Open}
	}
}

// Episode is an outcome with the run it belongs to, for callers that hold
// episodes one by one.
type Episode struct {
	Run int
	Outcome
}

// Pattern is a number of runs that have exactly the same outcomes. Runs with
// equal outcomes are interchangeable for everything estimated here, so that
// SQL can group by the sorted list of a run's outcomes and send each list
// once, with a count.
type Pattern struct {
	Runs     int
	Outcomes []Outcome
}

// Cohort is the episodes of one arm, grouped by run. Two disjoint cohorts are
// taken together with append.
type Cohort []Pattern

// NewCohort groups episodes by run and equal runs into patterns, in an order
// that depends on nothing but the episodes.
func NewCohort(episodes []Episode) Cohort {
	sorted := slices.Clone(episodes)
	slices.SortFunc(sorted, func(a, b Episode) int {
		return cmp.Or(cmp.Compare(a.Run, b.Run), compareOutcomes(a.Outcome, b.Outcome))
	})
	var cohort Cohort
	seen := map[string]int{}
	var key []byte
	for start := 0; start < len(sorted); {
		end := start
		key = key[:0]
		for ; end < len(sorted) && sorted[end].Run == sorted[start].Run; end++ {
			key = binary.AppendVarint(key, int64(sorted[end].Attempts))
			key = append(key, byte(sorted[end].End))
		}
		if at, ok := seen[string(key)]; ok {
			cohort[at].Runs++
		} else {
			seen[string(key)] = len(cohort)
			cohort = append(cohort, Pattern{Runs: 1, Outcomes: outcomesOf(sorted[start:end])})
		}
		start = end
	}
	slices.SortFunc(cohort, func(a, b Pattern) int {
		return slices.CompareFunc(a.Outcomes, b.Outcomes, compareOutcomes)
	})
	return cohort
}

// compareOutcomes orders outcomes by attempts, then end.
func compareOutcomes(a, b Outcome) int {
	return cmp.Or(cmp.Compare(a.Attempts, b.Attempts), cmp.Compare(a.End, b.End))
}

// outcomesOf drops the runs.
func outcomesOf(episodes []Episode) []Outcome {
	outcomes := make([]Outcome, len(episodes))
	for i, e := range episodes {
		outcomes[i] = e.Outcome
	}
	return outcomes
}
