// Package tapeagents reads the tapes of TapeAgents: one list of steps, thoughts, actions and observations.
//
// Every action is a call but the final answer; the observation that follows is its result. Failures are marked by the
// step action_execution_failure, by an observation's error, and by the exit code of run code. Steps of one prompt are one turn. Steps
// that only move within the agent's own program (set_next_node) are left out.
package tapeagents

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "tapeagents",
	Title:     "TapeAgents tape",
	Source:    "ServiceNow/TapeAgents (tapeagents/core.py Tape and Step, tapeagents/steps.py)",
	Unit:      dialect.UnitObject,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.Split(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	if first.Kind("steps") != '[' || first.Kind("metadata") != '{' {
		return false
	}
	metadata, _ := record.ShapeOf(first.Get("metadata"))
	return metadata.First().Has("id", "n_added_steps")
}

type tape struct {
	Metadata struct {
		ID     string    `json:"id"`
		Author string    `json:"author"`
		Parent string    `json:"parent_id"`
		Error  field.Raw `json:"error"`
	} `json:"metadata"`
	Steps jsontext.Value `json:"steps"`
}

type step struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Prompt string `json:"prompt_id"`
	} `json:"metadata"`
	Error     field.Raw `json:"error"`
	Content   field.Raw `json:"content"`
	Task      field.Raw `json:"task"`
	Text      field.Raw `json:"text"`
	Reasoning field.Raw `json:"reasoning"`
	Answer    field.Raw `json:"answer"`
	Result    field.Raw `json:"result"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	var wire tape
	if err := record.Unmarshal(in.Value, &wire); err != nil {
		return dialect.Output{}, err
	}
	if wire.Metadata.ID == "" || wire.Steps.Kind() != '[' {
		return dialect.Output{}, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/metadata/id", Message: "a tape has an id and a list of steps; send it as it was written",
		}
	}
	var r reader
	if _, err := record.List(wire.Steps, r.read); err != nil {
		return dialect.Output{}, record.Refuse(err).Within(0, "/steps")
	}
	const most = 128
	meta := transcript.Meta{
		ID: transcript.RunID("tape-" + wire.Metadata.ID[:min(len(wire.Metadata.ID), most)]), Agent: wire.Metadata.Author, Ended: true,
	}
	switch failure := wire.Metadata.Error.Object(); {
	case failure != "":
		meta.EndReason = transcript.EndError
	case r.answered:
		meta.EndReason = transcript.EndCompleted
	}
	return dialect.Output{Fragments: []transcript.Fragment{{Meta: meta, Snapshot: true, Ended: true, Messages: r.messages}}}, nil
}

// reader reads steps in their order.
type reader struct {
	messages []transcript.Message
	open     []string // calls without a result, by id
	steps    int
	answered bool
}

func (r *reader) read(value *jsontext.Value) (struct{}, error) {
	var none struct{}
	var s step
	if err := record.Unmarshal(*value, &s); err != nil {
		return none, err
	}
	r.steps++
	switch {
	case s.Kind == "":
		return none, dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/kind", Message: "a step says no kind; send the tape as it was written"}
	case s.Kind == "set_next_node":
	case s.Kind == "question", s.Kind == "task", s.Kind == "user":
		r.add(transcript.Message{Role: transcript.RoleUser, Text: first(s.Content, s.Task)})
	case s.Kind == "system":
		r.add(transcript.Message{Role: transcript.RoleSystem, Text: first(s.Content)})
	case strings.HasSuffix(s.Kind, "answer_action"):
		r.answered = true
		r.add(s.spoken(first(s.Answer, s.Text, s.Content)))
	case strings.HasSuffix(s.Kind, "_action"):
		call := transcript.Call{ID: "step-" + strconv.Itoa(r.steps), Tool: transcript.Tool(s.Kind), Arguments: rest(*value)}
		m := s.spoken("")
		m.Calls = []transcript.Call{call}
		r.open = append(r.open, call.ID)
		r.add(m)
	case strings.HasSuffix(s.Kind, "_observation"), strings.HasSuffix(s.Kind, "_result"), s.Kind == "action_execution_failure":
		return none, r.observe(&s, *value)
	case strings.HasSuffix(s.Kind, "_thought"), s.Kind == "assistant":
		text := first(s.Content, s.Reasoning)
		if text == "" {
			text = rest(*value)
		}
		r.add(s.spoken(text))
	default:
		r.add(transcript.Message{Role: transcript.RoleHarness, Text: first(s.Content, s.Text)})
	}
	return none, nil
}

func (r *reader) add(m transcript.Message) { r.messages = append(r.messages, m) }

func (s *step) spoken(text string) transcript.Message {
	return transcript.Message{Role: transcript.RoleAssistant, Generation: s.Metadata.Prompt, Text: text}
}

// observe gives the oldest open call its result. What comes without a call, such as the first page, is the program's word.
func (r *reader) observe(s *step, value jsontext.Value) error {
	result := transcript.Result{Body: first(s.Text, s.Content)}
	if result.Body == "" {
		result.Body = rest(value)
	}
	if s.Result.Kind == '{' {
		var ran struct {
			ExitCode *int      `json:"exit_code"`
			Output   field.Raw `json:"output"`
		}
		if err := record.Unmarshal([]byte(s.Result.Text), &ran); err != nil {
			return record.Refuse(err).Within(0, "/result")
		}
		if result.ExitCode = ran.ExitCode; ran.ExitCode != nil {
			result.Body = ran.Output.Object()
		}
	}
	if failure := s.Error.Object(); failure != "" && failure != "false" || s.Kind == "action_execution_failure" {
		result.Flag = transcript.FlagError
		if failure != "" && failure != "true" {
			result.Body = field.Lines(failure, first(s.Text, s.Content))
		}
	}
	if len(r.open) == 0 {
		r.add(transcript.Message{Role: transcript.RoleHarness, Text: result.Body})
		return nil
	}
	result.CallID, r.open = r.open[0], r.open[1:]
	r.add(transcript.Message{Role: transcript.RoleTool, Results: []transcript.Result{result}})
	return nil
}

func first(values ...field.Raw) string {
	for _, value := range values {
		if text := value.Object(); text != "" {
			return text
		}
	}
	return ""
}

// rest gives what a step says beside its kind and metadata, as an object.
func rest(value jsontext.Value) string {
	shape, err := record.ShapeOf(value)
	if err != nil {
		return string(value)
	}
	out := []byte{'{'}
	for _, member := range shape.First() {
		if member.Name == "metadata" || member.Name == "kind" || member.Name == "error" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, member.Name)
		out = append(append(out, ':'), member.Value...)
	}
	return record.Compact(append(out, '}'))
}
