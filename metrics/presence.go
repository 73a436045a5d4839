package metrics

import "errata/transcript"

// Presence is a set of bits: what an error object carries besides its message. Field effects compare errors of one
// code with and without each of them.
type Presence uint16

// The bits, as they are stored in errors.has.
const (
	CarriesHint Presence = 1 << iota
	CarriesReceived
	CarriesAllowed
	CarriesDidYouMean
	CarriesField
	CarriesRetryable
)

// Carries tells what an error object carries.
func Carries(e transcript.ErrorObject) Presence {
	var bits Presence
	set := func(bit Presence, present bool) {
		if present {
			bits |= bit
		}
	}
	set(CarriesHint, e.Hint != "")
	set(CarriesRetryable, e.Retryable != transcript.Unset)
	set(CarriesField, len(e.Fields) > 0)
	for _, field := range e.Fields {
		set(CarriesReceived, field.Received != nil)
		set(CarriesAllowed, len(field.Allowed) > 0)
		set(CarriesDidYouMean, field.DidYouMean != nil)
	}
	return bits
}
