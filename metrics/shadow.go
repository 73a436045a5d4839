package metrics

import (
	"errata/transcript"
	"time"
)

// ShadowFact holds a payload that the model did not see against the one that it consumed.
type ShadowFact struct {
	Ref     Ref
	Time    time.Time
	Tool    transcript.Tool
	Model   string
	Variant transcript.Variant // of the payload that the model saw
	Shadow  transcript.Variant // of the one that it did not see

	OldCode     transcript.Code // folded; "" where the consumed result was no error
	OldTemplate string
	NewCode     transcript.Code // folded; "" where the shadowed payload is no error

	ErrorDisagrees bool // one of them is an error, the other is none
	// RetryableDisagrees: both are errors that say whether to retry, and say the opposite. To say nothing is no opinion.
	RetryableDisagrees bool

	OldBodyTokens int64
	NewBodyTokens int64
}

// shadows are the facts of the payloads beside the run, in the order of the calls that the run's record gives. A shadow of
// a call that is not known, or has no result yet, gives none.
func (m *Miner) shadows(run *transcript.Run) []ShadowFact {
	if len(run.Meta.Shadow) == 0 {
		return nil
	}
	calls := m.answeredCalls()
	var facts []ShadowFact
	for _, shadow := range run.Meta.Shadow {
		if c := calls[shadow.CallID]; c != nil && shadow.CallID != "" {
			facts = append(facts, m.shadow(shadow, c))
		}
	}
	return facts
}

// answeredCalls finds calls by their id. Of several with one id the first answered one of the agent's own thread counts,
// since a record names nothing but the id.
func (m *Miner) answeredCalls() map[string]*callState {
	calls := map[string]*callState{}
	for _, s := range m.threads {
		for i := range s.calls {
			c := &s.calls[i]
			if c.result == nil {
				continue
			}
			known := calls[c.fact.ID]
			if known == nil || c.fact.Thread < known.fact.Thread {
				calls[c.fact.ID] = c
			}
		}
	}
	return calls
}

func (m *Miner) shadow(shadow transcript.Shadow, c *callState) ShadowFact {
	result := transcript.Result{CallID: shadow.CallID, Tool: c.fact.Tool, Body: shadow.Payload}
	other := m.env.Rules.Judge(transcript.Call{ID: shadow.CallID, Tool: c.fact.Tool}, &result)
	old, failed := c.fact.Outcome == OutcomeError, other.Outcome == OutcomeError
	fact := ShadowFact{
		Ref: c.fact.Ref, Time: c.fact.Time, Tool: c.fact.Tool, Model: c.fact.Model, Variant: c.fact.Variant, Shadow: shadow.Variant,
		ErrorDisagrees: old != failed,
		OldBodyTokens:  bodyTokens(m.env.Tokens, c.fact.Model, c.result),
		NewBodyTokens:  bodyTokens(m.env.Tokens, c.fact.Model, &result),
	}
	if old {
		fact.OldCode, fact.OldTemplate = c.fact.Folded, c.fact.Template
	}
	if failed {
		fact.NewCode = other.Folded
	}
	before, after := c.fact.Error.Retryable, other.Error.Retryable
	fact.RetryableDisagrees = old && failed && before != transcript.Unset && after != transcript.Unset && before != after
	return fact
}
