package metrics

import (
	"cmp"
	"time"

	"errata/transcript"
)

// threadState is what the fold holds of one thread.
type threadState struct {
	env      *Env
	variant  transcript.Variant
	id       transcript.ThreadID
	accepted acceptedValues
	prices   *modelPrices

	turns    []turnState
	calls    []callState
	branched bool // some turn does not follow the one numbered before it

	waiting  map[uint64][]int // errored calls that asked to wait, by their hash, until an identical one comes
	trail    trail
	patterns []PatternFact
	episodes []*episode
	open     openEpisodes
	context  contextTokens
	findings []FindingFact
}

// turnState is one turn as the fold holds it.
type turnState struct {
	number  int
	follows int // number of the turn before it on its branch, 0: none
	segment int // number of the first turn from which on each follows the one numbered before it, up to this one
	next    int // number of the earliest turn that follows it, 0: none yet
	calls   span
	time    time.Time
	ends    time.Time // when the last of its results was there
	model   string

	userBefore bool
	userAfter  bool
	spoke      bool // a person refused or interrupted one of its calls
	users      int  // user messages on its branch before it
	leaks      int  // calls that leaked as text, of a turn that made none
	words      bool // it says something

	usage     transcript.Usage
	estimated bool
	money     int64
	priced    bool
}

// span is a range of indexes, half open.
type span struct{ from, to int }

// callState is one call of the agent as the fold holds it.
type callState struct {
	fact    CallFact
	result  *transcript.Result
	leaves  []transcript.Leaf // sorted by pointer
	message message           // of an error that names no argument
	missing bool              // there is no tool of that name
	root    int               // the call that its chain began with
	tokens  int64             // of the result's body; −1: not counted yet
}

func newThreadState(m *Miner, thread *transcript.Thread) *threadState {
	calls := 0
	for i := range thread.Turns {
		calls += len(thread.Turns[i].Calls)
	}
	return &threadState{
		env:      &m.env,
		variant:  m.variant,
		id:       thread.ID,
		turns:    make([]turnState, 0, len(thread.Turns)),
		calls:    make([]callState, 0, calls),
		accepted: m.accepted,
		prices:   m.prices,
		waiting:  map[uint64][]int{},
		trail:    newTrail(),
		open:     newOpenEpisodes(),
	}
}

// step takes the next turn.
func (s *threadState) step(thread *transcript.Thread, turn *transcript.Turn) {
	if n := len(s.turns); n > 0 && s.turns[n-1].number >= turn.Number {
		return // a turn is folded once
	}
	s.addTurn(thread, turn)
	current := len(s.turns) - 1
	s.addCalls(turn)
	s.measure(thread, turn)
	s.labelBefore(current)
	s.settleWaits(current)
	s.walk(current)
	s.match(current)
}

func (s *threadState) addTurn(thread *transcript.Thread, turn *transcript.Turn) {
	t := turnState{
		number:     turn.Number,
		follows:    turn.Follows,
		time:       turn.Time,
		ends:       turn.Time,
		model:      turn.Model,
		userBefore: turn.UserBefore,
		userAfter:  turn.UserAfter,
	}
	if t.follows >= t.number {
		t.follows = 0 // a turn that follows itself or a later one would never end
	}
	for _, i := range turn.Messages {
		if i >= 0 && i < len(thread.Messages) && thread.Messages[i].Text != "" {
			t.words = true
		}
	}
	last := 0
	if n := len(s.turns); n > 0 {
		last = s.turns[n-1].number
	}
	if t.follows != last {
		s.branched = true
	}
	t.segment = t.number
	if previous := s.turn(t.follows); previous != nil {
		if t.follows == t.number-1 {
			t.segment = previous.segment
		}
		t.users = previous.users
		if previous.spoke {
			t.users++
		}
	}
	if turn.UserBefore {
		t.users++
	}
	t.leaks = leakedCalls(thread, turn)
	s.turns = append(s.turns, t)
}

// addCalls judges the agent's calls of a turn, the last one added.
func (s *threadState) addCalls(turn *transcript.Turn) {
	t := &s.turns[len(s.turns)-1]
	t.calls.from = len(s.calls)
	for i := range turn.Calls {
		if turn.Calls[i].Actor == transcript.ByAgent {
			s.addCall(turn, &turn.Calls[i])
		}
	}
	t.calls.to = len(s.calls)
}

func (s *threadState) addCall(turn *transcript.Turn, c *transcript.TurnCall) {
	t := &s.turns[len(s.turns)-1]
	j := s.env.Rules.Judge(c.Call, c.Result)
	arguments, hash := s.env.Rules.Identity(c.Call)
	state := callState{
		result:  c.Result,
		leaves:  sortedLeaves(arguments, s.env.Rules.MaxLeaves),
		missing: c.Unknown || j.NoSuchTool,
		root:    len(s.calls),
		tokens:  -1,
		fact: CallFact{
			Ref:       Ref{Thread: s.id, Turn: turn.Number, Index: c.Index},
			ID:        c.ID,
			Tool:      c.Tool,
			Time:      c.Time,
			Asked:     c.Asked,
			Provider:  turn.Provider,
			Model:     turn.Model,
			Variant:   s.variantOf(c.Result, &j),
			Outcome:   j.Outcome,
			ErrorRule: j.Rule,
			Hash:      hash,
			Malformed: arguments.Malformed,
			Unknown:   c.Unknown || j.NoSuchTool,
		},
	}
	if j.Outcome == OutcomeError {
		state.fact.Error, state.fact.Code, state.fact.Folded, state.fact.Template = j.Error, j.Code, j.Folded, j.Template
		state.fact.BodyTokens = bodyTokens(s.env.Tokens, turn.Model, c.Result)
		state.tokens = state.fact.BodyTokens
		if len(namedBy(&j.Error)) == 0 {
			state.message = newMessage(j.Error.Message)
		}
	}
	if j.Outcome == OutcomeOK {
		s.accepted.add(c.Tool, state.leaves)
	}
	t.spoke = t.spoke || j.UserSpoke
	if c.Time.After(t.ends) {
		t.ends = c.Time
	}
	s.addFindings(c, &j, &state.fact)
	s.calls = append(s.calls, state)
}

// variantOf is the error format that the model saw.
func (s *threadState) variantOf(result *transcript.Result, j *Judgement) transcript.Variant {
	var own transcript.Variant
	if result != nil {
		own = result.Variant
	}
	return cmp.Or(own, s.variant, transcript.Variant(j.Error.Schema))
}

func (s *threadState) addFindings(c *transcript.TurnCall, j *Judgement, fact *CallFact) {
	if c.Result == nil {
		return
	}
	examined := Examined{Call: c.Call, Result: c.Result, Judgement: *j, BodyTokens: fact.BodyTokens}
	for _, finding := range Findings(examined, s.env.Registry) {
		s.findings = append(s.findings, FindingFact{
			Finding: finding,
			Ref:     fact.Ref,
			Time:    fact.Time,
			Tool:    fact.Tool,
			Code:    fact.Folded,
			Model:   fact.Model,
			Variant: fact.Variant,
		})
	}
}

// leaked tells whether a turn did nothing but write a call as text.
func (t *turnState) leaked() bool { return t.leaks > 0 }

func (c *callState) errored() bool { return c.fact.Outcome == OutcomeError }
