// Package opencode reads the sessions of OpenCode: what `opencode export` writes (a session with its messages and their
// parts), the lines of `opencode run --format json`, and the files of its older storage, where the session, each message
// and each part is a file of its own. The shapes are those of the program's message-v2 schema.
//
// Every part becomes a message under the part's id, so that an export and the files of one session are the same run. A
// message is one generation, or one for each of its steps. Messages that are older than their session were copied into
// it by a fork; they are left to the session that they were copied from.
package opencode

import (
	"strconv"
	"time"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "opencode",
	Title:     "OpenCode session",
	Source:    "anomalyco/opencode, `opencode export`, `opencode run --format json` and the files under its storage folder",
	Unit:      dialect.UnitObject,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.Split(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	switch {
	case first.Kind("info") == '{' && first.Kind("messages") == '[':
		info, _ := record.ShapeOf(first.Get("info"))
		return info.First().Has("id", "time")
	case first.Has("sessionID", "timestamp", "part"):
		return first.Kind("part") == '{'
	case first.Has("id", "sessionID", "role", "time"):
		return true
	case first.Has("id", "projectID", "directory", "time"):
		return true
	}
	return first.Has("id", "messageID", "type") && partType(first.Text("type"))
}

// partType tells the parts that may be files of their own.
func partType(name string) bool {
	switch name {
	case "text", "reasoning", "tool", "file", "agent", "subtask", "snapshot", "patch", "retry", "compaction", "step-start", "step-finish":
		return true
	}
	return false
}

// wire is any of the shapes: an export has info and messages, an event a part, a stored file is a session, a message or
// a part itself.
type wire struct {
	Info     *info                  `json:"info"`
	Messages record.PartList[whole] `json:"messages"`
	Part     *part                  `json:"part"`
	Type     string                 `json:"type"`
}

// whole is a message with its parts.
type whole struct {
	Info  info                  `json:"info"`
	Parts record.PartList[part] `json:"parts"`
}

// info is a session or a message.
type info struct {
	ID        string  `json:"id"`
	SessionID string  `json:"sessionID"`
	ParentID  string  `json:"parentID"` // of a session: the one whose agent started it
	Version   string  `json:"version"`
	Role      string  `json:"role"`
	Time      moments `json:"time"`
	Model     model   `json:"model"`
	ModelID   string  `json:"modelID"`
	Provider  string  `json:"providerID"`
	Tokens    *tokens `json:"tokens"`
	Error     *failed `json:"error"`
}

type model struct {
	ID       string `json:"modelID"`
	Provider string `json:"providerID"`
}

type moments struct {
	Created field.Time `json:"created"`
	Start   field.Time `json:"start"`
	End     field.Time `json:"end"`
}

type failed struct {
	Name string `json:"name"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	var w wire
	if err := record.Unmarshal(in.Value, &w); err != nil {
		return dialect.Output{}, err
	}
	r := reader{}
	switch {
	case w.Info != nil:
		r.export(&w)
	case w.Part != nil:
		r.loose(w.Part)
	default:
		if err := r.file(in.Value); err != nil {
			return dialect.Output{}, err
		}
	}
	if r.run == "" {
		return dialect.Output{Rejects: []dialect.Reject{{
			Reason: dialect.ReasonMissingField, Pointer: "/sessionID",
			Message: "it does not say its session, as parts of older versions do not; send what `opencode export` writes of the session",
		}}}, nil
	}
	if r.err != nil {
		return dialect.Output{}, r.err
	}
	return dialect.Output{Fragments: []transcript.Fragment{{
		Meta:     transcript.Meta{ID: transcript.RunID(r.run), Agent: "opencode", AgentVersion: r.version},
		First:    transcript.Unplaced,
		Messages: r.messages,
	}}}, nil
}

// reader gathers the messages of one session.
type reader struct {
	run, version string
	child        bool // an agent started the session, not a person
	began        time.Time
	messages     []transcript.Message
	last         string // id of the message that the next one follows, in an export
	err          error
}

// file reads a stored session, message or part.
func (r *reader) file(value []byte) error {
	var kind struct {
		MessageID string `json:"messageID"`
		ProjectID string `json:"projectID"`
	}
	if err := record.Unmarshal(value, &kind); err != nil {
		return err
	}
	if kind.MessageID != "" {
		var p part
		if err := record.Unmarshal(value, &p); err != nil {
			return err
		}
		r.loose(&p)
		return nil
	}
	var i info
	if err := record.Unmarshal(value, &i); err != nil {
		return err
	}
	if i.SessionID == "" && i.Role == "" {
		r.run, r.version = i.ID, i.Version
		return nil
	}
	r.run = i.SessionID
	r.message(&i)
	return nil
}

// loose reads a part that stands alone: it does not say whose message it is of, but a tool is called by the agent.
func (r *reader) loose(p *part) {
	r.run = p.SessionID
	g := generation{id: p.MessageID, assistant: p.Type == "tool" || p.Type == "reasoning" || p.Type == "step-finish"}
	r.part(p, &g)
}

// export reads a whole session.
func (r *reader) export(w *wire) {
	r.run, r.version, r.child, r.began = w.Info.ID, w.Info.Version, w.Info.ParentID != "", w.Info.Time.Created.Time
	for i := range w.Messages {
		m := &w.Messages[i]
		if !m.Info.Time.Created.IsZero() && m.Info.Time.Created.Before(r.began) {
			continue
		}
		r.whole(m, i)
	}
}

func (r *reader) whole(m *whole, index int) {
	g := generation{id: m.Info.ID, assistant: m.Info.Role == "assistant"}
	g.user = m.Info.Role == "user" && !r.child && spoken(m.Parts)
	g.provider, g.model = m.Info.generator()
	counted := false // a step counts the tokens of the message
	for i := range m.Parts {
		counted = counted || m.Parts[i].Type == "step-finish" && m.Parts[i].Tokens.usage() != nil
	}
	if counted {
		m.Info.Tokens = nil
	}
	stopped := r.message(&m.Info)
	if m.Info.Role == "user" && (!g.user || len(m.Parts) > 0) { // the parts speak
		r.messages[len(r.messages)-1].Role = transcript.RoleHarness
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Type == "step-start" && g.steps > 0 {
			g.id = m.Info.ID + "/" + strconv.Itoa(g.steps)
		}
		if p.Type == "step-start" {
			g.steps++
		}
		r.part(p, &g)
		if r.err != nil {
			r.err = record.Refuse(r.err).Within(0, "/messages/"+strconv.Itoa(index)+"/parts/"+strconv.Itoa(i))
			return
		}
	}
	if stopped {
		r.add(transcript.Message{ID: m.Info.ID + "/aborted", Role: transcript.RoleUser, Text: "[aborted]"})
	}
}

// spoken tells the message of a person from one that the program made: to compact, to continue, to run a sub-agent.
func spoken(parts []part) bool {
	if len(parts) == 0 {
		return true
	}
	for i := range parts {
		if parts[i].Type == "text" && !parts[i].Synthetic && !field.Injected(parts[i].Text) || parts[i].Type == "file" {
			return true
		}
	}
	return false
}

// message adds what a message says beside its parts, and tells whether a person stopped it.
func (r *reader) message(i *info) (stopped bool) {
	m := transcript.Message{ID: i.ID, Time: i.Time.Created.Time, Role: transcript.RoleHarness}
	stopped = i.Error != nil && i.Error.Name == "MessageAbortedError"
	switch i.Role {
	case "user":
		m.Role = transcript.RoleUser
	case "assistant":
		m.Role, m.Generation = transcript.RoleAssistant, i.ID
		m.Provider, m.Model = i.generator()
		m.Usage = i.Tokens.usage()
		if i.Error != nil && m.Usage == nil {
			m.Role, m.Generation = transcript.RoleHarness, "" // the provider refused: no generation came
		}
	}
	r.add(m)
	return stopped
}

// generator names the model of a message.
func (i *info) generator() (provider, name string) {
	if i.ModelID != "" {
		return i.Provider, i.ModelID
	}
	return i.Model.Provider, i.Model.ID
}

// add appends a message. In an export each follows the one before it.
func (r *reader) add(m transcript.Message) {
	if m.Parent == "" {
		m.Parent = r.last
	}
	m.Seq = int64(len(r.messages) + 1)
	if !r.began.IsZero() {
		r.last = m.ID
	}
	r.messages = append(r.messages, m)
}
