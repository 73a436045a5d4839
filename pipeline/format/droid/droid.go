// Package droid reads what Droid, the agent of Factory, writes: the JSON lines of its sessions folder, whose messages are
// Anthropic's, and the events of `droid exec --output-format stream-json`. The program documents no schema; what is read
// here was learnt from sessions and protocol notes that people published.
//
// Results bear no mark of failure but in the stream. A command that failed opens with "Error: Command failed (exit code:
// N)", and ends with the line of its exit status, where the rules of judgement find it.
package droid

import (
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/anthropic"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/pipeline/format/session"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "droid",
	Title:     "Factory Droid session",
	Source:    "Factory Droid, the .jsonl files of its sessions folder and the output of droid exec --output-format stream-json",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.SplitWhole(decode),
	WholeRuns: true,
}

// detect looks for the first line of a session, or for an event of a stream.
func detect(shape dialect.Shape) bool {
	if first := shape.First(); first.Text("type") == "session_start" && first.Has("id") {
		return true
	}
	return shape.Any(func(m dialect.Members) bool {
		if !m.Has("session_id") && !m.Has("sessionId") {
			return false
		}
		switch m.Text("type") {
		case "message":
			return m.Has("role", "text")
		case "tool_call":
			return m.Has("toolName", "parameters")
		case "tool_result":
			return m.Has("value") && (m.Has("toolCallId") || m.Has("toolId"))
		case "completion":
			return m.Has("finalText")
		}
		return false
	})
}

// line is one line of either kind.
type line struct {
	Type    string     `json:"type"`
	ID      string     `json:"id"`
	Parent  string     `json:"parentId"`
	Time    field.Time `json:"timestamp"`
	Message said       `json:"message"`

	// Of a stream.
	Session    string       `json:"session_id"`
	SessionID  string       `json:"sessionId"`
	Model      string       `json:"model"`
	Role       string       `json:"role"`
	Text       string       `json:"text"`
	Final      string       `json:"finalText"`
	CallID     string       `json:"toolCallId"`
	Tool       string       `json:"toolName"`
	ToolID     string       `json:"toolId"`
	Parameters field.Raw    `json:"parameters"`
	Value      value        `json:"value"`
	Failed     field.Truth  `json:"isError"`
	Usage      *field.Usage `json:"usage"`
}

// said is a message of the provider's; errors have a text of that name.
type said struct {
	anthropic.Message
	present bool
}

// UnmarshalJSONFrom reads an object, and steps over anything else.
func (s *said) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '{' {
		return decoder.SkipValue()
	}
	s.present = true
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	return record.Unmarshal(value, &s.Message)
}

// value is what a tool gave back: a text, or an object of what a command wrote and how it ended.
type value struct {
	text string
	exit *int
}

// UnmarshalJSONFrom reads either.
func (v *value) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	var raw field.Raw
	if err := raw.UnmarshalJSONFrom(decoder); err != nil {
		return err
	}
	v.text = raw.Object()
	if raw.Kind != '{' {
		return nil
	}
	var known struct {
		Exit  field.Exit `json:"exitCode"`
		Snake field.Exit `json:"exit_code"`
	}
	if err := record.Unmarshal([]byte(raw.Text), &known); err != nil {
		return err
	}
	v.exit = field.FirstExit(known.Exit, known.Snake)
	return nil
}

// reader gathers the messages of lines.
type reader struct {
	run, model string
	messages   []transcript.Message
	spoken     int // place of the last message of the model's, from 1
}

func decode(in dialect.Input) (dialect.Output, error) {
	var r reader
	rejects, err := session.Each(in, r.read)
	if err != nil {
		return dialect.Output{}, err
	}
	run := session.RunOr(in, r.run)
	if run == "" {
		if len(r.messages) > 0 || len(rejects) == 0 {
			rejects = append(rejects, session.Nameless())
		}
		return dialect.Output{Rejects: rejects}, nil
	}
	return dialect.Output{Rejects: rejects, Fragments: []transcript.Fragment{{
		Meta: transcript.Meta{ID: run, Agent: "droid", Model: r.model}, First: transcript.Unplaced, Messages: r.messages,
	}}}, nil
}

func (r *reader) read(unit record.Record) error {
	var l line
	if err := record.Unmarshal(unit.Value, &l); err != nil {
		return err
	}
	if l.Session == "" {
		l.Session = l.SessionID
	}
	if r.run == "" {
		r.run = l.Session
	}
	m := transcript.Message{ID: l.ID, Parent: l.Parent, Seq: int64(unit.Index + 1), Time: l.Time.Time, Role: transcript.RoleHarness}
	switch l.Type {
	case "":
		return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/type", Message: "the line does not say its type; send the session as Droid wrote it"}
	case "session_start":
		r.run = l.ID
		return nil
	case "system":
		r.model = l.Model
		return nil
	case "message":
		if l.Message.present {
			return r.stored(&l, m)
		}
		r.streamed(&l, m)
	case "tool_call":
		if l.Tool == "" {
			return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/toolName", Message: "a call names no tool; give the name that the model wrote"}
		}
		m.ID, m.Parent = "call/"+l.call(), ""
		m.Role, m.Model = transcript.RoleAssistant, r.model
		m.Calls = []transcript.Call{{ID: l.call(), Tool: transcript.Tool(l.Tool), Arguments: l.Parameters.Object()}}
		r.say(m)
	case "tool_result":
		m.ID, m.Parent, m.Role = "result/"+l.call(), "", transcript.RoleTool
		m.Results = []transcript.Result{{CallID: l.call(), Body: l.Value.text, ExitCode: l.Value.exit, Flag: field.Flag(l.Failed)}}
		r.messages = append(r.messages, m)
	case "completion":
		r.completed(&l, m)
	}
	return nil
}

// call is the id of a call in a stream: newer versions write it in a member of its own.
func (l *line) call() string {
	if l.CallID != "" {
		return l.CallID
	}
	return l.ID
}

// stored adds a message of a session's file.
func (r *reader) stored(l *line, m transcript.Message) error {
	read, err := l.Message.Convert()
	if err != nil {
		return record.Refuse(err).Within(0, "/message")
	}
	read.ID, read.Parent, read.Seq = m.ID, m.Parent, m.Seq
	if !m.Time.IsZero() {
		read.Time = m.Time
	}
	if read.Role == transcript.RoleAssistant {
		read.Generation = l.Message.ID
	}
	r.messages = append(r.messages, read)
	return nil
}

// streamed adds a message of a stream.
func (r *reader) streamed(l *line, m transcript.Message) {
	m.Text = l.Text
	switch l.Role {
	case "assistant":
		m.Role, m.Model = transcript.RoleAssistant, r.model
		r.say(m)
		return
	case "user":
		m.Role = transcript.RoleUser
		if field.Injected(m.Text) {
			m.Role = transcript.RoleHarness
		}
	case "system":
		m.Role = transcript.RoleSystem
	}
	r.messages = append(r.messages, m)
}

// say adds what the model wrote. What comes without a result between is one generation.
func (r *reader) say(m transcript.Message) {
	m.Generation = m.ID
	if r.spoken == len(r.messages) && r.spoken > 0 {
		m.Generation = r.messages[r.spoken-1].Generation
	}
	r.messages = append(r.messages, m)
	r.spoken = len(r.messages)
}

// completed adds the last words where no message held them, and the tokens of the whole run, which nothing else tells.
func (r *reader) completed(l *line, m transcript.Message) {
	if r.spoken == 0 || r.messages[r.spoken-1].Text != l.Final {
		m.Role, m.Model, m.Text = transcript.RoleAssistant, r.model, l.Final
		r.say(m)
	}
	r.messages[r.spoken-1].Usage = l.Usage.Tokens()
}
