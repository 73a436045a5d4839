// Package envelope reads Errata's own record, errata.run/v1: what is known of a run, around messages in the form of
// OpenAI, Anthropic or Gemini.
package envelope

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/anthropic"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/gemini"
	"errata/pipeline/format/openai"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Schema is the value of the key "schema" that this package reads.
const Schema = "errata.run/v1"

// family begins the schema of every version.
const family = "errata.run/"

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:   "errata",
	Title:  "Errata run record",
	Source: Schema,
	Unit:   dialect.UnitObject,
	Detect: detect,
	Decode: decode,
	Split:  split,
}

func detect(shape dialect.Shape) bool {
	return strings.HasPrefix(shape.First().Text("schema"), family)
}

type envelope struct {
	Schema       string                  `json:"schema"`
	RunID        string                  `json:"run_id"`
	ThreadID     string                  `json:"thread_id"`
	ParentCall   string                  `json:"parent_call"`
	Agent        string                  `json:"agent"`
	AgentVersion string                  `json:"agent_version"`
	Provider     string                  `json:"provider"`
	Model        string                  `json:"model"`
	Variant      string                  `json:"variant"`
	Attributes   attributes              `json:"attributes"`
	First        *int64                  `json:"first_message"`
	Messages     jsontext.Value          `json:"messages"`
	Ended        bool                    `json:"ended"`
	EndReason    string                  `json:"end_reason"`
	TaskSuccess  *bool                   `json:"task_success"`
	Shadow       record.PartList[shadow] `json:"shadow"`
}

type shadow struct {
	CallID  string    `json:"call_id"`
	Variant string    `json:"variant"`
	Payload field.Raw `json:"payload"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	if fragment, ok := decodeRegular(in); ok {
		return dialect.Output{Fragments: []transcript.Fragment{fragment}}, nil
	}
	var wire envelope
	if err := record.Unmarshal(in.Value, &wire); err != nil {
		return dialect.Output{}, err
	}
	messages, err := wire.read(in.Value)
	if err != nil {
		return dialect.Output{}, err
	}
	return dialect.Output{Fragments: []transcript.Fragment{wire.fragment(messages)}}, nil
}

// read checks the record, whose text is value, and reads its messages.
func (e *envelope) read(value []byte) ([]transcript.Message, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	messages, err := Messages(e.Messages, e.Provider)
	if err != nil {
		reject := record.Refuse(err).Within(offsetOf(value, e.Messages), "/messages")
		reject.Run = transcript.RunID(e.RunID)
		return nil, reject
	}
	return messages, nil
}

// offsetOf gives the place of the messages in the record, as well as it can be told: the library gives them as a copy.
func offsetOf(value, messages []byte) int64 {
	return int64(max(bytes.Index(value, messages[:min(len(messages), 256)]), 0))
}

func (e *envelope) check() error {
	refuse := func(reason dialect.Reason, pointer, message string) error {
		return dialect.Reject{Reason: reason, Pointer: pointer, Message: message, Run: transcript.RunID(e.RunID)}
	}
	switch {
	case e.Schema == "":
		return refuse(dialect.ReasonMissingField, "/schema", `the record does not say its schema; add "schema": "`+Schema+`"`)
	case e.Schema != Schema:
		return refuse(dialect.ReasonUnsupported, "/schema", strconv.Quote(e.Schema)+" is not a schema that can be read; send "+Schema)
	case e.RunID == "":
		return refuse(dialect.ReasonMissingField, "/run_id", "the record names no run; give every record of one run the same run_id")
	case len(e.RunID) > maxID:
		return refuse(dialect.ReasonTooLarge, "/run_id", "the run id is longer than "+strconv.Itoa(maxID)+" bytes; use a shorter one")
	case e.First != nil && (*e.First < 0 || *e.First > maxMessages):
		return refuse(dialect.ReasonWrongType, "/first_message", "first_message is the position of the first message in its thread, 0 or more")
	case e.Messages.Kind() == 'n' || len(e.Messages) == 0:
		return refuse(dialect.ReasonMissingField, "/messages", "the record has no messages; send an empty list where there are none")
	case e.Messages.Kind() != '[':
		return refuse(dialect.ReasonWrongType, "/messages", "messages is a list of messages in the provider's own form")
	case !knownEnd(transcript.EndReason(e.EndReason)):
		return refuse(dialect.ReasonWrongType, "/end_reason",
			strconv.Quote(e.EndReason)+" is no end reason; it is one of completed, turn_limit, error, cancelled, user_left")
	}
	return nil
}

// maxID bounds run ids, which are keys of every table. maxMessages bounds positions.
const (
	maxID       = 1024
	maxMessages = 1 << 30
)

func knownEnd(reason transcript.EndReason) bool {
	switch reason {
	case "", transcript.EndCompleted, transcript.EndTurnLimit, transcript.EndError, transcript.EndCancelled, transcript.EndUserLeft:
		return true
	}
	return false
}

func (e *envelope) fragment(messages []transcript.Message) transcript.Fragment {
	fragment := transcript.Fragment{
		Meta: transcript.Meta{
			ID:           transcript.RunID(e.RunID),
			Agent:        e.Agent,
			AgentVersion: e.AgentVersion,
			Provider:     e.Provider,
			Model:        e.Model,
			Variant:      transcript.Variant(e.Variant),
			Attributes:   e.Attributes,
			Ended:        e.Ended && e.ThreadID == "",
			TaskSuccess:  e.TaskSuccess,
		},
		Thread:     transcript.ThreadID(e.ThreadID),
		ParentCall: e.ParentCall,
		Snapshot:   e.First == nil,
		Ended:      e.Ended,
		Messages:   messages,
	}
	if e.ThreadID == "" { // what ended a sub-agent's thread did not end the run
		fragment.Meta.EndReason = transcript.EndReason(e.EndReason)
	}
	if e.First != nil {
		fragment.First = int(*e.First)
	}
	for _, shadow := range e.Shadow {
		fragment.Meta.Shadow = append(fragment.Meta.Shadow, transcript.Shadow{
			CallID:  shadow.CallID,
			Variant: transcript.Variant(shadow.Variant),
			Payload: shadow.Payload.Text,
		})
	}
	return fragment
}

// Messages reads a list of messages in whichever provider's form it is written. The provider that the record names
// decides only where the messages could be of several forms.
func Messages(list jsontext.Value, provider string) ([]transcript.Message, error) {
	form, err := FormOf(list, provider)
	if err != nil {
		return nil, err
	}
	var messages []transcript.Message
	switch form {
	case Anthropic:
		messages, err = anthropic.Decode(list)
	case Gemini:
		messages, err = gemini.Decode(list)
	default:
		messages, err = openai.Decode(list)
	}
	if err != nil {
		return nil, err
	}
	dialect.DistinctIDs(messages)
	return messages, nil
}
