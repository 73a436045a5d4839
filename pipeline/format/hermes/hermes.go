// Package hermes reads the sessions of Hermes Agent: the session_….json that it writes beside its database, and the lines
// of `hermes sessions export`, which are rows of that database. Messages are OpenAI's, with the program's own fields; the
// shapes were learnt from sessions that people published and from the columns of the database.
//
// Tools of the program give JSON: {"error": …} where they fail, and of a command its exit_code. A session that was
// compressed goes on in a new one, which holds what was kept of the old one again.
package hermes

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "hermes",
	Title:     "Hermes Agent session",
	Source:    "NousResearch/hermes-agent, session_….json and hermes sessions export",
	Unit:      dialect.UnitObject,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.Split(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	if first.Kind("messages") != '[' {
		return false
	}
	return first.Has("session_id", "session_start", "platform") || first.Has("id", "source", "started_at", "model")
}

// wire is a session.
type wire struct {
	SessionID string         `json:"session_id"`
	ID        field.Raw      `json:"id"`
	Model     field.Raw      `json:"model"`
	System    field.Raw      `json:"system_prompt"`
	Messages  jsontext.Value `json:"messages"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	var w wire
	if err := record.Unmarshal(in.Value, &w); err != nil {
		return dialect.Output{}, err
	}
	id := w.SessionID
	if id == "" {
		id = w.ID.Object()
	}
	if id == "" || w.Messages.Kind() != '[' {
		return dialect.Output{}, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/session_id",
			Message: "it is no session with an id and messages; send it as Hermes wrote it",
		}
	}
	read, err := record.List(w.Messages, (*message).convert)
	if err != nil {
		return dialect.Output{}, record.Refuse(err).Within(0, "/messages")
	}
	f := transcript.Fragment{
		Meta:     transcript.Meta{ID: transcript.RunID(id), Agent: "hermes", Model: w.Model.Object()},
		Snapshot: true,
	}
	if text := w.System.Object(); text != "" {
		f.Messages = append(f.Messages, transcript.Message{Role: transcript.RoleSystem, Text: text})
	}
	for _, m := range read {
		if m.Role != "" { // what the program notes of the session itself
			f.Messages = append(f.Messages, m)
		}
	}
	return dialect.Output{Fragments: []transcript.Fragment{f}}, nil
}

// message is one message, or one row.
type message struct {
	Role      string      `json:"role"`
	Content   content     `json:"content"`
	Reasoning field.Raw   `json:"reasoning"`
	Thoughts  field.Raw   `json:"reasoning_content"`
	Calls     calls       `json:"tool_calls"`
	CallID    field.Raw   `json:"tool_call_id"`
	Tool      field.Raw   `json:"tool_name"`
	Finish    field.Raw   `json:"finish_reason"`
	Failed    field.Truth `json:"is_error"`
	Time      field.Time  `json:"timestamp"`
}

// content is a text, or a list of parts with texts.
type content string

// UnmarshalJSONFrom reads either.
func (c *content) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '[' {
		var raw field.Raw
		err := raw.UnmarshalJSONFrom(decoder)
		*c = content(raw.Object())
		return err
	}
	parts, err := record.Parts[struct {
		Type string    `json:"type"`
		Text field.Raw `json:"text"`
	}](decoder)
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

// calls is a list of calls. The database holds it as text.
type calls []call

type call struct {
	ID       string `json:"id"`
	CallID   string `json:"call_id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments field.Raw `json:"arguments"`
	} `json:"function"`
}

// UnmarshalJSONFrom reads either.
func (c *calls) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '"' {
		list, err := record.Parts[call](decoder)
		*c = list
		return err
	}
	token, err := decoder.ReadToken()
	if err != nil || token.String() == "" {
		return err
	}
	var list record.PartList[call]
	if err := json.Unmarshal([]byte(token.String()), &list, record.Options()); err != nil {
		return dialect.Reject{Reason: dialect.ReasonMalformedJSON, Message: "the text of the calls is no JSON; send the session as Hermes wrote it"}
	}
	*c = calls(list)
	return nil
}

// convert brings a message to the common words. One without a role in them is a note of the program's.
func (m *message) convert() (transcript.Message, error) {
	out := transcript.Message{Time: m.Time.Time, Text: string(m.Content)}
	switch m.Role {
	case "system", "developer":
		out.Role = transcript.RoleSystem
	case "user":
		out.Role = transcript.RoleUser
		if field.Injected(out.Text) {
			out.Role = transcript.RoleHarness
		}
	case "assistant":
		out.Role, out.Reasoning = transcript.RoleAssistant, m.Reasoning.Object()
		if out.Reasoning == "" {
			out.Reasoning = m.Thoughts.Object()
		}
		for i := range m.Calls {
			c := &m.Calls[i]
			if c.Function.Name == "" {
				return out, dialect.Reject{
					Reason: dialect.ReasonMissingField, Pointer: "/tool_calls/" + strconv.Itoa(i) + "/function/name",
					Message: "a call names no tool; give the name that the model wrote",
				}
			}
			if c.ID == "" {
				c.ID = c.CallID
			}
			out.Calls = append(out.Calls, transcript.Call{ID: c.ID, Tool: transcript.Tool(c.Function.Name), Arguments: c.Function.Arguments.Object()})
		}
	case "tool":
		out.Role, out.Text, out.Results = transcript.RoleTool, "", []transcript.Result{m.result()}
	case "":
		return out, dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/role", Message: "a message says no role; send the session as Hermes wrote it"}
	}
	return out, nil
}

// result reads what a tool gave back.
func (m *message) result() transcript.Result {
	result := transcript.Result{CallID: m.CallID.Object(), Tool: transcript.Tool(m.Tool.Object()), Body: string(m.Content), Flag: field.Flag(m.Failed)}
	if m.Finish.Object() == "error" {
		result.Flag = transcript.FlagError
	}
	var ended struct {
		Exit field.Exit `json:"exit_code"`
	}
	if len(m.Content) > 0 && m.Content[0] == '{' && record.Unmarshal([]byte(m.Content), &ended) == nil {
		result.ExitCode = ended.Exit.Status
	}
	return result
}
