// Package grok reads the chat_history.jsonl files of Grok's command line, in its format version 1: lines of system, user,
// reasoning and assistant messages, of tool results, and of calls that the provider ran itself. The program documents no
// schema; what is read here was learnt from sessions that people published.
//
// Lines bear no times and no tokens, results no mark of failure. The session is named by the folder of the file, in which
// a summary.json stands too.
package grok

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/pipeline/format/session"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "grok",
	Title:     "Grok session",
	Source:    "Grok's command line, the chat_history.jsonl of a session (format version 1)",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.SplitNamed(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	return shape.Any(func(m dialect.Members) bool {
		if m.Has("uuid") || m.Has("timestamp") {
			return false
		}
		switch m.Text("type") {
		case "user":
			return m.Has("content") && (m.Has("prompt_index") || m.Has("synthetic_reason"))
		case "assistant":
			return m.Has("content", "model_id")
		case "tool_result":
			return m.Has("tool_call_id", "content")
		case "backend_tool_call":
			return m.Has("kind")
		}
		return false
	})
}

// line is one line.
type line struct {
	Type      string                `json:"type"`
	ID        string                `json:"id"`
	Content   content               `json:"content"`
	Summary   content               `json:"summary"`
	Calls     record.PartList[call] `json:"tool_calls"`
	CallID    string                `json:"tool_call_id"`
	Model     string                `json:"model_id"`
	Synthetic field.Raw             `json:"synthetic_reason"`
	Kind      hosted                `json:"kind"`
	Failed    field.Truth           `json:"is_error"`
}

type call struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Arguments field.Raw `json:"arguments"`
}

// hosted is a call that the provider ran itself.
type hosted struct {
	ID     string    `json:"id"`
	Type   string    `json:"tool_type"`
	Action field.Raw `json:"action"`
	Status string    `json:"status"`
}

// content is a text, or a list of parts with texts.
type content string

type part struct {
	Type string    `json:"type"`
	Text field.Raw `json:"text"`
}

// UnmarshalJSONFrom reads either.
func (c *content) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '[' {
		var raw field.Raw
		err := raw.UnmarshalJSONFrom(decoder)
		*c = content(raw.Object())
		return err
	}
	parts, err := record.Parts[part](decoder)
	if err != nil {
		return err
	}
	var texts []string
	for i := range parts {
		if parts[i].Text.Kind == '"' {
			texts = append(texts, parts[i].Text.Text)
			continue
		}
		texts = append(texts, "["+parts[i].Type+"]")
	}
	*c = content(field.Lines(texts...))
	return nil
}

type reader struct {
	messages []transcript.Message
	thoughts []string // since the last message
}

func decode(in dialect.Input) (dialect.Output, error) {
	var r reader
	rejects, err := session.Each(in, r.read)
	if err != nil {
		return dialect.Output{}, err
	}
	run := session.RunOr(in, named(in.Path)) // thoughts that nothing follows are not done
	if run == "" {
		run = session.ByBeginning("grok", r.messages)
	}
	if run == "" {
		if len(r.messages) > 0 || len(rejects) == 0 {
			rejects = append(rejects, session.Unanswered())
		}
		return dialect.Output{Rejects: rejects}, nil
	}
	return dialect.Output{Rejects: rejects, Fragments: []transcript.Fragment{{
		Meta: transcript.Meta{ID: run, Agent: "grok", Provider: "xai"}, Snapshot: true, Messages: r.messages,
	}}}, nil
}

// named takes the session's id from the name of its folder.
func named(path string) string {
	elements := strings.FieldsFunc(path, func(c rune) bool { return c == '/' || c == '\\' })
	if len(elements) < 2 || elements[len(elements)-1] != "chat_history.jsonl" {
		return ""
	}
	if folder := elements[len(elements)-2]; strings.Count(folder, "-") == 4 {
		return folder
	}
	return ""
}

func (r *reader) read(unit record.Record) error {
	var l line
	if err := record.Unmarshal(unit.Value, &l); err != nil {
		return err
	}
	m := transcript.Message{Role: transcript.RoleHarness, Text: string(l.Content)}
	switch l.Type {
	case "":
		return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/type", Message: "the line does not say its type; send the history as Grok wrote it"}
	case "system":
		m.Role = transcript.RoleSystem
	case "user":
		if l.Synthetic.IsNull() && !field.Injected(m.Text) {
			m.Role = transcript.RoleUser
		}
	case "reasoning":
		m.Role, m.Text, m.Reasoning = transcript.RoleAssistant, "", string(l.Summary)
	case "assistant":
		m.Role, m.Model = transcript.RoleAssistant, l.Model
		for _, c := range l.Calls {
			if c.Name == "" {
				return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/tool_calls", Message: "a call names no tool; give the name that the model wrote"}
			}
			m.Calls = append(m.Calls, transcript.Call{ID: c.ID, Tool: transcript.Tool(c.Name), Arguments: c.Arguments.Object()})
		}
	case "tool_result":
		m.Role, m.Text = transcript.RoleTool, ""
		m.Results = []transcript.Result{{CallID: l.CallID, Body: string(l.Content), Flag: field.Flag(l.Failed)}}
	case "backend_tool_call":
		return r.hosted(&l.Kind)
	default:
		return nil
	}
	r.join(m)
	return nil
}

// join adds a message. What the model thought before it spoke is of the same generation.
func (r *reader) join(m transcript.Message) {
	if m.Role == transcript.RoleAssistant && m.Text == "" && len(m.Calls) == 0 {
		r.thoughts = append(r.thoughts, m.Reasoning)
		return
	}
	if m.Role != transcript.RoleAssistant {
		r.think()
	} else {
		m.Reasoning = field.Lines(append(r.thoughts, m.Reasoning)...)
		r.thoughts = nil
	}
	r.messages = append(r.messages, m)
}

// think adds what the model thought and said nothing after.
func (r *reader) think() {
	if len(r.thoughts) > 0 {
		r.messages = append(r.messages, transcript.Message{Role: transcript.RoleAssistant, Reasoning: field.Lines(r.thoughts...)})
		r.thoughts = nil
	}
}

// hosted adds a call that the provider ran, and what it says of how that ended.
func (r *reader) hosted(h *hosted) error {
	if h.Type == "" {
		return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/kind/tool_type", Message: "a call names no tool; send the history as Grok wrote it"}
	}
	r.join(transcript.Message{
		Role: transcript.RoleAssistant, Calls: []transcript.Call{{ID: h.ID, Tool: transcript.Tool(h.Type), Arguments: h.Action.Object()}},
	})
	flag, fate := field.Status(h.Status)
	r.messages = append(r.messages, transcript.Message{
		Role: transcript.RoleTool, Results: []transcript.Result{{CallID: h.ID, Tool: transcript.Tool(h.Type), Flag: flag, Fate: fate}},
	})
	return nil
}
