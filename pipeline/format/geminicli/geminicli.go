// Package geminicli reads the sessions that Gemini CLI records (its chatRecordingService): one JSON object with all
// messages, or, from version 0.40 on, JSON lines to which messages are appended, again where they changed, beside updates
// of the session ($set) and rewinds ($rewindTo). Calls stand in the message that made them, with their results.
package geminicli

import (
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/pipeline/format/session"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "gemini-cli",
	Title:     "Gemini CLI session",
	Source:    "google-gemini/gemini-cli, recorded chats",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.SplitWhole(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	return shape.First().Has("sessionId", "startTime") && (shape.First().Has("projectHash") || shape.First().Has("lastUpdated")) && !shape.First().Has("type")
}

// entry is the whole session, its first line, a message, an update or a rewind.
type entry struct {
	message
	SessionID string                   `json:"sessionId"`
	Messages  record.PartList[message] `json:"messages"`
	Set       *update                  `json:"$set"`
	RewindTo  string                   `json:"$rewindTo"`
}

type update struct {
	Messages record.PartList[message] `json:"messages"`
}

// reader keeps the messages in order, and which of them the conversation consists of now.
type reader struct {
	run      string
	messages []*message
	byID     map[string]*message
	line     []*message // after rewinds
}

func decode(in dialect.Input) (dialect.Output, error) {
	r := reader{byID: make(map[string]*message)}
	rejects, err := session.Each(in, r.read)
	if err != nil {
		return dialect.Output{}, err
	}
	out := dialect.Output{Rejects: rejects}
	run := session.RunOr(in, r.run)
	if run == "" {
		if len(r.messages) > 0 {
			out.Rejects = append(out.Rejects, session.Nameless())
		}
		return out, nil
	}
	f := transcript.Fragment{Meta: transcript.Meta{ID: run, Agent: "gemini-cli", Provider: "google"}, First: transcript.Unplaced}
	for i, m := range r.messages {
		f.Messages = append(f.Messages, m.convert(int64(i+1)*2)...)
	}
	out.Fragments = []transcript.Fragment{f}
	return out, nil
}

func (r *reader) read(unit record.Record) error {
	var e entry
	if err := record.Unmarshal(unit.Value, &e); err != nil {
		return err
	}
	switch {
	case e.SessionID != "":
		r.run = e.SessionID
		for i := range e.Messages {
			r.add(&e.Messages[i])
		}
	case e.RewindTo != "":
		for i, m := range r.line {
			if m.ID == e.RewindTo {
				r.line = r.line[:i:i]
				break
			}
		}
	case e.Set != nil:
		for i := range e.Set.Messages {
			r.add(&e.Set.Messages[i])
		}
	case e.Type != "":
		r.add(&e.message)
	default:
		return dialect.Reject{
			Reason:  dialect.ReasonWrongType,
			Message: "this is no line of a session; send the file as Gemini CLI wrote it",
		}
	}
	return nil
}

// add appends a message, or writes its later state over the one that is known.
func (r *reader) add(m *message) {
	if known := r.byID[m.ID]; known != nil && m.ID != "" {
		parent := known.parent
		*known = *m
		known.parent = parent
		return
	}
	if n := len(r.line); n > 0 {
		m.parent = r.line[n-1]
	}
	r.byID[m.ID] = m
	r.messages, r.line = append(r.messages, m), append(r.line, m)
}
