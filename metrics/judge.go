package metrics

import "errata/transcript"

// Judgement is what one result was judged to be, and what it says.
type Judgement struct {
	Outcome       Outcome
	Rule          string                 // name of the rule that decided, see JudgeRules
	Error         transcript.ErrorObject // of errors only
	Code          transcript.Code        // as sent or mined
	Folded        transcript.Code        // what figures are grouped by
	Template      string                 // the message with its volatile parts as placeholders
	Notes         transcript.ParseNotes
	FlagDisagrees bool // the log flags success, the body says error
	UserSpoke     bool // a refusal or an interruption: counts as a user message
	NoSuchTool    bool // there is no tool of that name
}

// Judge says whether a result is an error, and what it says. A nil result is a call without one.
func (r *Rules) Judge(call transcript.Call, result *transcript.Result) Judgement {
	return Judgement{Outcome: OutcomePending}
}
