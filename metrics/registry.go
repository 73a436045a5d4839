package metrics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"errata/transcript"
)

// RegistrySchema names the form of a registry file.
const RegistrySchema = "errata.codes/v1"

// Registry is the closed set of error codes that tools may send, with what is expected of each. It is a JSON file:
//
//	{"schema": "errata.codes/v1",
//	 "codes": [{"code": "invalid_status", "retryable": false, "next_action": "fix_arguments", "description": "…"}]}
type Registry struct {
	Schema string           `json:"schema"`
	Codes  []RegisteredCode `json:"codes"`

	byFolded map[transcript.Code]*RegisteredCode
}

// RegisteredCode is one code of the registry. What it leaves out is not checked.
type RegisteredCode struct {
	Code        transcript.Code `json:"code"`
	Retryable   *bool           `json:"retryable,omitempty"`
	NextAction  string          `json:"next_action,omitempty"`
	Description string          `json:"description,omitempty"`
}

// ParseRegistry reads a registry file.
func ParseRegistry(data []byte) (*Registry, error) {
	r := &Registry{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("read registry of codes: %w", placed(err, d.InputOffset(), data))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("read registry of codes: something follows the object at byte %d: keep one JSON object in the file", d.InputOffset())
	}
	if r.Schema != RegistrySchema {
		return nil, fmt.Errorf("read registry of codes: schema is %q: set it to %q", r.Schema, RegistrySchema)
	}
	r.byFolded = make(map[transcript.Code]*RegisteredCode, len(r.Codes))
	for i := range r.Codes {
		code := &r.Codes[i]
		if code.Code == "" {
			return nil, fmt.Errorf("read registry of codes: codes[%d] has no code: name it or remove it", i)
		}
		if code.NextAction != "" && !knownNextActions[code.NextAction] {
			return nil, fmt.Errorf("read registry of codes: codes[%d] (%s) has the next_action %q: use one of %s", i, code.Code, code.NextAction, nextActionList)
		}
		folded := Fold(code.Code)
		if other := r.byFolded[folded]; other != nil {
			return nil, fmt.Errorf("read registry of codes: codes[%d] (%s) is %s once more, but for case: keep one", i, code.Code, other.Code)
		}
		r.byFolded[folded] = code
	}
	return r, nil
}

// Lookup finds a code by its folded form.
func (r *Registry) Lookup(folded transcript.Code) (RegisteredCode, bool) {
	if r == nil {
		return RegisteredCode{}, false
	}
	code := r.byFolded[folded]
	if code == nil {
		return RegisteredCode{}, false
	}
	return *code, true
}

// knownNextActions are the next actions that callers can act on.
var knownNextActions = map[string]bool{
	"retry": true, "stop": true, "ask_user": true, "fix_arguments": true, "use_other_tool": true, "wait": true,
	"authenticate": true,
}

const nextActionList = "retry, wait, fix_arguments, use_other_tool, authenticate, ask_user, stop"
