// Package cursor reads the agent transcripts that Cursor keeps: JSON lines of a role and a message of content blocks. The
// program documents no schema; what is read here was learnt from transcripts that people published.
//
// Transcripts hold no ids of calls, no times, no tokens and, in all that the program itself writes, no results, so that a
// failure cannot be seen: calls stay pending and there is no error rate. Results that programs beside it add are read.
// The name of the session is that of the file, agent-transcripts/…/ID.jsonl; sub-agents stand in a folder beside it.
package cursor

import (
	"path"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
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
	Name:      "cursor",
	Title:     "Cursor agent transcript",
	Source:    "Cursor, the agent-transcripts folders of its projects",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.SplitNamed(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	if !first.Has("role", "message") || first.Has("type") || first.Kind("message") != '{' {
		return false
	}
	message, _ := record.ShapeOf(first.Get("message"))
	return message.First().Kind("content") == '[' && !message.First().Has("role")
}

// line is one message, or the end of a turn.
type line struct {
	Role    string `json:"role"`
	Message struct {
		Content content `json:"content"`
	} `json:"message"`
	Model  string `json:"model"`
	Type   string `json:"type"`
	Status string `json:"status"`
}

// content is a text, or a list of blocks.
type content []block

type block struct {
	Type     string      `json:"type"`
	Text     string      `json:"text"`
	Thinking string      `json:"thinking"`
	ID       string      `json:"id"`
	Name     string      `json:"name"`
	Input    field.Raw   `json:"input"`
	CallID   string      `json:"tool_use_id"`
	Failed   field.Truth `json:"is_error"`
	Content  inner       `json:"content"`
}

// UnmarshalJSONFrom reads the content.
func (c *content) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '[' {
		var raw field.Raw
		err := raw.UnmarshalJSONFrom(decoder)
		*c = content{{Type: "text", Text: raw.Object()}}
		return err
	}
	blocks, err := record.Parts[block](decoder)
	*c = blocks
	return err
}

// inner is the content of a result: a text, or blocks of it.
type inner string

// UnmarshalJSONFrom reads either.
func (i *inner) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	var raw field.Raw
	if err := raw.UnmarshalJSONFrom(decoder); err != nil {
		return err
	}
	*i = inner(raw.Object())
	var blocks record.PartList[struct {
		Text field.Raw `json:"text"`
	}]
	if raw.Kind != '[' || json.Unmarshal([]byte(raw.Text), &blocks, record.Options()) != nil {
		return nil
	}
	var texts []string
	for _, b := range blocks {
		texts = append(texts, b.Text.Object())
	}
	*i = inner(field.Lines(texts...))
	return nil
}

// reader gathers the messages, which are known by their places.
type reader struct {
	messages []transcript.Message
	named    map[string]bool // ids that calls bear
}

func decode(in dialect.Input) (dialect.Output, error) {
	r := reader{named: make(map[string]bool)}
	rejects, err := session.Each(in, r.read)
	if err != nil {
		return dialect.Output{}, err
	}
	run, thread := r.names(in)
	if run == "" {
		if len(r.messages) > 0 || len(rejects) == 0 {
			rejects = append(rejects, session.Unanswered())
		}
		return dialect.Output{Rejects: rejects}, nil
	}
	if thread != "" {
		for i := range r.messages {
			if r.messages[i].Role == transcript.RoleUser {
				r.messages[i].Role = transcript.RoleHarness // the agent wrote it
			}
		}
	}
	return dialect.Output{Rejects: rejects, Fragments: []transcript.Fragment{{
		Meta: transcript.Meta{ID: run, Agent: "cursor"}, Thread: thread, Snapshot: true, Messages: r.messages,
	}}}, nil
}

// names gives the run and the thread: by the name of the file, else by how the conversation begins.
func (r *reader) names(in dialect.Input) (transcript.RunID, transcript.ThreadID) {
	file := strings.ReplaceAll(in.Path, `\`, "/")
	id := ""
	thread := transcript.ThreadID("")
	if folder := session.Folder(file, "agent-transcripts"); folder != "" {
		id = strings.TrimSuffix(folder, path.Ext(folder))
		if path.Base(path.Dir(file)) == "subagents" {
			thread = transcript.ThreadID(strings.TrimSuffix(path.Base(file), path.Ext(file)))
		}
	}
	run := session.RunOr(in, id)
	if run == "" {
		run = session.ByBeginning("cursor", r.messages)
	}
	return run, thread
}

func (r *reader) read(unit record.Record) error {
	var l line
	if err := record.Unmarshal(unit.Value, &l); err != nil {
		return err
	}
	m := transcript.Message{Role: transcript.RoleHarness, Model: l.Model}
	switch l.Role {
	case "user":
		m.Role, m.Model = transcript.RoleUser, ""
	case "assistant":
		m.Role = transcript.RoleAssistant
	case "system":
		m.Role, m.Model = transcript.RoleSystem, ""
	case "":
		return r.ended(&l)
	}
	if err := r.blocks(&m, l.Message.Content); err != nil {
		return err
	}
	if m.Role == transcript.RoleUser && (field.Injected(m.Text) || m.Text == "") {
		m.Role = transcript.RoleHarness
		if len(m.Results) > 0 {
			m.Role = transcript.RoleTool
		}
	}
	r.messages = append(r.messages, m)
	return nil
}

// ended reads the end of a turn, by which a person may have stopped it.
func (r *reader) ended(l *line) error {
	if l.Type == "" {
		return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/role", Message: "the line says no role; send the transcript as Cursor wrote it"}
	}
	if _, fate := field.Status(l.Status); fate == transcript.FateCancelled {
		r.messages = append(r.messages, transcript.Message{Role: transcript.RoleUser, Text: "[" + l.Status + "]"})
	}
	return nil
}

// blocks reads the content of a message. A result that names a call which nothing bears belongs to the oldest
// unanswered one.
func (r *reader) blocks(m *transcript.Message, blocks content) error {
	var texts, thoughts []string
	for i := range blocks {
		b := &blocks[i]
		switch strings.ReplaceAll(b.Type, "-", "_") {
		case "thinking":
			thoughts = append(thoughts, b.Thinking)
		case "tool_use", "tool_call":
			if b.Name == "" {
				return dialect.Reject{
					Reason: dialect.ReasonMissingField, Pointer: "/message/content/" + strconv.Itoa(i) + "/name",
					Message: "a call names no tool; give the name that the model wrote",
				}
			}
			r.named[b.ID] = b.ID != ""
			m.Calls = append(m.Calls, transcript.Call{ID: b.ID, Tool: transcript.Tool(b.Name), Arguments: b.Input.Object()})
		case "tool_result":
			result := transcript.Result{Tool: transcript.Tool(b.Name), Body: string(b.Content), Flag: field.Flag(b.Failed)}
			if r.named[b.CallID] {
				result.CallID = b.CallID
			}
			m.Results = append(m.Results, result)
		default:
			texts = append(texts, b.Text)
		}
	}
	m.Text, m.Reasoning = field.Lines(texts...), field.Lines(thoughts...)
	return nil
}
