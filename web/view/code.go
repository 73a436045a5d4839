package view

import "errata/web/ui"

// CodePage is all that is known of one code.
type CodePage struct {
	Total                                                  Section
	Examples                                               Examples
	Trend, Next, Where, Kinds, Effects, Findings, Coupling Section
	Waste, Aliases                                         Section
}

// Examples are payloads as they were sent.
type Examples struct {
	Section
	Payloads []Payload
}

// Payload is one error as a model read it, with the call that it answered.
type Payload struct {
	ID, Tool, Count string
	Arguments, Body Text
	Facts           []Fact
	Run             ui.Link
}
