package simulate

import "time"

// story is one episode as the plan tells it. Its verbs are the agent's next
// steps, so that telling the story decides the labels.
type story struct {
	*stage
	place   int // in truth.Episodes
	args    object
	flt     *fault
	waiting int // errored call in truth.Errors without a label yet, -1 for none
	since   time.Time
	chain   int // in truth.Chains of the series of repeats under way, -1 for none
	helped  bool
	over    bool // recovered
	last    int  // turn of the last error, or of the recovery
	codes   []codeAt
	streak  streak
	pairs   []AliasTruth // given only when it recovers
}

// codeAt says which code the episode had after a turn.
type codeAt struct {
	turn int
	code string
}

// streak is a stretch of failures with one code.
type streak struct {
	code string
	n    int
	args map[string]bool
}

// opens is the call with which an episode opens.
func (s *stage) opens(tool string, args object, f *fault) (*story, act) {
	st := &story{stage: s, place: len(s.truth.Episodes), waiting: -1, chain: -1}
	s.stories = append(s.stories, st)
	s.truth.Episodes = append(s.truth.Episodes, EpisodeTruth{Thread: s.thread, Tool: tool, Ending: Open, Attempts: -1})
	return st, st.failing(args, f)
}

// begin plays the turn with which an episode opens.
func (s *stage) begin(tool string, args object, f *fault) *story {
	st, a := s.opens(tool, args, f)
	s.play(pick(s.rng, starts), a)
	return st
}

// failing is a call of the episode that fails.
func (st *story) failing(args object, f *fault) act {
	st.args, st.flt = args, f
	st.seen[st.episode().Tool+"?"+args.key()] = true
	c := &call{tool: st.episode().Tool, args: args, outcome: Error, body: f.payload(st.variant).text()}
	return act{call: c, note: func(t *turn, c *call) { st.noteError(t, c, f) }}
}

func (st *story) episode() *EpisodeTruth { return &st.truth.Episodes[st.place] }

// noteError writes the error down; its label waits for the next step.
func (st *story) noteError(t *turn, c *call, f *fault) {
	e, code := st.episode(), f.codeIn(st.variant)
	if e.Errors == 0 {
		e.Code, e.Variant, e.Opened, e.Turn = code, st.variant, t.resultAt, t.number
	}
	e.Errors++
	e.Attempts++
	st.waiting, st.since, st.last = len(st.truth.Errors), t.resultAt, t.number
	err := ErrorTruth{CallTruth: st.truth.Calls[c.place], Code: code, Retryable: f.retryableIn(st.variant), Episode: st.place}
	if st.variant == StructuredV2 {
		err.NextAction, err.RetryAfterMS, err.Sanctioned = f.nextAction, f.retryAfter, f.retryable
	}
	st.truth.Errors = append(st.truth.Errors, err)
	st.codes = append(st.codes, codeAt{t.number, code})
	if st.variant == BareV1 && st.chance(st.cfg.Shadow) {
		c.shadow = f.payload(StructuredV2)
		st.truth.Shadows = append(st.truth.Shadows, ShadowTruth{c.id, code, f.codeIn(StructuredV2)})
	}
	st.failedAgain(code)
}

// label gives the waiting error its next step.
func (st *story) label(l string) {
	if st.waiting < 0 {
		return
	}
	st.truth.Errors[st.waiting].Label = l
	if l != Repeat {
		st.chain = -1
	}
	st.waiting = -1
}

// repeating notes that the next turn makes the same call.
func (st *story) repeating() {
	e := &st.truth.Errors[st.waiting]
	if st.chain < 0 {
		st.chain = len(st.truth.Chains)
		st.truth.Chains = append(st.truth.Chains, ChainTruth{Thread: st.thread, Tool: e.Tool, Code: e.Code, Variant: e.Variant, Time: e.Time})
	}
	st.truth.Chains[st.chain].Repeats++
	st.label(Repeat)
}

// repeats makes the same call in the next turn, and it fails the same way.
func (st *story) repeats() {
	st.honour()
	st.repeating()
	args := st.args
	if st.chance(0.15) {
		args = args.shuffled(st.rng)
	}
	st.play(st.maybe(again), st.failing(args, st.flt))
}

// honour settles how long the agent waits before it makes the same call.
func (st *story) honour() {
	e := &st.truth.Errors[st.waiting]
	if e.RetryAfterMS == 0 {
		return
	}
	wait := time.Duration(e.RetryAfterMS) * time.Millisecond
	kept := st.chance(st.ways.HonourRetryAfter)
	e.Honoured = &kept
	st.pause = st.between(wait/8, wait/2)
	if kept {
		st.pause = st.between(wait+100*time.Millisecond, wait+2*time.Second)
	}
}

// retries calls the same tool with other arguments, and it fails.
func (st *story) retries(args object, f *fault) {
	st.label(Corrected)
	st.play(st.maybe(fixes), st.failing(args, f))
}

// looks calls other tools only, which work.
func (st *story) looks(help HelperTruth, a act) {
	st.label(Switched)
	st.play(pick(st.rng, peeks), a)
	st.credit(help)
}

// credit counts one successful call of another tool.
func (st *story) credit(help HelperTruth) {
	e := st.episode()
	for i := range e.Helpers {
		if e.Helpers[i].Tool == help.Tool {
			e.Helpers[i].Calls++
			return
		}
	}
	help.Calls = 1
	e.Helpers = append(e.Helpers, help)
}

// wins is the call that works: the same tool with other arguments.
func (st *story) wins(args object) act {
	st.label(Corrected)
	return st.winning(st.episode().Tool, args)
}

// winsSame is the call that works though it is the one that failed before.
func (st *story) winsSame() act {
	if st.waiting >= 0 {
		st.honour()
		st.repeating()
	}
	return st.winning(st.episode().Tool, st.args)
}

// winsElsewhere is the call that works of a tool that does exist.
func (st *story) winsElsewhere(tool string) act {
	st.label(Switched)
	return st.winning(tool, st.args)
}

// winning ends the episode with this call.
func (st *story) winning(tool string, args object) act {
	a := st.works(tool, args)
	a.note = func(t *turn, _ *call) {
		e := st.episode()
		e.Ending = Recovered
		if st.helped {
			e.Ending = RecoveredWithUser
		}
		e.Attempts++
		e.Turns = t.number - e.Turn
		e.Seconds = t.resultAt.Sub(e.Opened).Seconds()
		st.over, st.last = true, t.number
		st.endStreak()
		st.truth.Aliases = append(st.truth.Aliases, st.pairs...)
	}
	return a
}

// failedAgain carries the streak of failures with one code on.
func (st *story) failedAgain(code string) {
	if st.streak.code != code {
		st.endStreak()
		st.streak = streak{code: code, args: map[string]bool{}}
	}
	st.streak.n++
	st.streak.args[st.args.key()] = true
}

// endStreak counts the streak that ends here, if it is one.
func (st *story) endStreak() {
	if st.streak.n >= 3 && len(st.streak.args) >= 2 {
		st.truth.StuckStreaks++
	}
	st.streak = streak{}
}

// maybe is what the model writes before a call: often nothing.
func (p *script) maybe(list []string) string {
	if p.chance(0.5) {
		return ""
	}
	return pick(p.rng, list)
}
