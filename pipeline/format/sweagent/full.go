package sweagent

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// full is a trajectory of SWE-agent.
type full struct {
	Environment string                `json:"environment"`
	History     jsontext.Value        `json:"history"`
	Trajectory  record.PartList[step] `json:"trajectory"`
	Info        struct {
		ExitStatus field.Raw `json:"exit_status"`
		Version    string    `json:"swe_agent_version"`
	} `json:"info"`
	Replay field.Raw `json:"replay_config"`
}

// step is a call and what came of it, both as text. State, times and messages beside them repeat other things.
type step struct {
	Action      string    `json:"action"`
	Observation field.Raw `json:"observation"`
	Response    string    `json:"response"`
}

// said is a message of the history.
type said struct {
	Role        string                       `json:"role"`
	Content     field.Raw                    `json:"content"`
	Thought     string                       `json:"thought"`
	Action      string                       `json:"action"`
	Demo        bool                         `json:"is_demo"`
	ToolCalls   record.PartList[calledTool]  `json:"tool_calls"`
	ToolCallIDs record.PartList[string]      `json:"tool_call_ids"`
	Thinking    record.PartList[thoughtPart] `json:"thinking_blocks"`
}

type thoughtPart struct {
	Text string `json:"thinking"`
}

type calledTool struct {
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments field.Raw `json:"arguments"`
	} `json:"function"`
}

func decodeFull(value []byte) (dialect.Output, error) {
	var wire full
	if err := record.Unmarshal(value, &wire); err != nil {
		return dialect.Output{}, err
	}
	if wire.History.Kind() != '[' {
		return dialect.Output{}, noList("history")
	}
	r := fullReader{steps: wire.Trajectory}
	if _, err := record.List(wire.History, r.read); err != nil {
		return dialect.Output{}, record.Refuse(err).Within(0, "/history")
	}
	r.take(len(r.steps))
	instance, model := wire.replayed()
	status := wire.Info.ExitStatus.Object()
	meta := transcript.Meta{
		ID: runID(instance, r.messages), Agent: "SWE-agent", AgentVersion: wire.Info.Version, Model: model,
		Ended: status != "", EndReason: endReason(status), Attributes: attributes(instance, status),
	}
	return dialect.Output{Fragments: []transcript.Fragment{{
		Meta: meta, Snapshot: true, Ended: meta.Ended, Messages: r.messages,
	}}}, nil
}

// replayed reads task and model from the configuration, which is an object, or text that holds one.
func (f *full) replayed() (instance, model string) {
	var config struct {
		Problem struct {
			ID string `json:"id"`
		} `json:"problem_statement"`
		Agent struct {
			Model struct {
				Name string `json:"name"`
			} `json:"model"`
		} `json:"agent"`
	}
	if f.Replay.IsNull() || record.CheckDepth([]byte(f.Replay.Text)) != nil || record.Unmarshal([]byte(f.Replay.Text), &config) != nil {
		return "", ""
	}
	return config.Problem.ID, config.Agent.Model.Name
}

// fullReader reads a history in its order: once the agent has spoken, user messages are observations.
type fullReader struct {
	messages []transcript.Message
	begun    bool
	open     bool // the agent's last call has no result

	// The steps are all that ran. The history lacks the last of them, and what was cut from it, but has the calls as the
	// model made them.
	steps []step
	next  int // the first step that the history has not come to
}

func (r *fullReader) read(m *said) (struct{}, error) {
	out := transcript.Message{Text: textOf(m.Content)}
	switch m.Role {
	case "system":
		out.Role = transcript.RoleSystem
	case "assistant":
		out.Role = transcript.RoleAssistant
		if m.Demo {
			out.Role = transcript.RoleHarness
			break
		}
		if err := r.assistant(m, &out); err != nil {
			return struct{}{}, err
		}
	case "user", "tool":
		r.input(m, &out)
	default:
		return struct{}{}, noRole(m.Role)
	}
	r.messages = append(r.messages, out)
	return struct{}{}, nil
}

func (r *fullReader) assistant(m *said, out *transcript.Message) error {
	for _, part := range m.Thinking {
		out.Reasoning = field.Lines(out.Reasoning, part.Text)
	}
	action := strings.TrimSpace(m.Action)
	r.begun = true
	r.catchUp(action)
	for i, call := range m.ToolCalls {
		if call.Function.Name == "" {
			return dialect.Reject{
				Reason: dialect.ReasonMissingField, Pointer: "/tool_calls/" + string(rune('0'+i%10)) + "/function/name",
				Message: "a tool call names no tool; send the trajectory as the program wrote it",
			}
		}
		out.Calls = append(out.Calls, transcript.Call{
			ID: call.ID, Tool: transcript.Tool(call.Function.Name), Arguments: call.Function.Arguments.Object(),
		})
	}
	if len(out.Calls) == 0 && action != "" {
		out.Calls = []transcript.Call{typed(action)}
	}
	r.open = len(out.Calls) > 0
	return nil
}

// state is what the program writes behind every observation, which is no part of what the tool gave.
var state = regexp.MustCompile(`\n?\(Open file: [^\n]*\)\r?\n\(Current directory: [^\n]*\)\r?\nbash-\$\s*$`)

// input tells a task from a demonstration, a result, and what the program says about a message without a call.
func (r *fullReader) input(m *said, out *transcript.Message) {
	switch {
	case m.Demo:
		out.Role = transcript.RoleHarness
	case m.Role == "tool" || r.begun && r.open:
		out.Role = transcript.RoleTool
		ids := m.ToolCallIDs
		if len(ids) == 0 {
			ids = []string{""}
		}
		body := state.ReplaceAllString(out.Text, "")
		for _, id := range ids {
			out.Results = append(out.Results, transcript.Result{CallID: id, Body: body, Flag: flagOf(body)})
		}
		out.Text = ""
		r.open = false
	case r.begun:
		out.Role = transcript.RoleHarness
	default:
		out.Role = transcript.RoleUser
	}
}

// maxAhead bounds the steps among which an action of the history is sought.
const maxAhead = 100

// catchUp adds the steps that stand before the one with an action of the history. An action that no step has is kept as it is.
func (r *fullReader) catchUp(action string) {
	if action == "" {
		return
	}
	ahead := r.steps[r.next:min(r.next+maxAhead, len(r.steps))]
	at := slices.IndexFunc(ahead, func(s step) bool { return strings.TrimSpace(s.Action) == action })
	if at < 0 {
		return
	}
	r.take(r.next + at)
	r.next++
}

// take adds the steps before a given one, and the result of the last call, which the end of a history lacks.
func (r *fullReader) take(to int) {
	if r.open && r.next > 0 {
		r.observe(&r.steps[r.next-1])
	}
	for ; r.next < to; r.next++ {
		s := &r.steps[r.next]
		action := strings.TrimSpace(s.Action)
		if action == "" || strings.HasPrefix(action, "exit_") && action != "exit_forfeit" {
			continue // the program's own note of how the run ended
		}
		r.messages = append(r.messages, transcript.Message{
			Role: transcript.RoleAssistant, Text: s.Response, Calls: []transcript.Call{typed(action)},
		})
		r.observe(s)
	}
}

// observe adds a step's observation; the last step of a run may have none.
func (r *fullReader) observe(s *step) {
	r.open = false
	if s.Observation.IsNull() {
		return
	}
	r.messages = append(r.messages, transcript.Message{
		Role:    transcript.RoleTool,
		Results: []transcript.Result{{Body: s.Observation.Text, Flag: flagOf(s.Observation.Text)}},
	})
}

// textOf gives what a message says, be it text or a list of parts.
func textOf(content field.Raw) string {
	if content.Kind != '[' {
		return content.Object()
	}
	parts, err := record.List(jsontext.Value(content.Text), func(part *struct {
		Text string `json:"text"`
	}) (string, error) {
		return part.Text, nil
	})
	if err != nil {
		return content.Text
	}
	return field.Lines(parts...)
}

// ownTools are the commands that the program adds to the shell. A call of one is a call of that tool, all else is bash.
var ownTools = regexp.MustCompile(`^(?:open|goto|scroll_up|scroll_down|create|edit|insert|set_cursors|search_dir|search_file|find_file|filemap|str_replace_editor|submit|exit_forfeit|decompile|disassemble|debug_\w+|connect_\w+)\b`)

// typed reads a call that the model wrote as a command.
func typed(action string) transcript.Call {
	name := ownTools.FindString(action)
	rest := action[len(name):]
	if name == "" || rest != "" && !strings.ContainsAny(rest[:1], " \n\t") || strings.Contains(action, " && ") {
		return bash(action)
	}
	if rest = strings.TrimSpace(rest); rest == "" {
		return transcript.Call{Tool: transcript.Tool(name)}
	}
	return transcript.Call{Tool: transcript.Tool(name), Arguments: arguments("input", rest)}
}

// failures are sentences by which the program and its tools say that a call failed.
var failures = []string{
	"Your proposed edit has introduced new syntax error",
	"EXECUTION TIMED OUT",
	"COMMAND FAILED TO EXECUTE",
	"BROKEN PIPE",
	"The command was cancelled because",
	"Interactive operation",
	"Operation '",
	"bash: ",
	"/bin/bash: ",
	"Usage: ",
}

// flagOf tells whether an observation is one of the program's own messages of failure. Old versions write that time was
// up behind what the command had written, new ones before it.
func flagOf(observation string) transcript.Flag {
	text := strings.TrimSpace(observation)
	first, _, _ := strings.Cut(text, "\n")
	for _, failure := range failures {
		if strings.HasPrefix(first, failure) {
			return transcript.FlagError
		}
	}
	if strings.HasPrefix(first, "The command '") && strings.Contains(first, "was cancelled because") {
		return transcript.FlagError
	}
	// The state of the shell may stand behind it in some lines.
	const tail = 8
	lines := strings.Split(text[max(len(text)-4096, 0):], "\n")
	for _, line := range lines[max(len(lines)-tail, 0):] {
		if strings.HasPrefix(line, "EXECUTION TIMED OUT") || strings.HasPrefix(line, "PLEASE REFINE YOUR RUNNING COMMAND") {
			return transcript.FlagError
		}
	}
	return transcript.FlagUnset
}
