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

	"errata/metrics"
	"errata/transcript"
)

// Level says which content is kept.
type Level string

// The levels, each of which leaves out more than the one before. Arguments are kept by the first three, since whether a call
// fails shows only after it; rules apply to them too.
const (
	Everything Level = "everything"
	Calls      Level = "calls"     // no words of people and models: calls and their results alone
	Errors     Level = "errors"    // of the results only those of errored and refused calls, too
	Structure  Level = "structure" // no free text at all: see structure.go
)

// Judge says what a result is: metrics.Rules.Judge. What it decided is kept where the text that it decided by is not.
type Judge func(transcript.Call, *transcript.Result) metrics.Judgement

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
	case Everything, Calls, Errors, Structure:
	default:
		return Policy{}, fmt.Errorf("content is %q: give everything, calls, errors or structure", file.Content)
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
	if p.wordless() {
		return nil, false
	}
	return []byte(p.Text(string(value))), true
}

// wordless tells whether what people and models say is left out.
func (p Policy) wordless() bool { return p.Level == Calls || p.Level == Errors || p.Level == Structure }

// Fragment gives a fragment without what must not be kept. The given fragment is left as it is.
func (p Policy) Fragment(f transcript.Fragment, judge Judge) transcript.Fragment {
	if !p.Active() {
		return f
	}
	calls := callsOf(f.Messages)
	messages := make([]transcript.Message, len(f.Messages))
	for i, m := range f.Messages {
		messages[i] = p.message(m, calls, judge)
	}
	f.Messages = messages
	attributes := make(map[string]string, len(f.Meta.Attributes))
	for name, value := range f.Meta.Attributes {
		attributes[name] = p.attribute(value)
	}
	f.Meta.Attributes = attributes
	shadow := append([]transcript.Shadow(nil), f.Meta.Shadow...)
	for i := range shadow {
		shadow[i].Payload = p.payload(shadow[i].Payload)
	}
	f.Meta.Shadow = shadow
	return f
}

// callsOf finds calls by their ids, of which only the command matters here.
func callsOf(messages []transcript.Message) map[string]transcript.Call {
	calls := map[string]transcript.Call{}
	for _, m := range messages {
		for _, c := range m.Calls {
			if c.ID != "" {
				calls[c.ID] = c
			}
		}
	}
	return calls
}

func (p Policy) message(m transcript.Message, calls map[string]transcript.Call, judge Judge) transcript.Message {
	words := p.Text
	if p.wordless() {
		words = removed
	}
	m.Text, m.Reasoning = words(m.Text), words(m.Reasoning)
	m.Calls = append([]transcript.Call(nil), m.Calls...)
	for i := range m.Calls {
		m.Calls[i].Arguments = p.arguments(m.Calls[i].Arguments)
	}
	m.Results = append([]transcript.Result(nil), m.Results...)
	for i, r := range m.Results {
		m.Results[i] = p.result(r, calls[r.CallID], judge)
	}
	return m
}

// result leaves out of a result what its level does, and keeps what it was judged as.
func (p Policy) result(r transcript.Result, call transcript.Call, judge Judge) transcript.Result {
	if p.Level != Errors && p.Level != Structure {
		r.Body = p.Text(r.Body)
		return r
	}
	if call.Tool == "" {
		call.Tool = r.Tool
	}
	j := judge(call, &r)
	r = settled(r, j)
	switch {
	case j.Outcome != metrics.OutcomeError && (j.Outcome != metrics.OutcomeRefused || p.Level == Structure):
		r.Body = removed(r.Body)
	case p.Level == Structure:
		r.Body, r.ErrorType = bare(j), ""
	default:
		r.Body = p.Text(r.Body)
	}
	return r
}

// settled writes down what a result was judged as by its text, so that it stays that without the text.
func settled(r transcript.Result, j metrics.Judgement) transcript.Result {
	switch j.Outcome {
	case metrics.OutcomeRefused:
		r.Fate = transcript.FateRefused
	case metrics.OutcomeCancelled:
		r.Fate = transcript.FateCancelled
	case metrics.OutcomeError:
		r.Flag = transcript.FlagError
	case metrics.OutcomeOK:
		if r.Fate == transcript.FateRan {
			r.Flag, r.ExitCode, r.ErrorType = transcript.FlagOK, nil, ""
		}
	}
	return r
}

// removed stands for a text that is not kept. Its hash tells equal texts from others, and nothing else.
func removed(text string) string {
	if text == "" {
		return ""
	}
	return "[removed " + strconv.FormatUint(xxhash.Sum64String(text), 16) + "]"
}
