package metrics

import (
	"slices"
	"strings"
	"time"

	"errata/transcript"
)

// labelBefore gives the errored calls of the turn before the current one their labels. A turn whose only call leaked as
// text is passed over: it is neither a reply nor a new attempt, and what comes after it is the next step. Where several
// turns follow one, in a log with rewinds, the earliest one counts.
func (s *threadState) labelBefore(current int) {
	t := &s.turns[current]
	user := t.userBefore
	for previous := s.turn(t.follows); previous != nil; previous = s.turn(previous.follows) {
		if previous.next == 0 {
			previous.next = t.number
		}
		first := previous.next == t.number || s.turn(previous.next).leaked()
		if first && (user || !t.leaked()) {
			s.labelCalls(previous, t, user)
		}
		s.findIdleRepeats(previous, t, user || previous.spoke)
		if !previous.leaked() {
			return
		}
		user = user || previous.userBefore
	}
}

// labelCalls labels the errored calls of a turn by the turn that follows.
func (s *threadState) labelCalls(previous, t *turnState, user bool) {
	next := s.calls[t.calls.from:t.calls.to]
	for i := previous.calls.from; i < previous.calls.to; i++ {
		c := &s.calls[i]
		if !c.errored() || c.fact.Label != LabelNone {
			continue
		}
		c.fact.Label = labelOf(&c.fact, next, user || previous.spoke)
		if c.fact.Label == LabelRepeat {
			s.addToChain(c, next)
		}
	}
}

// labelOf is the first row of section 4 that fits.
func labelOf(errored *CallFact, next []callState, user bool) Label {
	if user {
		return LabelUser
	}
	label := LabelReplied
	for i := range next {
		c := &next[i].fact
		if c.Hash == errored.Hash {
			return LabelRepeat
		}
		if c.Tool == errored.Tool {
			label = LabelCorrected
		} else if label == LabelReplied {
			label = LabelSwitched
		}
	}
	return label
}

// addToChain counts a repeat to the first error of its chain. Identical errored calls of one turn are one chain, and
// the repeats of all of them are in it, so that the chains' repeats add up to the errored calls labelled repeat.
func (s *threadState) addToChain(repeated *callState, next []callState) {
	sibling := s.turn(repeated.fact.Turn).calls
	for i := sibling.from; i < repeated.root; i++ {
		if s.calls[i].errored() && s.calls[i].fact.Hash == repeated.fact.Hash {
			repeated.root = s.calls[i].root
			break
		}
	}
	s.calls[repeated.root].fact.Chain++
	repeated.fact.Sanctioned = repeated.fact.Error.Retryable == transcript.True
	for i := range next {
		if next[i].errored() && next[i].fact.Hash == repeated.fact.Hash {
			next[i].root = repeated.root
		}
	}
}

// settleWaits judges the errors that asked for a pause and that the current turn's calls repeat.
func (s *threadState) settleWaits(current int) {
	t := &s.turns[current]
	for i := t.calls.from; i < t.calls.to; i++ {
		next := &s.calls[i]
		waiting, found := s.waiting[next.fact.Hash]
		if !found {
			continue
		}
		still := slices.DeleteFunc(waiting, func(w int) bool {
			return s.isAncestor(s.calls[w].fact.Turn, t.number) && settleWait(&s.calls[w].fact, next.fact.Asked)
		})
		if len(still) == 0 {
			delete(s.waiting, next.fact.Hash)
		} else {
			s.waiting[next.fact.Hash] = still
		}
	}
	for i := t.calls.from; i < t.calls.to; i++ {
		c := &s.calls[i]
		if c.errored() && c.fact.Error.RetryAfterMS != nil {
			s.waiting[c.fact.Hash] = append(s.waiting[c.fact.Hash], i)
		}
	}
}

// settleWait always settles: where a time is not known, the pause stays unjudged.
func settleWait(errored *CallFact, asked time.Time) bool {
	if !asked.IsZero() && !errored.Time.IsZero() {
		honoured := float64(asked.Sub(errored.Time))/float64(time.Millisecond) >= float64(*errored.Error.RetryAfterMS)
		errored.Honoured = &honoured
	}
	return true
}

// callFacts gives the calls with the labels that the end of the thread adds.
func (s *threadState) callFacts(end threadEnd, timed bool) []CallFact {
	facts := make([]CallFact, len(s.calls))
	for i := range s.calls {
		facts[i] = s.calls[i].fact
		fact := &facts[i]
		if fact.Outcome != OutcomeError {
			continue
		}
		if fact.Label == LabelNone {
			fact.Label = s.lastLabel(s.turn(fact.Turn), end)
		}
		fact.Obeyed = Obeyed(&fact.Error, fact.Label)
		if !timed {
			fact.Honoured = nil
		}
	}
	return facts
}

// lastLabel is the label of an errored call that no turn followed, but for ones whose only call leaked.
func (s *threadState) lastLabel(t *turnState, end threadEnd) Label {
	for t.next != 0 && !t.spoke && !t.userAfter {
		t = s.turn(t.next)
	}
	if t.spoke || t.userAfter {
		return LabelUser
	}
	if end.ended {
		return LabelEnded
	}
	return LabelNone
}

// request is what an error asked the model to do next, as far as section 4 judges it.
type request int

const (
	askedNothing request = iota
	askedStop
	askedRetry
)

// asks tells what an error asks for. Its next_action says it more precisely than its retryable; a next action other than
// the three that section 4 judges leaves nothing to judge. Package ask says the same in SQL, letter for letter: only those
// of ASCII have another case here.
func asks(e *transcript.ErrorObject) request {
	switch strings.Map(foldToken, e.NextAction) {
	case "stop", "ask_user":
		return askedStop
	case "retry":
		return askedRetry
	case "":
		if e.Retryable == transcript.False {
			return askedStop
		}
	}
	return askedNothing
}

// foldToken makes a letter of a next action lower case, and its hyphen an underscore.
func foldToken(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return r + 'a' - 'A'
	case r == '-':
		return '_'
	}
	return r
}

// Obeyed tells whether a label is what the error asked for; nil where it asked for nothing that can be judged, or the label
// is not known. Where a user spoke first, it was not the model's choice. Whoever settles a label judges it anew.
func Obeyed(e *transcript.ErrorObject, label Label) *bool {
	what := asks(e)
	if what == askedNothing || label == LabelNone || label == LabelUser {
		return nil
	}
	result := label == LabelRepeat
	if what == askedStop {
		result = label == LabelReplied || label == LabelEnded
	}
	return &result
}
