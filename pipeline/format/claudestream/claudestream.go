// Package claudestream reads what Claude Code writes with --output-format stream-json, and what its SDK hands to
// programs (SDKMessage): one JSON message a line, or a list of them in YAML, as tests record it. They say what the lines of a
// session's file say under other names, hence package claudecode reads them.
package claudestream

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"errata/pipeline/format/claudecode"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/pipeline/format/session"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "claude-stream",
	Title:     "Claude Code stream of messages",
	Source:    "Claude Code, --output-format stream-json; Claude Agent SDK, SDKMessage",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.SplitWhole(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool { return begins(shape.Begin) || shape.Any(isMessage) }

// isMessage tells a message that no other program writes.
func isMessage(m dialect.Members) bool {
	if m.Kind("session_id") != '"' || m.Has("sessionId") {
		return false
	}
	switch m.Text("type") {
	case "system":
		return m.Text("subtype") == "init" && m.Has("tools", "model")
	case "assistant", "user":
		return m.Kind("message") == '{' && m.Has("parent_tool_use_id")
	case "result":
		return m.Has("subtype", "num_turns", "is_error")
	}
	return false
}

// begins tells the first words of a recording in YAML.
func begins(text []byte) bool {
	rest, found := bytes.CutPrefix(bytes.TrimSpace(text), []byte("messages:"))
	return found && bytes.HasPrefix(bytes.TrimSpace(rest), []byte("- ")) && bytes.Contains(rest, []byte("request_id:"))
}

func decode(in dialect.Input) (dialect.Output, error) {
	if begins(in.Value) {
		lines, err := linesOf(in.Value)
		if err != nil {
			return dialect.Output{}, err
		}
		in.Value = lines
	}
	r := reader{last: make(map[string]string)}
	rejects, err := session.Each(in, r.read)
	if err != nil {
		return dialect.Output{}, err
	}
	inner := dialect.Input{Value: r.lines.Bytes(), Headers: map[string]string{}}
	if run := in.Headers[dialect.HeaderRun]; run != "" {
		inner.Headers[dialect.HeaderRun] = run
	}
	out := dialect.Output{}
	if len(inner.Value) > 0 {
		if out, err = claudecode.Dialect.Decode(inner); err != nil {
			return dialect.Output{}, err
		}
	}
	out.Rejects = append(rejects, r.placed(out.Rejects)...)
	if len(out.Fragments)+len(out.Rejects) == 0 {
		return out, dialect.Reject{
			Reason: dialect.ReasonMissingField, Message: "there is no message of a model or a person in it; send the stream as Claude Code wrote it",
		}
	}
	for i := range out.Fragments {
		f := &out.Fragments[i]
		f.Meta.Ended, f.Meta.EndReason = r.ended, r.reason
		f.Meta.AgentVersion = r.version
		if f.Thread != "" {
			f.ParentCall = string(f.Thread)
		}
	}
	return out, nil
}

// linesOf gives the messages of a recording as lines.
func linesOf(text []byte) ([]byte, error) {
	var file struct {
		Messages []any `yaml:"messages"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, dialect.Reject{Reason: "malformed_yaml", Message: "this is not YAML: " + err.Error() + "; send the recording whole and unchanged"}
	}
	var out []byte
	for i, m := range file.Messages {
		line, err := json.Marshal(m)
		if err != nil {
			return nil, dialect.Reject{
				Reason: dialect.ReasonWrongType, Pointer: "/messages/" + strconv.Itoa(i), Message: "a message holds what JSON has not; send the recording unchanged",
			}
		}
		out = append(append(out, line...), '\n')
	}
	return out, nil
}

// reader turns messages into the lines of a session.
type reader struct {
	lines   bytes.Buffer
	units   []record.Record   // that the lines were made of
	last    map[string]string // the last message of a thread
	version string
	ended   bool
	reason  transcript.EndReason
}

func (r *reader) read(unit record.Record) error {
	shape, err := record.ShapeOf(unit.Value)
	if err != nil {
		return err
	}
	m := shape.First()
	switch m.Text("type") {
	case "system":
		if v := m.Text("claude_code_version"); v != "" {
			r.version = v
		}
	case "result":
		r.ended, r.reason = true, reasonOf(m)
	case "user", "assistant":
		if m.Kind("message") == '{' {
			r.line(m, unit)
		}
	}
	return nil
}

func reasonOf(m dialect.Members) transcript.EndReason {
	switch m.Text("subtype") {
	case "success":
		return transcript.EndCompleted
	case "error_max_turns", "error_max_budget_usd":
		return transcript.EndTurnLimit
	}
	return transcript.EndError
}

// line writes the line of a session that says the same.
func (r *reader) line(m dialect.Members, unit record.Record) {
	names := map[string]string{"type": "type", "uuid": "uuid", "session_id": "sessionId", "message": "message", "tool_use_result": "toolUseResult", "timestamp": "timestamp", "isSynthetic": "isMeta"}
	out := []byte{'{'}
	put := func(name string, value jsontext.Value) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(strconv.AppendQuote(out, name), ':'), record.Compact(value)...)
	}
	for _, member := range m {
		if name, known := names[member.Name]; known {
			put(name, member.Value)
		}
	}
	thread := m.Get("parent_tool_use_id")
	if thread.Kind() == '"' {
		put("isSidechain", jsontext.Value("true"))
		put("agentId", thread)
	}
	key := string(thread)
	if parent := r.last[key]; parent != "" {
		put("parentUuid", jsontext.Value(parent))
	}
	if m.Kind("uuid") == '"' {
		r.last[key] = string(m.Get("uuid"))
	}
	r.lines.Write(append(out, '}', '\n'))
	r.units = append(r.units, unit)
}

// placed gives rejects of lines the places of the messages that they were made of. Bytes within a message are not known.
func (r *reader) placed(rejects []dialect.Reject) []dialect.Reject {
	for i := range rejects {
		if at := rejects[i].Line - 1; at >= 0 && at < len(r.units) {
			rejects[i].Line, rejects[i].Offset = 0, 0
			rejects[i] = r.units[at].Place(rejects[i])
		}
	}
	return rejects
}
