// Package pi reads the sessions of the pi coding agent: JSON lines, each a message, a compaction, or a change of model or
// settings; from version 2 on with ids and parents, since a session may branch. The shapes are those of the program's
// session manager. What a session copied from the one that it was branched from bears the times from before its own
// beginning, and is given to that one.
package pi

import (
	"strings"
	"time"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/pipeline/format/session"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "pi",
	Title:     "pi session",
	Source:    "badlogic/pi-mono, sessions of its coding agent",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.SplitWhole(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	return first.Text("type") == "session" && first.Has("id", "timestamp", "cwd")
}

// entry is one line.
type entry struct {
	Type     string     `json:"type"`
	ID       string     `json:"id"`
	Parent   string     `json:"parentId"`
	Time     field.Time `json:"timestamp"`
	Message  message    `json:"message"`
	Summary  field.Raw  `json:"summary"`
	Content  field.Raw  `json:"content"`
	Branched string     `json:"branchedFrom"`
	Source   string     `json:"parentSession"`
}

type reader struct {
	run, source string
	began       time.Time
	linked      bool // entries have ids and parents
	own, copied []transcript.Message
}

func decode(in dialect.Input) (dialect.Output, error) {
	var r reader
	rejects, err := session.Each(in, r.read)
	if err != nil {
		return dialect.Output{}, err
	}
	out := dialect.Output{Rejects: rejects}
	run := session.RunOr(in, r.run)
	if run == "" {
		if len(r.own)+len(r.copied) > 0 {
			out.Rejects = append(out.Rejects, session.Nameless())
		}
		return out, nil
	}
	add := func(run transcript.RunID, first int, messages []transcript.Message) {
		if r.linked {
			first = transcript.Unplaced
		}
		out.Fragments = append(out.Fragments, transcript.Fragment{
			Meta: transcript.Meta{ID: run, Agent: "pi"}, First: first, Snapshot: first == 0, Messages: messages,
		})
	}
	if len(r.copied) > 0 {
		add(transcript.RunID(r.source), 0, r.copied)
	}
	if len(r.own) > 0 || len(r.copied) == 0 {
		add(run, len(r.copied), r.own)
	}
	return out, nil
}

func (r *reader) read(unit record.Record) error {
	var e entry
	if err := record.Unmarshal(unit.Value, &e); err != nil {
		return err
	}
	m := transcript.Message{Role: transcript.RoleHarness, ID: e.ID, Parent: e.Parent, Time: e.Time.Time}
	if e.ID != "" {
		m.Seq = int64(unit.Index + 1)
	}
	switch e.Type {
	case "":
		return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/type", Message: "the line does not say its type; send the session as pi wrote it"}
	case "session":
		r.run, r.began = e.ID, e.Time.Time
		if r.source = sessionOf(e.Source); r.source == "" {
			r.source = sessionOf(e.Branched)
		}
		return nil
	case "message":
		if err := e.Message.convert(&m); err != nil {
			return record.Refuse(err).Within(0, "/message")
		}
	case "compaction", "branch_summary":
		m.Text = e.Summary.Object()
	case "custom_message":
		m.Text = e.Content.Object()
	default:
		if e.ID == "" {
			return nil
		}
	}
	r.linked = r.linked || e.ID != ""
	to := &r.own
	if r.source != "" && !m.Time.IsZero() && m.Time.Before(r.began) {
		to = &r.copied
	}
	*to = append(*to, m)
	if e.Message.stopped() && m.Role == transcript.RoleAssistant {
		said := transcript.Message{Role: transcript.RoleUser, Time: m.Time, Text: "[aborted]", Seq: m.Seq}
		if e.ID != "" {
			said.ID, said.Parent = e.ID+"/aborted", e.ID
		}
		*to = append(*to, said)
	}
	return nil
}

// sessionOf takes the id of a session out of the name of its file: a time, an underscore, the id.
func sessionOf(path string) string {
	name := strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".jsonl")
	return name[strings.LastIndexByte(name, '_')+1:]
}
