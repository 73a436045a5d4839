// Package qwen reads the sessions that Qwen Code records (its chatRecordingService): JSON lines linked to one another by
// uuid and parentUuid, whose messages are Gemini contents. A rewind is a line whose parent lies further back; what was
// left behind stays in the file. A record may come in several lines under one uuid, and a branched session repeats the
// lines of the one that it came from, which they name.
package qwen

import (
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
	Name:      "qwen-code",
	Title:     "Qwen Code session",
	Source:    "QwenLM/qwen-code, recorded chats",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.SplitWhole(decode),
	WholeRuns: true,
}

// detect looks for a line that no other program writes: Claude Code's have the same frame around other messages.
func detect(shape dialect.Shape) bool {
	return shape.Any(func(m dialect.Members) bool {
		if !m.Has("uuid", "sessionId") {
			return false
		}
		switch m.Text("type") {
		case "user", "assistant", "tool_result":
			message, _ := record.ShapeOf(m.Get("message"))
			return m.Kind("message") == '{' && message.First().Has("role", "parts")
		case "system":
			return m.Has("subtype", "systemPayload")
		}
		return false
	})
}

// line is one line.
type line struct {
	UUID       string         `json:"uuid"`
	Parent     string         `json:"parentUuid"`
	SessionID  string         `json:"sessionId"`
	Time       field.Time     `json:"timestamp"`
	Type       string         `json:"type"`
	Subtype    string         `json:"subtype"`
	Provenance string         `json:"provenance"`
	Version    string         `json:"version"`
	Model      string         `json:"model"`
	Message    jsontext.Value `json:"message"`
	Usage      *usage         `json:"usageMetadata"`
	Outcome    outcome        `json:"toolCallResult"`
	Sidechain  bool           `json:"isSidechain"`
	AgentID    string         `json:"agentId"`
	ForkedFrom forkedAt       `json:"forkedFrom"`
}

type forkedAt struct {
	SessionID   string `json:"sessionId"`
	MessageUUID string `json:"messageUuid"`
}

// key names a fragment.
type key struct {
	run    transcript.RunID
	thread transcript.ThreadID
}

// reader gathers the messages of lines into fragments.
type reader struct {
	out       dialect.Output
	forced    transcript.RunID
	fragments map[key]int
	known     map[seen]int // index of the message that a uuid names in its fragment
	more      map[place]*pieces
}

type seen struct {
	key
	uuid string
}

// place is that of a message in the output.
type place struct{ fragment, message int }

// pieces is what several lines of one record say. Lines may be there twice.
type pieces struct {
	texts, thoughts []string
	said            map[string]bool
}

func (p *pieces) add(to *[]string, text string) {
	if !p.said[text] {
		p.said[text] = true
		*to = append(*to, text)
	}
}

func decode(in dialect.Input) (dialect.Output, error) {
	r := reader{forced: session.RunOr(in, ""), fragments: make(map[key]int), known: make(map[seen]int), more: make(map[place]*pieces)}
	rejects, err := session.Each(in, r.read)
	if err != nil {
		return dialect.Output{}, err
	}
	r.out.Rejects = rejects
	for at, p := range r.more {
		m := &r.out.Fragments[at.fragment].Messages[at.message]
		m.Text, m.Reasoning = field.Lines(p.texts...), field.Lines(p.thoughts...)
	}
	return r.out, nil
}

func (r *reader) read(unit record.Record) error {
	var l line
	if err := record.Unmarshal(unit.Value, &l); err != nil {
		return err
	}
	if l.Type == "" {
		return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/type", Message: "the line does not say its type; send the session as Qwen Code wrote it"}
	}
	k := key{run: transcript.RunID(l.SessionID)}
	if l.ForkedFrom.SessionID != "" {
		k.run = transcript.RunID(l.ForkedFrom.SessionID)
	}
	if k.run == "" {
		k.run = r.forced
	}
	if k.run == "" {
		return session.Nameless()
	}
	if l.Sidechain {
		if k.thread = transcript.ThreadID(l.AgentID); k.thread == "" {
			k.thread = "sidechain"
		}
	}
	m, err := l.convert()
	if err != nil {
		return err
	}
	m.Seq = int64(unit.Index + 1)
	return r.add(k, &l, m)
}

// add appends a message, or adds to the one of the same uuid: a record may be written in several lines.
func (r *reader) add(k key, l *line, m transcript.Message) error {
	i, known := r.fragments[k]
	if !known {
		i = len(r.out.Fragments)
		r.fragments[k] = i
		r.out.Fragments = append(r.out.Fragments, transcript.Fragment{
			Meta: transcript.Meta{ID: k.run, Agent: "qwen-code"}, Thread: k.thread, First: transcript.Unplaced,
		})
	}
	f := &r.out.Fragments[i]
	f.Meta = f.Meta.Join(transcript.Meta{AgentVersion: l.Version})
	s := seen{k, m.ID}
	if j, repeated := r.known[s]; repeated && m.ID != "" {
		if held := &f.Messages[j]; held.Role == m.Role {
			return r.merge(place{i, j}, held, &m)
		}
		m.ID += "/" + string(m.Role) // no record of the program's: somebody else gave two speakers one name
		s.uuid = m.ID
	}
	r.known[s] = len(f.Messages)
	f.Messages = append(f.Messages, m)
	return nil
}

// merge adds to a message what another line of its record says.
func (r *reader) merge(at place, known, m *transcript.Message) error {
	p := r.more[at]
	if p == nil {
		p = &pieces{said: make(map[string]bool)}
		p.add(&p.texts, known.Text)
		p.add(&p.thoughts, known.Reasoning)
		r.more[at] = p
	}
	p.add(&p.texts, m.Text)
	p.add(&p.thoughts, m.Reasoning)
	if len(known.Calls)+len(m.Calls) > record.MaxParts {
		return dialect.Reject{Reason: dialect.ReasonTooLarge, Pointer: "/uuid", Message: "a record has more calls than any generation; mend the program that wrote it"}
	}
	for i := range m.Calls {
		if !holds(known.Calls, m.Calls[i]) {
			known.Calls = append(known.Calls, m.Calls[i])
		}
	}
	if len(known.Results) == 0 {
		known.Results = m.Results
	}
	if known.Usage == nil {
		known.Usage = m.Usage
	} else if m.Usage != nil {
		most := known.Usage.Max(*m.Usage)
		known.Usage = &most
	}
	if known.Model == "" {
		known.Model = m.Model
	}
	return nil
}

// holds tells whether a call is among others: a line that comes again says it again.
func holds(calls []transcript.Call, c transcript.Call) bool {
	for _, held := range calls {
		if held.ID == c.ID && held.Tool == c.Tool && held.Arguments == c.Arguments {
			return true
		}
	}
	return false
}
