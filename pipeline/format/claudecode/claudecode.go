// Package claudecode reads the sessions that Claude Code 2.0 and 2.1 keep: JSON lines, one for each content block of a
// message, linked to one another by uuid and parentUuid. The program documents no schema; what is read here was learnt
// from sessions that people published.
//
// Every line is understood alone, so that a session may come line by line or in parts of any size. Sub-agents, be they
// lines of the session, progress lines of their call or files of their own, are threads of the session's run.
package claudecode

import (
	"strconv"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "claude-code",
	Title:     "Claude Code session",
	Source:    "Claude Code 2.0 and 2.1, the .jsonl files of a project's sessions",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    decode,
	RunOf:     runOf,
	WholeRuns: true,
}

// detect looks for a line that no other program writes.
func detect(shape dialect.Shape) bool {
	return shape.Any(func(m dialect.Members) bool {
		switch m.Text("type") {
		case "user", "assistant":
			return m.Has("uuid", "sessionId") && m.Kind("message") == '{' && hasContent(m.Get("message"))
		case "system", "progress", "attachment":
			return m.Has("uuid", "sessionId", "isSidechain") && !m.Has("systemPayload")
		case "file-history-snapshot":
			return m.Has("snapshot", "messageId")
		case "queue-operation":
			return m.Has("operation", "sessionId")
		case "summary":
			return m.Has("summary", "leafUuid")
		}
		return false
	})
}

// hasContent tells the message of Claude Code from that of programs which took over its lines but not its messages.
func hasContent(message []byte) bool {
	shape, _ := record.ShapeOf(message)
	return shape.First().Has("role", "content")
}

// runOf names the session of a line.
func runOf(text []byte) transcript.RunID {
	var l struct {
		SessionID  string   `json:"sessionId"`
		ForkedFrom forkedAt `json:"forkedFrom"`
	}
	if record.Unmarshal(text, &l) != nil {
		return ""
	}
	if l.ForkedFrom.SessionID != "" {
		return transcript.RunID(l.ForkedFrom.SessionID)
	}
	return transcript.RunID(l.SessionID)
}

func decode(in dialect.Input) (dialect.Output, error) {
	shape, err := record.ShapeOf(in.Value)
	if err != nil && len(shape.Heads) == 0 {
		return dialect.Output{}, err
	}
	first, err := strconv.Atoi(in.Headers[dialect.HeaderFirstLine])
	if err != nil || first < 1 {
		first = 1
	}
	r := reader{
		run:       transcript.RunID(in.Headers[dialect.HeaderRun]),
		fragments: make(map[key]int),
		seen:      make(map[seenRow]bool),
	}
	for unit, err := range record.Each(in.Value, shape.Container) {
		if r.hopeless() {
			break
		}
		unit.Line = max(unit.Line, 1) + first - 1
		if shape.Container == dialect.Array {
			unit.Line = 0
		}
		if err != nil {
			reject := record.Refuse(err)
			if reject.Line > 0 {
				reject.Line += first - 1
			}
			r.out.Rejects = append(r.out.Rejects, reject)
			continue
		}
		if err := r.read(unit); err != nil {
			reject := unit.Place(record.Refuse(err))
			reject.Run = r.run
			r.out.Rejects = append(r.out.Rejects, reject)
		}
	}
	return r.out, nil
}
