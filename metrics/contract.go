package metrics

import "errata/transcript"

// Examined is a judged result with what the contract rules look at.
type Examined struct {
	Call       transcript.Call
	Result     *transcript.Result
	Judgement  Judgement
	BodyTokens int64
}

// Findings lists the breaches of the contract of one result, in the order of section 9. A nil registry leaves out the
// rules that need one.
func Findings(e Examined, registry *Registry) []string { return nil }
