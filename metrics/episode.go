package metrics

import (
	"slices"

	"errata/transcript"
)

// episode is the stretch from a first error to its recovery or its end, as the fold holds it.
type episode struct {
	number  int   // in its thread, by when it opened
	calls   []int // indexes of the calls that belong to it, its first error first
	tool    transcript.Tool
	missing bool // it is after a tool that does not exist, so that calls of other tools may belong
	faults  faults
	closed  bool // it recovered
	helped  bool // a user message came in between
	serial  int
	changed int
	reject  int
	helpers []HelperFact
	pairs   []PairFact
}

func (e *episode) first() int { return e.calls[0] }
func (e *episode) last() int  { return e.calls[len(e.calls)-1] }

// match gives the calls of the current turn to the open episodes that they belong to, and opens episodes for the errored
// calls that none takes. Identical errored calls of one turn count once: they open one episode, or none where an
// episode has taken one of them.
func (s *threadState) match(current int) {
	t := &s.turns[current]
	if t.calls.from == t.calls.to {
		return
	}
	taken := s.assign(t)
	opened := map[uint64]bool{}
	for i := t.calls.from; i < t.calls.to; i++ {
		if taken[i] && s.calls[i].errored() {
			opened[s.calls[i].fact.Hash] = true
		}
	}
	for i := t.calls.from; i < t.calls.to; i++ {
		c := &s.calls[i]
		if taken[i] || !c.errored() || opened[c.fact.Hash] {
			continue
		}
		opened[c.fact.Hash] = true
		s.openEpisode(i)
	}
}

func (s *threadState) openEpisode(index int) {
	c := &s.calls[index]
	e := &episode{number: len(s.episodes), calls: []int{index}, tool: c.fact.Tool, missing: c.missing}
	e.faults.add(c)
	s.episodes = append(s.episodes, e)
	s.open.add(e, c.fact.Hash)
}

// join adds a call to an episode; the first ok call ends it.
func (s *threadState) join(e *episode, index int) {
	c := &s.calls[index]
	s.findWaste(e, index)
	e.calls = append(e.calls, index)
	switch c.fact.Outcome {
	case OutcomeError:
		e.faults.add(c)
		e.missing = e.missing || c.missing && c.fact.Tool == e.tool
		s.open.rename(e, c.fact.Hash)
	case OutcomeOK:
		e.closed = true
		e.helped = s.turn(c.fact.Turn).users > s.turn(s.calls[e.first()].fact.Turn).users
		e.helpers = s.findHelpers(e)
		e.pairs = s.findPairs(e)
		s.open.remove(e)
	}
}

// episodeFacts gives the episodes, the open ones with what the end of the thread makes of them.
func (s *threadState) episodeFacts(end threadEnd, timed bool) []EpisodeFact {
	facts := make([]EpisodeFact, 0, len(s.episodes))
	ok := s.lastSuccesses()
	for _, e := range s.episodes {
		first, last := &s.calls[e.first()].fact, &s.calls[e.last()].fact
		fact := EpisodeFact{
			First:    first.Ref,
			Last:     last.Ref,
			Tool:     e.tool,
			Code:     first.Folded,
			Model:    first.Model,
			Variant:  first.Variant,
			Time:     first.Time,
			Attempts: len(e.calls) - 1,
			Serial:   e.serial,
			Changed:  e.changed,
			Rejected: e.reject,
			Helpers:  slices.Clone(e.helpers),
		}
		for _, i := range e.calls {
			fact.Calls = append(fact.Calls, s.calls[i].fact.Ref)
		}
		fact.Ending, fact.Reason = s.endingOf(e, end, ok)
		if e.closed {
			fact.Turns = last.Turn - first.Turn
			if timed && !first.Time.IsZero() && !last.Time.IsZero() {
				fact.Seconds = max(last.Time.Sub(first.Time).Seconds(), 0)
			}
		}
		facts = append(facts, fact)
	}
	return facts
}

// endingOf tells how an episode ended. One that is open has the reason it will have, should its run be found ended.
func (s *threadState) endingOf(e *episode, end threadEnd, ok []int) (Ending, Reason) {
	if e.closed && e.helped {
		return EndingRecoveredWithUser, ""
	}
	if e.closed {
		return EndingRecovered, ""
	}
	ending := EndingOpen
	if end.ended {
		ending = EndingAbandoned
	}
	switch end.reason {
	case transcript.EndTurnLimit:
		return ending, ReasonTurnLimit
	case transcript.EndError, transcript.EndCancelled:
		return ending, ReasonCutOff
	case transcript.EndUserLeft:
		return ending, ReasonUserLeft
	}
	if s.movedOn(e, ok) {
		return ending, ReasonMovedOn
	}
	if t := &s.turns[len(s.turns)-1]; t.calls.from == t.calls.to && t.words && !t.leaked() {
		return ending, ReasonHandedToUser
	}
	return ending, ReasonStopped
}

// movedOn tells whether turns later than the episode's last call made calls that succeeded. None of them belongs to the
// episode, or it would have recovered.
func (s *threadState) movedOn(e *episode, ok []int) bool {
	turn := s.calls[e.last()].fact.Turn
	if !s.branched {
		return len(ok) > 0 && s.calls[ok[len(ok)-1]].fact.Turn > turn
	}
	for _, i := range slices.Backward(ok) {
		if s.calls[i].fact.Turn <= turn {
			return false
		}
		if s.isAncestor(turn, s.calls[i].fact.Turn) {
			return true
		}
	}
	return false
}

// lastSuccesses lists the last ok calls: one in a thread without branches, as many as are worth looking at in others.
func (s *threadState) lastSuccesses() []int {
	limit := 1
	if s.branched {
		limit = maxReplay
	}
	var ok []int
	for i := len(s.calls) - 1; i >= 0 && len(ok) < limit; i-- {
		if s.calls[i].fact.Outcome == OutcomeOK {
			ok = append(ok, i)
		}
	}
	slices.Reverse(ok)
	return ok
}
