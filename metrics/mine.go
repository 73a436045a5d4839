package metrics

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"errata/transcript"
)

// Env is what mining needs beside the run: the configuration of the definitions. The same run under the same Env gives
// the same facts.
type Env struct {
	Rules    *Rules    // nil: the default ones
	Prices   *Prices   // nil: no model has a price
	Tokens   Tokenizer // nil: nothing is estimated, and error bodies have no size
	Registry *Registry // nil: none
	// Unestimated leaves turns without tokens that carry no usage of their own: for whoever knows from elsewhere what they
	// took, since counting all that a long run says takes longer than everything else.
	Unestimated bool
}

// Mine derives all facts of a run.
func Mine(run transcript.Run, env Env) Facts {
	m := NewMiner(env, run.Meta)
	for i := range run.Threads {
		thread := &run.Threads[i]
		for j := range thread.Turns {
			m.Step(thread, &thread.Turns[j])
		}
	}
	return m.Facts(&run)
}

// Miner folds the turns of one run into facts, so that an increment costs what it adds: what is expensive about a turn
// (judging, comparing, counting tokens) is done once, in its Step. A turn that changes after its Step, because a result
// came late, needs a new Miner. A Miner is not safe for concurrent use.
type Miner struct {
	env      Env
	variant  transcript.Variant
	threads  map[transcript.ThreadID]*threadState
	accepted acceptedValues
	prices   *modelPrices
}

// defaultRules are the default ones, made once since they are many patterns.
var defaultRules = sync.OnceValue(DefaultRules)

// NewMiner begins a fold. Of meta only the payload variant is used: all else may still change, and is given to Facts.
func NewMiner(env Env, meta transcript.Meta) *Miner {
	if env.Rules == nil {
		env.Rules = defaultRules()
	}
	if env.Tokens == nil {
		env.Tokens = noTokens{}
	}
	return &Miner{
		env:      env,
		variant:  meta.Variant,
		threads:  map[transcript.ThreadID]*threadState{},
		accepted: acceptedValues{},
		prices:   &modelPrices{table: env.Prices, lists: map[string][]Price{}},
	}
}

// Step takes the next turn of a thread. The turns of a thread come in order, those of several threads in any.
func (m *Miner) Step(thread *transcript.Thread, turn *transcript.Turn) {
	s := m.threads[thread.ID]
	if s == nil {
		s = newThreadState(m, thread)
		m.threads[thread.ID] = s
	}
	s.step(thread, turn)
}

// Facts gives the facts of the turns so far. The fold may go on afterwards: nothing in it is changed.
func (m *Miner) Facts(run *transcript.Run) Facts {
	facts := Facts{Accepted: m.accepted.facts()}
	facts.Run = RunFact{
		Meta:         run.Meta,
		Started:      run.Started,
		LastActivity: run.LastActivity,
		Timed:        run.Timed,
	}
	unpriced := map[string]bool{}
	for i := range run.Threads {
		thread := &run.Threads[i]
		s := m.threads[thread.ID]
		if s == nil {
			continue
		}
		end := endOf(run, thread)
		episodes := len(facts.Episodes)
		facts.Calls = append(facts.Calls, s.callFacts(end, run.Timed)...)
		facts.Episodes = append(facts.Episodes, s.episodeFacts(end, run.Timed)...)
		facts.Charges = append(facts.Charges, s.charges(episodes, run.Timed)...)
		facts.Patterns = append(facts.Patterns, s.patternFacts()...)
		facts.Pairs = append(facts.Pairs, s.pairFacts(episodes)...)
		facts.Findings = append(facts.Findings, s.findings...)
		facts.LeakedCalls += s.addTotals(&facts.Run, unpriced)
	}
	facts.Run.Unpriced = slices.Sorted(maps.Keys(unpriced))
	countStreaks(&facts)
	facts.Shadows = m.shadows(run)
	return facts
}

// threadEnd is what the record says of the end of a thread.
type threadEnd struct {
	ended  bool
	reason transcript.EndReason // of the run, where it is this thread's too
}

// endOf tells how a thread ended. A sub-agent's thread that ended by itself did not end for the run's reason.
func endOf(run *transcript.Run, thread *transcript.Thread) threadEnd {
	if thread.ID != "" && thread.Ended {
		return threadEnd{ended: true}
	}
	return threadEnd{ended: run.Meta.Ended || thread.Ended, reason: run.Meta.EndReason}
}

// compare orders places in one thread.
func (r Ref) compare(other Ref) int {
	return cmp.Or(cmp.Compare(r.Turn, other.Turn), cmp.Compare(r.Index, other.Index))
}
