// Package openclaw reads the logs of OpenClaw's telemetry plugin: JSON lines, one for each event of its agents. The start
// and the end of an agent's work hold the messages of its session so far, in the form of pi, on which OpenClaw is built;
// they are what is read. The events of single tools name no call, and say under another session what the messages say
// again, so that they are passed over. OpenClaw's own session files are pi's.
package openclaw

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/pi"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/pipeline/format/session"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "openclaw-telemetry",
	Title:     "OpenClaw telemetry",
	Source:    "knostic/openclaw-telemetry, the .jsonl log of the plugin",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.SplitWhole(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	return shape.Any(func(m dialect.Members) bool {
		switch m.Text("type") {
		case "agent.start", "agent.end":
			return m.Has("sessionKey", "agentId")
		case "tool.start", "tool.end":
			return m.Has("sessionKey", "toolName")
		case "message.in":
			return m.Has("channel", "content", "contentLength")
		}
		return false
	})
}

// line is one event.
type line struct {
	Type     string         `json:"type"`
	Session  string         `json:"sessionKey"`
	Agent    string         `json:"agentId"`
	Messages jsontext.Value `json:"messages"`
}

// reader gathers the histories, and the run of each session, which its first one names.
type reader struct {
	out  dialect.Output
	runs map[string]transcript.RunID
}

func decode(in dialect.Input) (dialect.Output, error) {
	r := reader{runs: make(map[string]transcript.RunID)}
	rejects, err := session.Each(in, r.read)
	if err != nil {
		return dialect.Output{}, err
	}
	r.out.Rejects = rejects
	if len(r.out.Fragments) == 0 && len(rejects) == 0 {
		r.out.Rejects = []dialect.Reject{{
			Reason:  dialect.ReasonMissingField,
			Message: "no event holds the messages of an agent; send the log when an agent has ended its work",
		}}
	}
	return r.out, nil
}

func (r *reader) read(unit record.Record) error {
	var l line
	if err := record.Unmarshal(unit.Value, &l); err != nil {
		return err
	}
	if l.Type == "" {
		return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/type", Message: "the event does not say its type; send the log as the plugin wrote it"}
	}
	if l.Messages.Kind() != '[' || l.Session == "" {
		return nil
	}
	messages, err := pi.Messages(l.Messages)
	if err != nil {
		return record.Refuse(err).Within(0, "/messages")
	}
	if len(messages) == 0 {
		return nil
	}
	child := strings.Contains(l.Session, ":subagent:")
	if child {
		for i := range messages {
			if messages[i].Role == transcript.RoleUser {
				messages[i].Role = transcript.RoleHarness // another agent wrote it
			}
		}
	}
	r.out.Fragments = append(r.out.Fragments, transcript.Fragment{
		Meta: transcript.Meta{ID: r.run(&l, messages, child), Agent: "openclaw"}, Snapshot: true, Messages: messages,
	})
	return nil
}

// run names the run of a session. The name of a sub-agent's is its own; that of another agent's is used again for ever,
// so that the moment of its first message tells one from the next.
func (r *reader) run(l *line, messages []transcript.Message, child bool) transcript.RunID {
	run, known := r.runs[l.Session]
	if !known {
		if run = transcript.RunID(l.Session); !child {
			run = dialect.DeriveRunID("openclaw", l.Session, strconv.FormatInt(messages[0].Time.UnixMilli(), 10), messages[0].Text)
		}
		r.runs[l.Session] = run
	}
	return run
}
