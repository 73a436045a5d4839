package metrics

import (
	"cmp"
	"slices"
)

// turn finds a turn by its number; nil where there is none.
func (s *threadState) turn(number int) *turnState {
	if number >= 1 && number <= len(s.turns) && s.turns[number-1].number == number {
		return &s.turns[number-1]
	}
	i, found := slices.BinarySearchFunc(s.turns, number, func(t turnState, n int) int { return cmp.Compare(t.number, n) })
	if !found {
		return nil
	}
	return &s.turns[i]
}

// maxRewinds bounds how many rewinds back a branch is followed; beyond them it is taken to have begun.
const maxRewinds = 512

// isAncestor tells whether a turn is before another one on its branch. Between two rewinds a branch is a range of numbers.
func (s *threadState) isAncestor(number, of int) bool {
	if !s.branched {
		return number < of
	}
	at := of
	for range maxRewinds {
		t := s.turn(at)
		if t == nil {
			return false
		}
		if number >= t.segment {
			return number <= at && number < of
		}
		at = s.turn(t.segment).follows
	}
	return false
}
