package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"

	"errata/metrics"
	"errata/transcript"
)

// At level structure no text stays that a person, a model or a tool wrote. What stays is what figures are made of: names of
// tools and arguments, attributes of a single word, numbers and truth values, which of two values are the same, and of errors the code, whether to try
// again, what to do next and which arguments they blame. Of a message without a code its words remain in the mined
// code, without values. Aliases of values and the size of error bodies cannot be told any more.

// arguments gives the arguments of a call as the level keeps them.
func (p Policy) arguments(text string) string {
	if p.Level != Structure {
		return p.Text(text)
	}
	return hideStrings(text)
}

// payload gives a shadow payload as the level keeps it.
func (p Policy) payload(text string) string {
	if p.Level != Structure {
		return p.Text(text)
	}
	var r transcript.Result
	r.Body, r.Flag = text, transcript.FlagError
	return bare(metrics.DefaultRules().Judge(transcript.Call{}, &r))
}

// word is a label, as attributes are meant to be.
var word = regexp.MustCompile(`^[\w.:/-]{1,64}$`)

// attribute gives an attribute of a run as the level keeps it.
func (p Policy) attribute(value string) string {
	if value = p.Text(value); p.Level == Structure && !word.MatchString(value) {
		return removed(value)
	}
	return value
}

// bare writes an error object without its texts.
func bare(j metrics.Judgement) string {
	type field struct {
		Field string          `json:"field"`
		Code  transcript.Code `json:"code,omitempty"`
	}
	object := struct {
		Code       transcript.Code `json:"code"`
		Retryable  *bool           `json:"retryable,omitempty"`
		NextAction string          `json:"next_action,omitempty"`
		RetryAfter *int64          `json:"retry_after_ms,omitempty"`
		Fields     []field         `json:"fields,omitempty"`
	}{Code: j.Code, NextAction: j.Error.NextAction, RetryAfter: j.Error.RetryAfterMS}
	if j.Error.Retryable != transcript.Unset {
		yes := j.Error.Retryable == transcript.True
		object.Retryable = &yes
	}
	for _, f := range j.Error.Fields {
		object.Fields = append(object.Fields, field{f.Pointer, f.Code})
	}
	text, err := json.Marshal(map[string]any{"error": object})
	if err != nil {
		return removed(string(j.Code))
	}
	return string(text)
}

// hideStrings puts hashes in the place of all strings of a JSON text that are no names, and in the place of a text that is
// no JSON.
func hideStrings(text string) string {
	options := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	decoder := jsontext.NewDecoder(bytes.NewBufferString(text), options...)
	var out bytes.Buffer
	encoder := jsontext.NewEncoder(&out, options...)
	for {
		kind, length := decoder.StackIndex(decoder.StackDepth())
		name := kind == '{' && length%2 == 0
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return removed(text)
		}
		if token.Kind() == '"' && !name {
			token = jsontext.String(removed(token.String()))
		}
		if err := encoder.WriteToken(token); err != nil {
			return removed(text)
		}
	}
	return string(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}
