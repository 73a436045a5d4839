package codex

import (
	"time"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
	"errata/pipeline/format/responses"
	"errata/transcript"
)

// burst is how long the copying of a session into a fork takes at most: its lines bear the time of the copy.
const burst = time.Second

func unmarshal(value []byte, target any) error { return record.Unmarshal(value, target) }

// history is the conversation of one session, or the part of another session that this file has a copy of.
type history struct {
	run      transcript.RunID
	thread   transcript.ThreadID
	copied   bool
	meta     transcript.Meta
	messages []transcript.Message
	spoke    int // index of the model's last message, or -1
}

// reader gathers the messages of a rollout.
type reader struct {
	run     transcript.RunID // of the session itself
	named   bool             // the run was named from outside
	started bool             // the session's own first line was read
	own     *history
	all     []*history
	at      *history // where the next message goes
	since   time.Time
	model   string
	total   *tokens                    // the last count of the whole session
	hosted  []transcript.Result        // of calls that the provider ran in the generation under way
	marks   map[string]transcript.Flag // what events say of a call whose output has not come yet
	rejects []dialect.Reject
}

func newReader(run transcript.RunID) *reader {
	own := &history{run: run, spoke: -1}
	return &reader{run: run, named: run != "", own: own, all: []*history{own}, at: own, marks: make(map[string]transcript.Flag)}
}

// read adds what a line says. Its error is a Reject whose place is relative to the line.
func (r *reader) read(value []byte) error {
	var l line
	if err := unmarshal(value, &l); err != nil {
		return err
	}
	if r.at.copied && l.Timestamp.Sub(r.since) > burst {
		r.at = r.own
	}
	within := func(err error) error {
		if err == nil {
			return nil
		}
		return record.Refuse(err).Within(0, "/payload")
	}
	switch l.Type {
	case "session_meta":
		return within(r.open(l.Payload, l.Timestamp.Time))
	case "turn_context":
		var context turnContext
		err := unmarshal(orObject(l.Payload), &context)
		if context.Model != "" {
			r.model, r.at.meta.Model = context.Model, context.Model
		}
		return within(err)
	case "response_item":
		return within(r.item(orObject(l.Payload), l.Timestamp.Time))
	case "compacted":
		var summary compacted
		err := unmarshal(orObject(l.Payload), &summary)
		if err == nil {
			r.flush(l.Timestamp.Time)
			r.add(transcript.Message{Role: transcript.RoleHarness, Time: l.Timestamp.Time, Text: summary.Message})
		}
		return within(err)
	case "event_msg":
		return within(r.event(orObject(l.Payload), l.Timestamp.Time))
	}
	return r.bare(value, &l)
}

// orObject lets a line without a payload be one with an empty one.
func orObject(payload []byte) []byte {
	if len(payload) == 0 {
		return []byte("{}")
	}
	return payload
}

// bare reads a line of the first versions: the opening of a session, or an item.
func (r *reader) bare(value []byte, l *line) error {
	switch {
	case l.RecordType != "" || len(l.Payload) > 0:
		return nil // states, and kinds of lines that hold nothing of the conversation
	case l.Type == "":
		return r.open(value, l.Timestamp.Time)
	}
	return r.item(value, l.Timestamp.Time)
}

// open reads the opening of the session, or that of another one of which a copy follows.
func (r *reader) open(payload []byte, at time.Time) error {
	var meta sessionMeta
	if err := unmarshal(orObject(payload), &meta); err != nil {
		return err
	}
	if meta.ID == "" {
		return dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/id",
			Message: "the opening of the session does not say its id; send the rollout as Codex wrote it",
		}
	}
	h := r.own
	if r.started && meta.ID != string(r.ownID()) {
		h = &history{copied: true, spoke: -1}
		r.all, r.at, r.since = append(r.all, h), h, at
	}
	h.name(&meta)
	if h == r.own {
		r.started = true
		if r.named {
			h.run = r.run
		}
		r.run = h.run
	}
	h.meta.AgentVersion, h.meta.Provider = meta.Version, meta.Provider
	return nil
}

// ownID is the id that the session's own openings bear.
func (r *reader) ownID() transcript.RunID {
	if r.own.thread != "" {
		return transcript.RunID(r.own.thread)
	}
	return r.own.run
}

// name finds out whose the history is: a session's, or that of a sub-agent in it.
func (h *history) name(meta *sessionMeta) {
	h.run, h.thread = transcript.RunID(meta.ID), ""
	parent := meta.SessionID
	if parent == "" || parent == meta.ID {
		parent = meta.Source.parent
	}
	if meta.Source.subagent && parent != "" && parent != meta.ID {
		h.run, h.thread = transcript.RunID(parent), transcript.ThreadID(meta.ID)
	}
}

// add appends a message to the history under way. One that was copied has its time where it was written first.
func (r *reader) add(m transcript.Message) {
	h := r.at
	if h.copied {
		m.Time = time.Time{}
	}
	if m.Role == transcript.RoleAssistant {
		m.Model = r.model
		h.spoke = len(h.messages)
	}
	h.messages = append(h.messages, m)
}

// item reads an item of the conversation.
func (r *reader) item(payload []byte, at time.Time) error {
	var item responses.Item
	if err := unmarshal(payload, &item); err != nil {
		return err
	}
	m, err := item.Convert()
	if err != nil {
		return err
	}
	m.Time = at
	if item.Kind() == responses.KindOther && m.Text == "" {
		return nil
	}
	if item.Kind() == responses.KindHosted {
		// The result waits for the generation's end, which it would otherwise seem to be.
		r.hosted, m.Results = append(r.hosted, m.Results...), nil
	}
	if m.Role != transcript.RoleAssistant {
		r.flush(at)
	}
	for i := range m.Results {
		r.judge(&m.Results[i])
	}
	if m.Role == transcript.RoleUser && (injected(m.Text) || r.at.thread != "") && !interrupted(m.Text) {
		m.Role = transcript.RoleHarness
	}
	m.ID = "" // programs between here and there leave it out
	r.add(m)
	return nil
}

// flush gives the results of calls that the provider ran, once their generation is over.
func (r *reader) flush(at time.Time) {
	if len(r.hosted) > 0 {
		r.add(transcript.Message{Role: transcript.RoleTool, Time: at, Results: r.hosted})
		r.hosted = nil
	}
}

// output gives the histories as fragments.
func (r *reader) output() dialect.Output {
	out := dialect.Output{Rejects: r.rejects}
	for _, h := range r.all {
		if len(h.messages) == 0 && (h != r.own || !r.started) {
			continue
		}
		h.meta.ID, h.meta.Agent = h.run, "codex"
		if h.meta.Provider == "" {
			h.meta.Provider = "openai"
		}
		if h.thread != "" {
			h.meta.Model = ""
		}
		out.Fragments = append(out.Fragments, transcript.Fragment{
			Meta: h.meta, Thread: h.thread, Snapshot: true, Messages: h.messages,
		})
	}
	return out
}
