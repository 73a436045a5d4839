// Package atif reads trajectories in the Agent Trajectory Interchange Format, which Harbor (the runner of Terminal-Bench)
// and others write: steps of the system, the user and the agent, with calls, observations and metrics in the agent's.
//
// The format marks no errors: what a tool gave decides. Terminus writes its calls as text. Steps that a continuation copies from the trajectory before it
// carry the mark is_copied_context: they are context, and neither turns nor calls again.
package atif

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
	Name:      "atif",
	Title:     "Agent Trajectory Interchange Format",
	Source:    "ATIF-v1.0 to v1.7 (RFC 0001 of laude-institute/harbor)",
	Unit:      dialect.UnitObject,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.Split(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	return strings.HasPrefix(shape.First().Text("schema_version"), "ATIF-")
}

type trajectory struct {
	Session string `json:"session_id"`
	Agent   struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Model   string `json:"model_name"`
	} `json:"agent"`
	Steps     jsontext.Value `json:"steps"`
	Continued string         `json:"continued_trajectory_ref"`
}

type step struct {
	ID          field.Raw             `json:"step_id"`
	Time        field.Time            `json:"timestamp"`
	Source      string                `json:"source"`
	Model       string                `json:"model_name"`
	Message     field.Raw             `json:"message"`
	Reasoning   string                `json:"reasoning_content"`
	Calls       record.PartList[call] `json:"tool_calls"`
	Copied      bool                  `json:"is_copied_context"`
	Observation struct {
		Results record.PartList[result] `json:"results"`
	} `json:"observation"`
	Metrics *struct {
		Prompt     *field.Count `json:"prompt_tokens"`
		Completion field.Count  `json:"completion_tokens"`
		Cached     field.Count  `json:"cached_tokens"`
	} `json:"metrics"`
}

type call struct {
	ID        string    `json:"tool_call_id"`
	Name      string    `json:"function_name"`
	Arguments field.Raw `json:"arguments"`
}

type result struct {
	Call    string    `json:"source_call_id"`
	Content field.Raw `json:"content"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	var wire trajectory
	if err := record.Unmarshal(in.Value, &wire); err != nil {
		// It is one value, so that damage anywhere costs all of it.
		return dialect.Output{Rejects: []dialect.Reject{record.Refuse(err)}}, nil
	}
	if wire.Steps.Kind() != '[' {
		return dialect.Output{}, dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/steps", Message: "steps is a list; send the trajectory as it was written",
		}
	}
	var messages []transcript.Message
	_, err := record.List(wire.Steps, func(s *step) (struct{}, error) {
		made, err := s.messages()
		messages = append(messages, made...)
		return struct{}{}, err
	})
	if err != nil {
		return dialect.Output{}, record.Refuse(err).Within(0, "/steps")
	}
	return dialect.Output{Fragments: []transcript.Fragment{{
		Meta: transcript.Meta{
			ID: wire.id(messages), Agent: wire.Agent.Name, AgentVersion: wire.Agent.Version, Model: wire.Agent.Model,
			Ended: wire.Continued == "",
		},
		Snapshot: true,
		Ended:    wire.Continued == "",
		Messages: messages,
	}}}, nil
}

// id is made of the session and of how it began: continuations share their session with what they continue, and some
// programs write one session name into every file.
func (t *trajectory) id(messages []transcript.Message) transcript.RunID {
	pieces := []string{t.Session, t.Agent.Name, t.Agent.Version, t.Agent.Model}
	for i := range messages {
		if !messages[i].Time.IsZero() {
			pieces = append(pieces, messages[i].Time.String())
			break
		}
	}
	return dialect.DeriveRunID("atif", append(pieces, dialect.Beginning(messages)...)...)
}

// messages gives one message of a step, and one more for what came back.
func (s *step) messages() ([]transcript.Message, error) {
	m := transcript.Message{Time: s.Time.Time, Text: textOf(s.Message)}
	back := transcript.Message{Role: transcript.RoleTool, Time: s.Time.Time}
	switch s.Source {
	case "system":
		m.Role = transcript.RoleSystem
	case "user":
		m.Role = transcript.RoleUser
	case "agent":
		m.Role, m.Model, m.Reasoning = transcript.RoleAssistant, s.Model, s.Reasoning
		m.Usage = s.usage()
	default:
		return nil, dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/source",
			Message: strconv.Quote(s.Source) + " is no source of a step; it is one of system, user, agent",
		}
	}
	if s.Copied {
		m.Role, m.Usage = transcript.RoleHarness, nil
		return []transcript.Message{m}, nil
	}
	if s.Source != "agent" {
		return []transcript.Message{m}, nil
	}
	for i, call := range s.Calls {
		if call.Name == "" {
			return nil, dialect.Reject{
				Reason: dialect.ReasonMissingField, Pointer: "/tool_calls/" + strconv.Itoa(i) + "/function_name",
				Message: "a tool call names no tool; give the name that the model wrote",
			}
		}
		m.Calls = append(m.Calls, transcript.Call{ID: call.ID, Tool: transcript.Tool(call.Name), Arguments: call.Arguments.Object()})
	}
	if len(m.Calls) == 0 {
		m.Calls = typed(m.Text)
	}
	s.observe(&m, &back)
	if len(back.Results) == 0 && back.Text == "" {
		return []transcript.Message{m}, nil
	}
	return []transcript.Message{m, back}, nil
}

// typed reads the commands that Terminus writes as JSON text: they go to one terminal and come back as one screen, hence
// they are one call.
func typed(text string) []transcript.Call {
	var wire struct {
		Commands jsontext.Value `json:"commands"`
	}
	trimmed := strings.TrimSpace(text)
	if !strings.HasPrefix(trimmed, "{") || record.CheckDepth([]byte(trimmed)) != nil || record.Unmarshal([]byte(trimmed), &wire) != nil {
		return nil
	}
	if wire.Commands.Kind() != '[' || len(record.Compact(wire.Commands)) <= len("[]") {
		return nil
	}
	return []transcript.Call{{Tool: "terminal", Arguments: `{"commands":` + record.Compact(wire.Commands) + "}"}}
}

// observe reads what came back. An observation without a call is what the program shows the model; where a step has
// one call, a result that does not name it is its own.
func (s *step) observe(m, back *transcript.Message) {
	known := map[string]bool{}
	for _, call := range m.Calls {
		known[call.ID] = true
	}
	for _, r := range s.Observation.Results {
		text := textOf(r.Content)
		switch {
		case r.Call != "" && known[r.Call]:
			back.Results = append(back.Results, transcript.Result{CallID: r.Call, Body: text})
		case len(m.Calls) == 1 && r.Call == "" && len(back.Results) == 0:
			back.Results = append(back.Results, transcript.Result{CallID: m.Calls[0].ID, Body: text})
		default:
			back.Text = field.Lines(back.Text, text)
		}
	}
	if len(back.Results) == 0 {
		back.Role = transcript.RoleHarness
	}
}

// usage counts a step's prompt, which includes what was read from the cache, and its completion.
func (s *step) usage() *transcript.Usage {
	if s.Metrics == nil || s.Metrics.Prompt == nil && s.Metrics.Completion == 0 {
		return nil
	}
	var prompt field.Count
	if s.Metrics.Prompt != nil {
		prompt = *s.Metrics.Prompt
	}
	return &transcript.Usage{
		Input:     int64(max(prompt-s.Metrics.Cached, 0)),
		CacheRead: int64(s.Metrics.Cached),
		Output:    int64(s.Metrics.Completion),
	}
}

// textOf gives a message's text, be it one text or a list of parts.
func textOf(content field.Raw) string {
	if content.Kind != '[' {
		return content.Object()
	}
	parts, err := record.List(jsontext.Value(content.Text), func(part *struct {
		Text string `json:"text"`
	}) (string, error) {
		return part.Text, nil
	})
	if err != nil {
		return content.Text
	}
	return field.Lines(parts...)
}
