package metrics

import (
	"cmp"
	"slices"
	"time"

	"errata/transcript"
)

// maxShares bounds how many episodes share a turn: the latest ones. Their parts still add up to the whole turn.
const maxShares = 64

// share is one episode's part in a recovery turn, to be charged to the error that it had last before the turn.
type share struct {
	episode int // in the thread
	error   int // index of the call
}

// charges splits the tokens, money and time of every recovery turn among the episodes that it serves.
func (s *threadState) charges(offset int, timed bool) []ChargeFact {
	shares := make([][]share, len(s.turns))
	for _, e := range slices.Backward(s.episodes) {
		s.addShares(shares, e)
	}
	var facts []ChargeFact
	for i := range shares {
		if len(shares[i]) > 0 {
			slices.Reverse(shares[i]) // the earliest episode first
			facts = append(facts, s.split(&s.turns[i], shares[i], timed)...)
		}
	}
	for i := range facts {
		facts[i].Episode += offset
	}
	return facts
}

// addShares adds an episode to its recovery turns: those after its first error, up to its recovery, or up to the last turn
// that read one of its errors. In a log with rewinds abandoned branches were paid for too.
func (s *threadState) addShares(shares [][]share, e *episode) {
	first := s.calls[e.first()].fact.Turn
	last := s.lastRecoveryTurn(e)
	from, _ := slices.BinarySearchFunc(s.turns, first+1, func(t turnState, n int) int { return cmp.Compare(t.number, n) })
	current, next := e.first(), 1
	for i := from; i < len(s.turns) && s.turns[i].number <= last; i++ {
		t := &s.turns[i]
		for next < len(e.calls) && s.calls[e.calls[next]].fact.Turn < t.number {
			if s.calls[e.calls[next]].errored() {
				current = e.calls[next]
			}
			next++
		}
		if len(shares[i]) < maxShares && s.isAncestor(first, t.number) {
			shares[i] = append(shares[i], share{e.number, current})
		}
	}
}

func (s *threadState) lastRecoveryTurn(e *episode) int {
	if e.closed {
		return s.calls[e.last()].fact.Turn
	}
	last := 0
	for _, i := range e.calls {
		if c := &s.calls[i]; c.errored() {
			last = max(last, s.turn(c.fact.Turn).next)
		}
	}
	return last
}

// split makes the charges of one turn. Whole tokens, nano-dollars and milliseconds are divided and the remainders go to
// the first parts, so that the parts add up to the turn exactly. The turn itself is counted in the first part.
func (s *threadState) split(t *turnState, shares []share, timed bool) []ChargeFact {
	k := int64(len(shares))
	elapsed := s.elapsed(t, timed)
	facts := make([]ChargeFact, len(shares))
	for i := range shares {
		part := func(whole int64) int64 { return partOf(whole, k, int64(i)) }
		blamed := &s.calls[shares[i].error].fact
		first := &s.calls[s.episodes[shares[i].episode].first()].fact
		facts[i] = ChargeFact{
			Thread:  s.id,
			Turn:    t.number,
			Episode: shares[i].episode,
			Time:    t.time,
			Tool:    blamed.Tool,
			Code:    blamed.Folded,
			Model:   first.Model,
			Variant: first.Variant,
			Usage: transcript.Usage{
				Input:      part(t.usage.Input),
				CacheRead:  part(t.usage.CacheRead),
				CacheWrite: part(t.usage.CacheWrite),
				Output:     part(t.usage.Output),
			},
			Estimated: t.estimated,
			Money:     part(t.money),
			Seconds:   float64(part(elapsed)) / 1000,
		}
	}
	facts[0].Turns = 1
	return facts
}

// partOf is part i of k of a whole number.
func partOf(whole, k, i int64) int64 {
	part := whole / k
	if i < whole%k {
		part++
	}
	return part
}

// elapsed is how many milliseconds a turn took: from the last result of the turn that it follows to its own last one, so
// that the turns of a recovery add up to its seconds.
func (s *threadState) elapsed(t *turnState, timed bool) int64 {
	previous := s.turn(t.follows)
	if !timed || previous == nil || t.ends.IsZero() || previous.ends.IsZero() {
		return 0
	}
	return int64(max(t.ends.Sub(previous.ends), 0) / time.Millisecond)
}
