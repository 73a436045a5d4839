// Package redact leaves out of messages what must not be kept, before anything is stored or published again. It is pure: the
// same message gives the same message, so that repeats and restarts change nothing.
package redact

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/cespare/xxhash/v2"
	"github.com/go-json-experiment/json"

	"errata/transcript"
)

// Level says which content is kept.
type Level string

// The levels. Arguments are kept by all of them, since whether a call fails shows only after it, and since without them
// the same call cannot be told from a corrected one; rules apply to them too.
const (
	Everything Level = "everything"
	Calls      Level = "calls"  // no words of people and models: calls and their results alone
	Errors     Level = "errors" // of the results only those of errored calls, too
)

// Rule replaces what its pattern matches by its name.
type Rule struct {
	Name    string
	Pattern *regexp.Regexp
}

// Policy is what is left out. The zero value leaves out nothing.
type Policy struct {
	Level Level
	Rules []Rule
}

// builtin are the rules that a policy may name: shapes that are rather certain, so that little else is lost.
var builtin = map[string]string{
	"email": `(?i)[a-z0-9._%+'-]+@[a-z0-9-]+(\.[a-z0-9-]+)+`,
	"phone": `\+\d[\d ().-]{7,16}\d`,
	"card":  `\b\d(?:[ -]?\d){12,18}\b`,
	"iban":  `\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b`,
	"key": `(?i)\b(?:sk|pk|rk)[-_][a-z0-9_-]{16,}|\bgh[pousr]_[a-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abeoprs]-[\w-]{10,}` +
		`|\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b|\bAIza[\w-]{30,}|\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?`,
	"bearer": `(?i)\b(?:bearer|basic)\s+[a-z0-9._~+/=-]{8,}`,
}

// maxRules bounds what one message may cost.
const maxRules = 100

// Parse reads a policy, which is JSON:
//
//	{"content": "calls", "builtin": ["email", "key"], "rules": [{"name": "customer", "pattern": "CUST-[0-9]+"}]}
func Parse(text []byte) (Policy, error) {
	var file struct {
		Content Level    `json:"content"`
		Builtin []string `json:"builtin"`
		Rules   []struct {
			Name    string `json:"name"`
			Pattern string `json:"pattern"`
		} `json:"rules"`
	}
	if err := json.Unmarshal(text, &file, json.RejectUnknownMembers(true)); err != nil {
		return Policy{}, fmt.Errorf("read the redaction rules: %w", err)
	}
	switch file.Content {
	case "":
		file.Content = Everything
	case Everything, Calls, Errors:
	default:
		return Policy{}, fmt.Errorf("content is %q: give everything, calls or errors", file.Content)
	}
	p := Policy{Level: file.Content}
	for _, name := range file.Builtin {
		pattern, ok := builtin[name]
		if !ok {
			return Policy{}, fmt.Errorf("builtin %q is none of email, phone, card, iban, key, bearer", name)
		}
		p.Rules = append(p.Rules, Rule{name, regexp.MustCompile(pattern)})
	}
	for i, rule := range file.Rules {
		pattern, err := regexp.Compile(rule.Pattern)
		if err != nil {
			return Policy{}, fmt.Errorf("rule %d, %q: %w", i+1, rule.Name, err)
		}
		if rule.Name == "" || pattern.MatchString("") {
			return Policy{}, fmt.Errorf("rule %d, %q: it needs a name, and a pattern that does not match the empty text", i+1, rule.Name)
		}
		p.Rules = append(p.Rules, Rule{rule.Name, pattern})
	}
	if len(p.Rules) > maxRules {
		return Policy{}, errors.New("there are more than " + strconv.Itoa(maxRules) + " rules")
	}
	return p, nil
}

// Active tells whether anything is left out.
func (p Policy) Active() bool { return len(p.Rules) > 0 || p.Level != "" && p.Level != Everything }

// Text applies the rules to a text, JSON or not.
func (p Policy) Text(text string) string {
	if len(p.Rules) == 0 {
		return text
	}
	if out, ok := p.structured(text); ok {
		return out
	}
	return p.plain(text)
}

func (p Policy) plain(text string) string {
	for _, rule := range p.Rules {
		text = rule.Pattern.ReplaceAllLiteralString(text, "["+rule.Name+" removed]")
	}
	return text
}

// Raw gives the bytes of a record that could not be used as they may be published: by the rules at level everything; none at
// the others, since what is not understood may be anything.
func (p Policy) Raw(value []byte) (kept []byte, whole bool) {
	if !p.Active() {
		return value, true
	}
	if p.Level == Calls || p.Level == Errors {
		return nil, false
	}
	return []byte(p.Text(string(value))), true
}

// Fragment gives a fragment without what must not be kept. Errored says whether a result is an error; it is asked at
// level errors. The given fragment is left as it is.
func (p Policy) Fragment(f transcript.Fragment, errored func(transcript.Result) bool) transcript.Fragment {
	if !p.Active() {
		return f
	}
	messages := make([]transcript.Message, len(f.Messages))
	for i, m := range f.Messages {
		messages[i] = p.message(m, errored)
	}
	f.Messages = messages
	attributes := make(map[string]string, len(f.Meta.Attributes))
	for name, value := range f.Meta.Attributes {
		attributes[name] = p.Text(value)
	}
	f.Meta.Attributes = attributes
	shadow := append([]transcript.Shadow(nil), f.Meta.Shadow...)
	for i := range shadow {
		shadow[i].Payload = p.Text(shadow[i].Payload)
	}
	f.Meta.Shadow = shadow
	return f
}

func (p Policy) message(m transcript.Message, errored func(transcript.Result) bool) transcript.Message {
	words := p.Text
	if p.Level == Calls || p.Level == Errors {
		words = removed
	}
	m.Text, m.Reasoning = words(m.Text), words(m.Reasoning)
	m.Calls = append([]transcript.Call(nil), m.Calls...)
	for i := range m.Calls {
		m.Calls[i].Arguments = p.Text(m.Calls[i].Arguments)
	}
	m.Results = append([]transcript.Result(nil), m.Results...)
	for i, r := range m.Results {
		if p.Level == Errors && !errored(r) {
			m.Results[i].Body = removed(r.Body)
			continue
		}
		m.Results[i].Body = p.Text(r.Body)
	}
	return m
}

// removed stands for a text that is not kept. Its hash tells equal texts from others, and nothing else.
func removed(text string) string {
	if text == "" {
		return ""
	}
	return "[removed " + strconv.FormatUint(xxhash.Sum64String(text), 16) + "]"
}
