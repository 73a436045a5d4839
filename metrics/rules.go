package metrics

import "errata/transcript"

// Rules is the configuration of the definitions: what the specification leaves to users.
type Rules struct {
	Tools   map[transcript.Tool]ToolRules `json:"tools,omitempty"`
	MinRuns int                           `json:"min_runs"` // distinct runs that an alias candidate needs to be shown
}

// ToolRules is the configuration of one tool.
type ToolRules struct {
	Volatile  []string        `json:"volatile,omitempty"`   // top-level arguments that do not tell two calls apart
	Threshold *float64        `json:"threshold,omitempty"`  // similarity at which a call belongs to an episode; nil: 0.5
	Identity  []string        `json:"identity,omitempty"`   // JSON Pointers of arguments that must be equal
	Any       bool            `json:"any,omitempty"`        // every call of the tool belongs
	OpenEnded map[string]bool `json:"open_ended,omitempty"` // JSON Pointer → whether its accepted values are open-ended
}

// DefaultRules is the configuration that holds where none is given.
func DefaultRules() *Rules { return &Rules{MinRuns: 3} }

// ParseRules reads a configuration file.
func ParseRules(data []byte) (*Rules, error) { return DefaultRules(), nil }

// Digest is equal for equal configurations; it is stored with the facts that were mined under them.
func (r *Rules) Digest() string { return "" }

// Identity gives the canonical arguments of a call, its tool's volatile arguments left out, and the hash that is equal
// exactly for identical calls.
func (r *Rules) Identity(call transcript.Call) (transcript.Arguments, uint64) {
	a := transcript.Canonical(call.Arguments).Without(r.Tools[call.Tool].Volatile)
	return a, transcript.Hash(call.Tool, a)
}
