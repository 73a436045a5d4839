package ask

import (
	"maps"

	"errata/metrics"
	"errata/transcript"
)

// view lays out a run with its facts.
func view(run transcript.Run, facts metrics.Facts, s settlement) Run {
	meta := run.Meta
	v := Run{
		RunID: string(meta.ID), Format: meta.Format,
		Agent: absent(meta.Agent), AgentVersion: absent(meta.AgentVersion), Provider: absent(meta.Provider),
		Model: absent(meta.Model), Variant: absent(string(meta.Variant)),
		Attributes: map[string]string{},
		StartedAt:  run.Started.UTC(), LastActivity: run.LastActivity.UTC(), Timed: run.Timed,
		Ended: s.ended(), EndReason: absent(string(meta.EndReason)), TaskSuccess: meta.TaskSuccess,
		Usage: usageOf(facts.Run.Usage), Unpriced: some(facts.Run.Unpriced), LeakedCalls: facts.LeakedCalls,
		Threads: []Thread{}, Episodes: []Episode{},
	}
	maps.Copy(v.Attributes, meta.Attributes)
	if facts.Run.Money != 0 || len(facts.Run.Unpriced) == 0 {
		usd := float64(facts.Run.Money) / 1e9
		v.USD = &usd
	}
	mined := byPlace(facts, s)
	for i := range run.Threads {
		v.Threads = append(v.Threads, mined.thread(&run.Threads[i]))
	}
	for i := range facts.Episodes {
		v.Episodes = append(v.Episodes, episodeView(&facts.Episodes[i], s))
	}
	v.addCharges(facts.Charges)
	v.addPairs(facts.Pairs)
	return v
}

// addCharges sums up what the recovery turns of each episode used.
func (v *Run) addCharges(charges []metrics.ChargeFact) {
	for _, c := range charges {
		if c.Episode < 0 || c.Episode >= len(v.Episodes) {
			continue
		}
		u := &v.Episodes[c.Episode].Usage
		u.Input += c.Usage.Input
		u.CacheRead += c.Usage.CacheRead
		u.CacheWrite += c.Usage.CacheWrite
		u.Output += c.Usage.Output
		u.Total += c.Usage.Total()
	}
}

func (v *Run) addPairs(pairs []metrics.PairFact) {
	for _, p := range pairs {
		if p.Episode < 0 || p.Episode >= len(v.Episodes) {
			continue
		}
		e := &v.Episodes[p.Episode]
		e.Pairs = append(e.Pairs, Pair{string(p.Level), p.Field, p.Rejected, p.Accepted, p.Kind, p.Inferred})
	}
}

// minedCalls finds what was mined of a call by its place.
type minedCalls struct {
	calls    map[metrics.Ref]*metrics.CallFact
	findings map[metrics.Ref][]string
	s        settlement
}

func byPlace(facts metrics.Facts, s settlement) minedCalls {
	mined := minedCalls{
		calls:    make(map[metrics.Ref]*metrics.CallFact, len(facts.Calls)),
		findings: map[metrics.Ref][]string{},
		s:        s,
	}
	for i := range facts.Calls {
		mined.calls[facts.Calls[i].Ref] = &facts.Calls[i]
	}
	for _, f := range facts.Findings {
		mined.findings[f.Ref] = append(mined.findings[f.Ref], f.Finding)
	}
	return mined
}

func (m minedCalls) thread(t *transcript.Thread) Thread {
	v := Thread{
		ID: string(t.ID), ParentCall: absent(t.ParentCall), Ended: t.Ended,
		Messages: make([]Message, len(t.Messages)), Turns: make([]Turn, len(t.Turns)),
		Orphans: append([]transcript.Result{}, t.Orphans...),
	}
	for i := range t.Messages {
		message := &t.Messages[i]
		v.Messages[i] = Message{ID: message.ID, Role: string(message.Role), Text: message.Text, Reasoning: message.Reasoning}
		if !message.Time.IsZero() {
			at := message.Time.UTC()
			v.Messages[i].Time = &at
		}
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		v.Turns[i] = m.turn(t.ID, turn)
		for _, at := range turn.Messages {
			if at >= 0 && at < len(v.Messages) {
				v.Messages[at].Turn = turn.Number
			}
		}
	}
	return v
}

func (m minedCalls) turn(thread transcript.ThreadID, t *transcript.Turn) Turn {
	v := Turn{
		Number: t.Number, Follows: t.Follows, Time: t.Time.UTC(), Model: t.Model,
		UserBefore: t.UserBefore, UserAfter: t.UserAfter, Calls: make([]Call, len(t.Calls)),
	}
	if t.Usage != nil {
		usage := usageOf(*t.Usage)
		v.Usage = &usage
	}
	for i := range t.Calls {
		v.Calls[i] = m.call(metrics.Ref{Thread: thread, Turn: t.Number, Index: t.Calls[i].Index}, &t.Calls[i])
	}
	return v
}

func (m minedCalls) call(at metrics.Ref, c *transcript.TurnCall) Call {
	v := Call{
		Index: c.Index, ID: c.ID, Tool: string(c.Tool), Arguments: c.Arguments, Actor: string(c.Actor),
		Asked: c.Asked.UTC(), Time: c.Time.UTC(), Result: c.Result,
	}
	fact := m.calls[at]
	if fact == nil {
		return v
	}
	v.Outcome, v.Rule, v.Malformed = absent(string(fact.Outcome)), absent(fact.ErrorRule), fact.Malformed
	if fact.Outcome != metrics.OutcomeError {
		return v
	}
	v.Error = &CallError{
		Code: string(fact.Folded), RawCode: string(fact.Code), Template: fact.Template, Object: fact.Error,
		BodyTokens: fact.BodyTokens, Label: absent(string(m.s.label(fact))), Sanctioned: fact.Sanctioned,
		Obeyed: metrics.Obeyed(&fact.Error, m.s.label(fact)), Honoured: fact.Honoured, Chain: fact.Chain, Findings: some(m.findings[at]),
	}
	return v
}

func episodeView(e *metrics.EpisodeFact, s settlement) Episode {
	ending, reason := s.ending(e)
	v := Episode{
		First: placeOf(e.First), Last: placeOf(e.Last), Calls: make([]Place, len(e.Calls)),
		Tool: string(e.Tool), Code: string(e.Code), Ending: string(ending), Reason: absent(string(reason)),
		Attempts: e.Attempts, Serial: e.Serial, Changed: e.Changed, Rejected: e.Rejected,
		Helpers: make([]Helper, len(e.Helpers)), Pairs: []Pair{},
	}
	for i, at := range e.Calls {
		v.Calls[i] = placeOf(at)
	}
	if ending == metrics.EndingRecovered || ending == metrics.EndingRecoveredWithUser {
		turns, seconds := e.Turns, e.Seconds
		v.Turns, v.Seconds = &turns, &seconds
	}
	for i, h := range e.Helpers {
		v.Helpers[i] = Helper{string(h.Tool), h.Calls, h.Tokens, h.ValueFromIt, h.NamedByError}
	}
	return v
}
