package metrics

import (
	"cmp"
	"slices"

	"errata/transcript"
)

// minStreak is the number of failures in a row from which they are a stuck streak.
const minStreak = 3

// maxReplay bounds how many turns of a branch's past are walked again after a rewind.
const maxReplay = 256

// findIdleRepeats finds the calls of a turn that repeat an ok call of the turn before it with the same result. Every such
// call is one idle repeat, of length 1.
func (s *threadState) findIdleRepeats(previous, t *turnState, user bool) {
	if user {
		return
	}
	for i := t.calls.from; i < t.calls.to; i++ {
		for j := previous.calls.from; j < previous.calls.to; j++ {
			if repeatsIdly(&s.calls[j], &s.calls[i]) {
				s.addPattern(PatternIdleRepeat, &s.calls[i].fact, 1)
				break
			}
		}
	}
}

func repeatsIdly(before, after *callState) bool {
	if before.fact.Outcome != OutcomeOK || after.fact.Outcome != OutcomeOK || before.fact.Hash != after.fact.Hash {
		return false
	}
	a, b := before.result, after.result
	return a != nil && b != nil && a.BodyLength == b.BodyLength && a.BodyHash == b.BodyHash && a.Body == b.Body
}

func (s *threadState) addPattern(kind PatternKind, first *CallFact, length int) {
	s.patterns = append(s.patterns, patternAt(kind, first, length))
}

func patternAt(kind PatternKind, first *CallFact, length int) PatternFact {
	return PatternFact{
		Kind:    kind,
		First:   first.Ref,
		Time:    first.Time,
		Tool:    first.Tool,
		Model:   first.Model,
		Variant: first.Variant,
		Length:  length,
	}
}

// trail is the path of calls that led to the last turn, with the streaks and cycles that are still going on at its end.
type trail struct {
	tip     int   // number of the last turn
	path    []int // indexes of its calls
	streaks map[transcript.Tool]*streak
	cycles  [maxPeriod + 1]int // by period: how many of the last calls equal the one a period before
	replay  bool               // its calls have been walked before, on another branch
	fresh   int                // length of path at which they were not any more
}

// streak is a series of failures of one tool with one code.
type streak struct {
	first    int // index of the call
	last     int // position in the trail's path
	length   int
	distinct bool // at least two different arguments
}

func newTrail() trail { return trail{streaks: map[transcript.Tool]*streak{}} }

// walk follows the current turn's calls for streaks and cycles. What is a stretch is decided on each branch: after a
// rewind the branch's past is walked again, and what was found there is not found twice.
func (s *threadState) walk(current int) {
	t := &s.turns[current]
	if t.follows != s.trail.tip {
		s.patterns = append(s.patterns, s.ongoing()...)
		s.replay(t)
	}
	for i := t.calls.from; i < t.calls.to; i++ {
		s.follow(i)
	}
	s.trail.tip = t.number
}

func (s *threadState) replay(t *turnState) {
	s.trail = newTrail()
	var past []span
	for p := s.turn(t.follows); p != nil && len(past) < maxReplay; p = s.turn(p.follows) {
		past = append(past, p.calls)
	}
	s.trail.replay = true
	for _, calls := range slices.Backward(past) {
		for i := calls.from; i < calls.to; i++ {
			s.follow(i)
		}
	}
	s.trail.replay = false
	s.trail.fresh = len(s.trail.path)
}

// follow takes the next call of the trail.
func (s *threadState) follow(index int) {
	s.trail.path = append(s.trail.path, index)
	s.followStreak(index)
	s.followCycles()
}

// followStreak goes on with the streak of a call's tool. Calls of other tools do not break it, and neither do calls that
// were cancelled, since those never ran; a success, a refusal, a missing result or another code does.
func (s *threadState) followStreak(index int) {
	c := &s.calls[index]
	if c.fact.Outcome == OutcomeCancelled {
		return
	}
	position := len(s.trail.path) - 1
	running := s.trail.streaks[c.fact.Tool]
	if running != nil && c.errored() && s.calls[running.first].fact.Folded == c.fact.Folded {
		running.length++
		running.last = position
		running.distinct = running.distinct || s.calls[running.first].fact.Hash != c.fact.Hash
		return
	}
	if running != nil {
		s.patterns = append(s.patterns, s.streakFacts(running)...)
		delete(s.trail.streaks, c.fact.Tool)
	}
	if c.errored() {
		s.trail.streaks[c.fact.Tool] = &streak{first: index, last: position, length: 1}
	}
}

// streakFacts is a streak's fact, if it is long enough and has not been found on another branch.
func (s *threadState) streakFacts(k *streak) []PatternFact {
	if k.length < minStreak || !k.distinct || k.last < s.trail.fresh || s.trail.replay {
		return nil
	}
	fact := patternAt(PatternStuckStreak, &s.calls[k.first].fact, k.length)
	fact.Code = s.calls[k.first].fact.Folded
	return []PatternFact{fact}
}

// ongoing gives the streaks and cycles that have not ended yet.
func (s *threadState) ongoing() []PatternFact {
	var facts []PatternFact
	for _, k := range s.trail.streaks {
		facts = append(facts, s.streakFacts(k)...)
	}
	for period := minPeriod; period <= maxPeriod; period++ {
		facts = append(facts, s.cycleFacts(period, len(s.trail.path))...)
	}
	return facts
}

// patternFacts gives all patterns in the order of their first calls. A stretch that several branches go on with, each in
// its own way, is one: its longest.
func (s *threadState) patternFacts() []PatternFact {
	facts := append(slices.Clone(s.patterns), s.ongoing()...)
	slices.SortStableFunc(facts, func(a, b PatternFact) int {
		return cmp.Or(a.First.compare(b.First), cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Length, a.Length))
	})
	return slices.CompactFunc(facts, func(a, b PatternFact) bool {
		return a.Kind == b.Kind && a.First == b.First
	})
}
