package simulate

// givesUp ends the story without a recovery, in a way that the behaviour's
// weights choose, and burns its tool. In a run that goes on the agent moves on.
func (st *story) givesUp() {
	reason := st.drawKey(st.ways.Reasons, reasonNames)
	if st.truth.Open {
		reason = MovedOn
	}
	switch reason {
	case MovedOn:
		st.leaves()
	case HandedToUser:
		st.say(pick(st.rng, sorrys))
		st.ends(HandedToUser)
	case UserLeft:
		st.say(pick(st.rng, questions))
		st.ends(UserLeft)
	default:
		st.ends(reason)
	}
}

// reasonNames are the reasons in a fixed order.
var reasonNames = []string{HandedToUser, MovedOn, UserLeft, TurnLimit, CutOff, Stopped}

// leaves has the agent go on with another tool, which works: the error is
// switched away from, and whatever ends the run, the agent had moved on
// unless the run's own end is a reason that goes before.
func (st *story) leaves() {
	tool := st.episode().Tool
	st.burnt[tool] = true
	other := st.plainTool(tool)
	if other == "" {
		st.say(pick(st.rng, sorrys))
		st.ends(HandedToUser)
		return
	}
	st.label(Switched)
	st.play("", st.works(other, st.argsOf(other)))
	st.episode().settled = MovedOn
}

// ends has the run end here for this reason. Where no turn follows the error
// it is ended; where words followed it was replied to already.
func (st *story) ends(reason string) {
	st.burnt[st.episode().Tool] = true
	st.episode().settled = reason
	st.label(Ended)
	st.script.ends(reason)
}

// ends notes with what reason the record of the run will say that it ended.
func (p *script) ends(reason string) {
	p.done = true
	switch {
	case p.truth.Open:
	case reason == CutOff:
		p.truth.EndReason = "error"
	case reason == TurnLimit || reason == UserLeft:
		p.truth.EndReason = reason
	default:
		p.truth.EndReason = "completed"
	}
}

// close settles what only the end of the run decides: the endings of stories
// without a recovery, the last streaks, the charges and the task's success.
func (p *script) close() {
	for _, st := range p.stories {
		st.endStreak()
		e := st.episode()
		if e.Ending != Open {
			continue
		}
		e.Helpers = nil // without a recovery nothing helped
		if e.settled == "" {
			e.settled = Stopped
		}
		if !p.truth.Open {
			e.Ending, e.Reason = Abandoned, p.reason(e.settled)
		}
	}
	p.truth.Charges = p.charges(func(t Tokens) Tokens { return t })
	for _, s := range p.stages {
		if s.clock.After(p.truth.LastActivity) {
			p.truth.LastActivity = s.clock
		}
	}
	p.succeed()
}

// reason is why an episode was abandoned: what the record says of the run's
// end goes before what the agent did.
func (p *script) reason(settled string) string {
	switch p.truth.EndReason {
	case "turn_limit":
		return TurnLimit
	case "user_left":
		return UserLeft
	case "error", "cancelled":
		return CutOff
	}
	return settled
}

// charges gives each turn that serves episodes to them, in equal parts. A story
// is served from the turn after its first error up to its recovery, else up to
// the turn that read its last error, where there is one. The tokens are counted
// as the form of the messages can tell them.
func (p *script) charges(told func(Tokens) Tokens) []ChargeTruth {
	var list []ChargeTruth
	for _, s := range p.stages {
		for _, t := range s.turns {
			var served []*story
			for _, st := range p.stories {
				if st.stage == s && t.number > st.episode().Turn && t.number <= st.lastServed() {
					served = append(served, st)
				}
			}
			for i, st := range served {
				e := st.episode()
				c := ChargeTruth{Thread: s.thread, Tool: e.Tool, Code: st.codeBefore(t.number), Variant: e.Variant, Turn: t.number,
					Episode: st.place, Time: t.at, Tokens: told(t.tokens).part(i, len(served))}
				if i == 0 {
					c.Turns = 1
				}
				list = append(list, c)
			}
		}
	}
	return list
}

// lastServed is the last turn that the story pays for.
func (st *story) lastServed() int {
	if st.over {
		return st.last
	}
	return st.last + 1
}

// codeBefore is the code of the story's latest error before the turn.
func (st *story) codeBefore(turn int) string {
	code := ""
	for _, c := range st.codes {
		if c.turn < turn {
			code = c.code
		}
	}
	return code
}

// succeed draws whether the task reached its goal, where the record will say.
func (p *script) succeed() {
	if p.truth.Open || !p.chance(p.cfg.SuccessKnown) {
		return
	}
	of := p.ways.Success
	for i := range p.truth.Episodes {
		if p.truth.Episodes[i].Ending == Abandoned {
			of = p.ways.SuccessAfter
		}
	}
	ok := p.chance(of)
	p.truth.TaskSuccess = &ok
}

// drawKey draws one of the names by their weights.
func (p *script) drawKey(weights map[string]float64, names []string) string {
	sum := 0.0
	for _, n := range names {
		sum += weights[n]
	}
	at := p.rng.Float64() * sum
	for _, n := range names {
		if at -= weights[n]; at < 0 {
			return n
		}
	}
	return names[len(names)-1]
}
