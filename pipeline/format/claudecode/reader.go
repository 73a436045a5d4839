package claudecode

import (
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// threadInline is the thread of sub-agents whose lines stand among those of the session without saying which
// sub-agent they are of. Their parent links keep them apart.
const threadInline = "sidechain"

// key names a fragment.
type key struct {
	run    transcript.RunID
	thread transcript.ThreadID
}

// seenRow names a message that progress lines repeat.
type seenRow struct {
	key
	uuid string
}

// reader gathers the messages of lines into fragments.
type reader struct {
	run       transcript.RunID // of the lines so far, for lines that do not say
	out       dialect.Output
	fragments map[key]int
	seen      map[seenRow]bool
}

// hopeless tells an input of which nothing can be used, however much of it comes.
func (r *reader) hopeless() bool {
	const most = 1000
	return len(r.out.Fragments) == 0 && len(r.out.Rejects) >= most
}

// read adds what a line says. Its error is a Reject whose place is relative to the line.
func (r *reader) read(unit record.Record) error {
	var l line
	if err := record.Unmarshal(unit.Value, &l); err != nil {
		return err
	}
	if l.Type == "" {
		return dialect.Reject{
			Reason:  dialect.ReasonMissingField,
			Pointer: "/type",
			Message: "the line does not say its type; send the session as Claude Code wrote it",
		}
	}
	if l.SessionID != "" {
		r.run = transcript.RunID(l.SessionID)
	}
	if l.UUID == "" && !l.speaks() {
		return nil // titles, snapshots of files, queues: nothing that the model said or read
	}
	run := r.run
	if l.ForkedFrom.SessionID != "" {
		run = transcript.RunID(l.ForkedFrom.SessionID)
	}
	if run == "" {
		return dialect.Reject{
			Reason:  dialect.ReasonMissingField,
			Pointer: "/sessionId",
			Message: "the line does not say its session; give it the header " + dialect.HeaderRun,
		}
	}
	return r.add(&l, run, int64(unit.Line))
}

// speaks tells whether a line holds a message of the conversation.
func (l *line) speaks() bool {
	return l.Message.present && (l.Type == "user" || l.Type == "assistant")
}

func (r *reader) add(l *line, run transcript.RunID, seq int64) error {
	thread := transcript.ThreadID("")
	if l.IsSidechain {
		thread = threadInline
		if l.AgentID != "" {
			thread = transcript.ThreadID(l.AgentID)
		}
	}
	m, err := l.message(thread != "")
	if err != nil {
		return err
	}
	m.Seq = seq
	l.link(&m)
	f := r.fragment(key{run, thread})
	f.Messages = append(f.Messages, m)
	f.Meta = f.Meta.Join(transcript.Meta{AgentVersion: l.Version})
	if l.Outcome.agent != "" && len(m.Results) == 1 {
		r.startedBy(key{run, transcript.ThreadID(l.Outcome.agent)}, m.Results[0].CallID)
	}
	if l.Data.AgentID != "" && l.Data.Type == "agent_progress" {
		return r.addProgress(l, run, seq)
	}
	return nil
}

// link says which line a message follows. A line that was copied from another session has its place there.
func (l *line) link(m *transcript.Message) {
	if l.ForkedFrom.SessionID != "" {
		if l.ForkedFrom.MessageUUID != "" {
			m.ID = l.ForkedFrom.MessageUUID
		}
		return
	}
	m.Parent = l.ParentUUID
	if m.Parent == "" {
		m.Parent = l.LogicalParentUUID
	}
}

// addProgress adds the messages of a sub-agent that a progress line holds.
func (r *reader) addProgress(l *line, run transcript.RunID, seq int64) error {
	k := key{run, transcript.ThreadID(l.Data.AgentID)}
	r.startedBy(k, l.ParentToolUseID)
	rows := append(l.Data.Normalized, l.Data.Message)
	for i := range rows {
		row := &rows[i]
		s := seenRow{k, row.UUID}
		if !row.Message.present || row.UUID == "" || r.seen[s] {
			continue
		}
		r.seen[s] = true
		m, err := row.message(true)
		if err != nil {
			return record.Refuse(err).Within(0, "/data/message")
		}
		m.Seq = seq
		f := r.fragment(k)
		f.Messages = append(f.Messages, m)
	}
	return nil
}

// startedBy notes the call that started a sub-agent.
func (r *reader) startedBy(k key, call string) {
	f := r.fragment(k)
	if call != "" {
		f.ParentCall = call
	}
}

// fragment gives the fragment of a run's thread.
func (r *reader) fragment(k key) *transcript.Fragment {
	i, known := r.fragments[k]
	if !known {
		i = len(r.out.Fragments)
		r.fragments[k] = i
		r.out.Fragments = append(r.out.Fragments, transcript.Fragment{
			Meta:   transcript.Meta{ID: k.run, Agent: "claude-code", Provider: "anthropic"},
			Thread: k.thread,
			First:  transcript.Unplaced,
		})
	}
	return &r.out.Fragments[i]
}

// message brings a line to the common words. A line that says nothing to the model becomes an empty message: others
// follow it by its id.
func (l *line) message(sidechain bool) (transcript.Message, error) {
	if l.Attachment.queued {
		return l.queued(sidechain), nil
	}
	if !l.speaks() {
		m := transcript.Message{ID: l.UUID, Time: l.Timestamp.Time, Role: transcript.RoleHarness}
		if l.Type == "system" && l.Content.Kind == '"' {
			m.Text = l.Content.Text
		}
		return m, nil
	}
	return l.row.message(sidechain)
}

// queued is what a person typed while the agent was at work, given to the model between two turns.
func (l *line) queued(sidechain bool) transcript.Message {
	m := transcript.Message{ID: l.UUID, Time: l.Timestamp.Time, Role: transcript.RoleUser}
	var texts []string
	for i := range l.Attachment.prompt.Blocks {
		texts = append(texts, l.Attachment.prompt.Blocks[i].Text)
	}
	m.Text = field.Lines(texts...)
	byPerson := l.Attachment.mode == "" || l.Attachment.mode == "prompt"
	if l.Attachment.kind != "" {
		byPerson = l.Attachment.kind == "human"
	}
	if sidechain || !byPerson || l.IsMeta || m.Text == "" || injected(m.Text) {
		m.Role = transcript.RoleHarness
	}
	return m
}

// message brings the provider's message of a line to the common words.
func (r *row) message(sidechain bool) (transcript.Message, error) {
	m, err := r.Message.Convert()
	if err != nil {
		return m, record.Refuse(err).Within(0, "/message")
	}
	m.ID, m.Generation = r.UUID, ""
	if !r.Timestamp.IsZero() {
		m.Time = r.Timestamp.Time
	}
	switch {
	case m.Role == transcript.RoleUser, m.Role == transcript.RoleTool, m.Role == transcript.RoleHarness:
		m.Role = r.speaker(&m, sidechain)
		r.settle(m.Results)
	case r.IsAPIErrorMessage || m.Model == "<synthetic>":
		// The program put it in the place of an answer that did not come.
		m.Role, m.Model, m.Usage = transcript.RoleHarness, "", nil
	case m.Role == transcript.RoleAssistant && r.Message.ID != "":
		m.Generation = r.Message.ID + "/" + r.RequestID
	}
	return m, nil
}

// settle adds what the program knows of a result beside what the model read.
func (r *row) settle(results []transcript.Result) {
	if len(results) != 1 {
		return
	}
	result := &results[0]
	if result.CallID == "" {
		result.CallID = r.SourceToolUseID
	}
	if result.Fate != transcript.FateRan {
		return
	}
	switch {
	case r.Outcome.rejected():
		result.Fate = transcript.FateRefused
	case r.Outcome.interrupted, r.Outcome.text == "Sibling tool call errored":
		result.Fate = transcript.FateCancelled
	}
}
