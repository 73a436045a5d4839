// Package mint reads the results of MINT, JSON lines of one task each, with the messages of its interaction.
//
// A call is the Python that stands between <execute> and </execute>; a message that proposes a solution is an answer,
// whatever else stands in it. What came back stands in the next user message, between the program's own lines, which
// are left out of the result: the word Observation and how many steps are left. The program marks no errors; an exception as
// its interpreter prints it is one. The last call of a run has no result, since the program stops there.
package mint

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "mint",
	Title:     "MINT result file",
	Source:    "xingyaoww/mint-bench (mint/main.py, mint/envs/general_env.py)",
	Unit:      dialect.UnitObject,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.Split(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	if first.Kind("state") != '{' || first.Kind("task") != '{' {
		return false
	}
	state, _ := record.ShapeOf(first.Get("state"))
	return state.First().Kind("history") == '[' && state.First().Has("agent_action_count")
}

type row struct {
	State struct {
		History jsontext.Value `json:"history"`
		Success *bool          `json:"success"`
		Reason  string         `json:"terminate_reason"`
		Error   field.Raw      `json:"error"`
	} `json:"state"`
	Task struct {
		Name string    `json:"task_name"`
		ID   field.Raw `json:"task_id"`
	} `json:"task"`
}

type said struct {
	Role    string    `json:"role"`
	Content field.Raw `json:"content"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	var wire row
	if err := record.Unmarshal(in.Value, &wire); err != nil {
		return dialect.Output{}, err
	}
	if wire.State.History.Kind() != '[' {
		return dialect.Output{}, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/state/history",
			Message: "a row has the history of its task; send the file as MINT wrote it",
		}
	}
	var r reader
	if _, err := record.List(wire.State.History, r.read); err != nil {
		return dialect.Output{}, record.Refuse(err).Within(0, "/state/history")
	}
	return dialect.Output{Fragments: []transcript.Fragment{{
		Meta: transcript.Meta{
			ID: dialect.DeriveRunID("mint", append(dialect.Beginning(r.messages), wire.Task.Name, wire.Task.ID.Text)...), Agent: "mint",
			Attributes:  map[string]string{"task_name": wire.Task.Name, "task_id": wire.Task.ID.Object()},
			TaskSuccess: wire.State.Success, Ended: true, EndReason: wire.endReason(),
		},
		Snapshot: true,
		Ended:    true,
		Messages: r.messages,
	}}}, nil
}

func (r *row) endReason() transcript.EndReason {
	switch {
	case !r.State.Error.IsNull() && r.State.Error.Text != "":
		return transcript.EndError
	case strings.HasPrefix(r.State.Reason, "max_"):
		return transcript.EndTurnLimit
	case r.State.Reason == "task_success":
		return transcript.EndCompleted
	}
	return ""
}

// reader reads messages in their order: a user message is an answer of the environment once the agent has spoken.
type reader struct {
	messages []transcript.Message
	begun    bool
	open     bool // the last call has no result
}

// block is how the agent writes a call.
var block = regexp.MustCompile(`(?s)<execute>(.*?)(?:</execute>|$)`)

func (r *reader) read(m *said) (struct{}, error) {
	text := m.Content.Object()
	out := transcript.Message{Text: text}
	switch m.Role {
	case "system":
		out.Role = transcript.RoleSystem
	case "assistant":
		out.Role, r.begun, r.open = transcript.RoleAssistant, true, false
		if found := block.FindStringSubmatch(text); found != nil && !strings.Contains(text, "<solution>") {
			code, _ := jsontext.AppendQuote([]byte(`{"code":`), strings.TrimSpace(found[1]))
			out.Calls = []transcript.Call{{Tool: "python", Arguments: string(append(code, '}'))}}
			r.open = true
		}
	case "user":
		switch {
		case r.open:
			body := observation(text)
			out = transcript.Message{Role: transcript.RoleTool, Results: []transcript.Result{{Body: body, Flag: flagOf(body)}}}
			r.open = false
		case r.begun:
			out.Role = transcript.RoleHarness
		default:
			out.Role = transcript.RoleUser
		}
	default:
		return struct{}{}, dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/role",
			Message: "a message is of the system, the user or the assistant",
		}
	}
	r.messages = append(r.messages, out)
	return struct{}{}, nil
}

// own are the program's lines behind an observation.
var own = regexp.MustCompile(`(?s)\n?You have \d+ steps? left and \d+ chances? to propose solution left\..*$`)

// observation takes away the program's own lines.
func observation(text string) string {
	text = strings.TrimPrefix(strings.TrimLeft(text, "\n"), "Observation:\n")
	return own.ReplaceAllString(text, "")
}

// exception is the last line of what the interpreter prints of one.
var exception = regexp.MustCompile(`^[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning|Iteration)(?::|$)`)

// flagOf tells an exception: a traceback, or the place of a fault in the code, with the exception's name on the last line.
func flagOf(body string) transcript.Flag {
	trimmed := strings.TrimSpace(body)
	last := trimmed[strings.LastIndexByte(trimmed, '\n')+1:]
	placed := strings.HasPrefix(trimmed, "Cell In[") || strings.Contains(trimmed, "Traceback (most recent call last)")
	if placed && exception.MatchString(last) || strings.HasPrefix(trimmed, "Execution timed out") {
		return transcript.FlagError
	}
	return transcript.FlagUnset
}
