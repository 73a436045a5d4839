// Package kimi reads the wire.jsonl files that Kimi Code keeps of every agent of a session: an append-only log of records
// (packages/agent-core of the program names them all), of which those of the context are read: messages, and the events of
// each step of the model. The file of a session names neither the session nor, in older versions, the agent; its folders
// do: session_…/agents/main/wire.jsonl. A log that came without its name is known by the moment that it was begun.
//
// What a fork copied ends with a record that says so, and is given to the session that it came from where that is known:
// it was begun at the same moment.
package kimi

import (
	"strconv"
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
	Name:      "kimi-code",
	Title:     "Kimi Code session",
	Source:    "MoonshotAI/kimi-code, the wire.jsonl of each agent of a session",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.SplitNamed(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	return first.Text("type") == "metadata" && first.Has("protocol_version", "created_at")
}

// line is one record.
type line struct {
	Type    string      `json:"type"`
	Time    field.Time  `json:"time"`
	Created field.Time  `json:"created_at"`
	AgentID string      `json:"agentId"`
	Message said        `json:"message"`
	Event   event       `json:"event"`
	Model   string      `json:"model"`
	CallID  string      `json:"toolCallId"`
	Result  approval    `json:"result"`
	Summary field.Raw   `json:"summary"`
	Context field.Raw   `json:"contextSummary"`
	Count   field.Count `json:"count"`
}

type approval struct{ Decision string }

// reader follows the log.
type reader struct {
	began    time.Time
	forked   time.Time // the last time
	agent    string
	model    string
	copied   []transcript.Message // by a fork
	messages []transcript.Message
	users    []int                // places of what persons wrote, for undoing
	last     string               // id of the message that the next one follows
	begun    map[string]time.Time // when each step began
	steps    map[string]int       // place of the message of each step
	texts    map[int][]string     // parts of messages, by their place
	thoughts map[int][]string
	fates    map[string][]transcript.Fate // what was decided of calls that have no result yet
	asked    map[string]string            // step of the call that bears a uuid
}

func newReader() *reader {
	return &reader{
		begun: make(map[string]time.Time), steps: make(map[string]int), texts: make(map[int][]string), thoughts: make(map[int][]string),
		fates: make(map[string][]transcript.Fate), asked: make(map[string]string),
	}
}

func decode(in dialect.Input) (dialect.Output, error) {
	r := newReader()
	rejects, err := session.Each(in, r.read)
	if err != nil {
		return dialect.Output{}, err
	}
	r.finish()
	run, thread := r.names(in)
	if run == "" {
		if len(rejects) == 0 {
			rejects = append(rejects, session.Nameless())
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
	out := dialect.Output{Rejects: rejects}
	add := func(run transcript.RunID, messages []transcript.Message) {
		out.Fragments = append(out.Fragments, transcript.Fragment{
			Meta:   transcript.Meta{ID: run, Agent: "kimi-code", Model: r.model},
			Thread: thread, First: transcript.Unplaced, Messages: messages,
		})
	}
	if source := r.derived(); len(r.copied) > 0 && source != "" && run == r.derived(r.forked) {
		add(source, r.copied)
	}
	add(run, r.messages)
	return out, nil
}

// names gives the run and the thread, from the names of the folders where they are known.
func (r *reader) names(in dialect.Input) (transcript.RunID, transcript.ThreadID) {
	id := ""
	for element := range strings.FieldsFuncSeq(in.Path, func(c rune) bool { return c == '/' || c == '\\' }) {
		if strings.HasPrefix(element, "session_") {
			id = element
		}
	}
	run := session.RunOr(in, id)
	if run == "" {
		// An agent's own log, apart from the session's: a run of its own.
		if r.forked.IsZero() {
			return r.derived(), ""
		}
		return r.derived(r.forked), ""
	}
	agent := session.Folder(in.Path, "agents")
	if agent == "" {
		agent = r.agent
	}
	if agent == "main" {
		agent = ""
	}
	return run, transcript.ThreadID(agent)
}

// derived makes a run id of the moments when the log was begun and forked, "" where they are not known.
func (r *reader) derived(forks ...time.Time) transcript.RunID {
	if r.began.IsZero() {
		return ""
	}
	pieces := []string{strconv.FormatInt(r.began.UnixMilli(), 10)}
	for _, fork := range forks {
		pieces = append(pieces, strconv.FormatInt(fork.UnixMilli(), 10))
	}
	return dialect.DeriveRunID("kimi", pieces...)
}

func (r *reader) read(unit record.Record) error {
	var l line
	if err := record.Unmarshal(unit.Value, &l); err != nil {
		return err
	}
	if l.AgentID != "" {
		r.agent = l.AgentID
	}
	switch l.Type {
	case "":
		return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/type", Message: "the record does not say its type; send the log as Kimi Code wrote it"}
	case "metadata":
		r.began = l.Created.Time
	case "forked":
		r.fork(l.Time.Time)
	case "llm.request":
		r.model = l.Model
	case "context.append_message":
		return r.message(&l, unit.Index)
	case "context.append_loop_event":
		return r.event(&l, unit.Index)
	case "permission.record_approval_result":
		r.decided(&l)
	case "turn.cancel":
		r.add(transcript.Message{ID: name("cancel", unit.Index), Time: l.Time.Time, Role: transcript.RoleUser, Text: "[cancelled]"}, unit.Index)
	case "context.apply_compaction":
		text := l.Context.Object()
		if text == "" {
			text = l.Summary.Object()
		}
		r.add(transcript.Message{ID: name("compaction", unit.Index), Time: l.Time.Time, Role: transcript.RoleHarness, Text: text}, unit.Index)
	case "context.undo":
		r.undo(int(l.Count))
	}
	return nil
}

// fork sets aside what was copied: up to the first fork it is of the session that was begun then.
func (r *reader) fork(at time.Time) {
	fresh := newReader()
	fresh.began, fresh.forked, fresh.agent, fresh.model, fresh.copied = r.began, at, r.agent, r.model, r.copied
	if r.finish(); r.forked.IsZero() {
		fresh.copied = r.messages
	}
	*r = *fresh
}

// name gives an id to a message that has none: its place in the log, to which lines are only ever appended.
func name(kind string, index int) string { return kind + "-" + strconv.Itoa(index) }

func (r *reader) add(m transcript.Message, index int) {
	m.Seq, m.Parent = int64(index+1), r.last
	r.last = m.ID
	r.messages = append(r.messages, m)
}

// undo goes back to before the last messages that persons wrote.
func (r *reader) undo(count int) {
	if count < 1 || len(r.users) == 0 {
		return
	}
	at := max(len(r.users)-count, 0)
	r.last = r.messages[r.users[at]].Parent
	r.users = r.users[:at]
}

// decided notes what a person said to the question whether a call may run.
func (r *reader) decided(l *line) {
	fate := transcript.FateRan
	switch l.Result.Decision {
	case "rejected":
		fate = transcript.FateRefused
	case "cancelled":
		fate = transcript.FateCancelled
	}
	r.fates[l.CallID] = append(r.fates[l.CallID], fate)
}
