// Package codex reads the rollout files in which Codex CLI keeps its sessions: JSON lines, of which the response items
// are the conversation, in the words of OpenAI's Responses interface, and the events say the rest. The shapes are those
// that the program's own recorder writes (RolloutLine, ResponseItem and EventMsg of the protocol crate), from the bare
// items of its first versions on.
//
// Items have no ids of their own, so that their place in the file is their position: an ever longer copy of a session
// says the same again. What a forked session copied from another is given to that other session, at the same positions,
// so that it is counted once.
//
// The program keeps no mark of failure. The exit status stands in the text that the model read, where the rules of
// judgement find it; failures that the program words itself, without a status, are flagged here.
package codex

import (
	"strconv"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "codex",
	Title:     "Codex CLI rollout",
	Source:    "openai/codex, rollout files of its sessions",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.SplitWhole(decode),
	WholeRuns: true,
}

// detect looks for a line of a rollout, or for the first line and the bare items of the first versions.
func detect(shape dialect.Shape) bool {
	if shape.Any(isRolloutLine) {
		return true
	}
	first := shape.First()
	if !first.Has("id", "timestamp") || first.Has("type") || !(first.Has("instructions") || first.Has("git")) {
		return false
	}
	return len(shape.Heads) == 1 || shape.Any(func(m dialect.Members) bool {
		return m.Text("record_type") == "state" || m.Text("type") == "message" && m.Kind("content") == '['
	})
}

func isRolloutLine(m dialect.Members) bool {
	switch m.Text("type") {
	case "session_meta", "response_item", "event_msg", "turn_context", "compacted":
		return m.Kind("payload") == '{' && m.Has("timestamp")
	}
	return false
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
	r := newReader(transcript.RunID(in.Headers[dialect.HeaderRun]))
	for unit, err := range record.Each(in.Value, shape.Container) {
		var reject dialect.Reject
		if err != nil {
			reject = record.Refuse(err)
		} else if err = r.read(unit.Value); err != nil {
			reject = unit.Place(record.Refuse(err))
		}
		if err == nil {
			continue
		}
		if reject.Line > 0 {
			reject.Line += first - 1
		}
		reject.Run = r.run
		r.rejects = append(r.rejects, reject)
	}
	return r.output(), nil
}
