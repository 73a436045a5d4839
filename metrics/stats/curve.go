package stats

import "slices"

// Curve is the cumulative incidence of the ends of episodes by attempt:
// recovery, abandonment and help compete, open episodes are censored. It is
// the Aalen–Johansen estimate; its variance is the infinitesimal jackknife
// summed over runs (R's survival::survfit, influences added up per run).
//
// Build it with Cohort.Curve. It is not changed afterwards.
type Curve struct {
	runs     float64 // runs with an episode at risk, G
	episodes float64 // episodes at risk in step 1
	last     int     // the last step in which anyone was at risk, K
	steps    []step  // the steps in which an episode ended, ascending
	kinds    []kind  // the distinct outcomes
	patterns []group // runs as lists of indices into kinds
}

// step is one step of the curve in which something happened.
type step struct {
	at        int
	atRisk    float64
	recovered float64
	abandoned float64
	helped    float64
	before    float64 // S(at−1): the share without an end before the step
}

// kind is one distinct outcome.
type kind struct {
	exit int
	end  End
}

// group is a number of runs with the same outcomes.
type group struct {
	runs  float64
	kinds []int32
}

// ended is the number of episodes that ended here in one of the ends.
func (s step) ended(ends End) float64 {
	n := 0.0
	if ends&Recovered != 0 {
		n += s.recovered
	}
	if ends&Abandoned != 0 {
		n += s.abandoned
	}
	if ends&RecoveredWithUser != 0 {
		n += s.helped
	}
	return n
}

// allEnds is every way to end.
const allEnds = Recovered | Abandoned | RecoveredWithUser

// Curve estimates the cumulative incidence. Episodes that were never at risk,
// open without a further attempt, tell nothing and are left out, and so are
// runs that have no others.
func (c Cohort) Curve() *Curve {
	size := 0
	for _, p := range c {
		size += len(p.Outcomes)
	}
	curve := &Curve{patterns: make([]group, 0, len(c))}
	index := kindIndex{rest: map[kind]int32{}}
	all := make([]int32, 0, size) // every run's kinds, one run after the other
	var counts []float64
	for _, p := range c {
		runs, start := float64(p.Runs), len(all)
		for _, o := range p.Outcomes {
			k := o.kind()
			if k.exit < 1 || p.Runs <= 0 {
				continue
			}
			at := index.at(k, int32(len(counts)))
			if int(at) == len(counts) {
				curve.kinds = append(curve.kinds, k)
				counts = append(counts, 0)
			}
			counts[at] += runs
			all = append(all, at)
		}
		if len(all) > start {
			curve.runs += runs
			curve.patterns = append(curve.patterns, group{runs: runs, kinds: all[start:len(all):len(all)]})
		}
	}
	curve.tally(counts)
	return curve
}

// kindIndex numbers kinds. The usual ones are looked up in a table, since this
// is done for every episode.
type kindIndex struct {
	usual [64][allEnds + 1]int32 // the number + 1
	rest  map[kind]int32
}

// at is the number of a kind, which is next where it is new.
func (x *kindIndex) at(k kind, next int32) int32 {
	if k.exit < len(x.usual) {
		slot := &x.usual[k.exit][k.end]
		if *slot == 0 {
			*slot = next + 1
		}
		return *slot - 1
	}
	at, ok := x.rest[k]
	if !ok {
		at = next
		x.rest[k] = at
	}
	return at
}

// tally fills the steps from the number of episodes of each kind.
func (c *Curve) tally(counts []float64) {
	order := make([]int, len(c.kinds))
	for i, k := range c.kinds {
		order[i] = i
		c.episodes += counts[i]
		c.last = max(c.last, k.exit)
	}
	slices.SortFunc(order, func(a, b int) int { return c.kinds[a].exit - c.kinds[b].exit })
	atRisk, before := c.episodes, 1.0
	for start := 0; start < len(order); {
		s := step{at: c.kinds[order[start]].exit, atRisk: atRisk, before: before}
		end := start
		for ; end < len(order) && c.kinds[order[end]].exit == s.at; end++ {
			n := counts[order[end]]
			atRisk -= n
			switch c.kinds[order[end]].end {
			case Recovered:
				s.recovered += n
			case Abandoned:
				s.abandoned += n
			case RecoveredWithUser:
				s.helped += n
			}
		}
		start = end
		ended := s.ended(allEnds)
		if ended == 0 {
			continue
		}
		before *= 1 - ended/s.atRisk
		c.steps = append(c.steps, s)
	}
}
