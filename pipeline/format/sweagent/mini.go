package sweagent

import (
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/openai"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// mini is a trajectory of mini-SWE-agent.
type mini struct {
	Format   string         `json:"trajectory_format"`
	Instance string         `json:"instance_id"`
	Info     miniInfo       `json:"info"`
	Messages jsontext.Value `json:"messages"`
}

type miniInfo struct {
	Version    string `json:"mini_version"`
	ExitStatus string `json:"exit_status"`
	Config     struct {
		Model struct {
			Name string `json:"model_name"`
		} `json:"model"`
	} `json:"config"`
}

// miniMessage is a message of which the chat form is read by package openai, and the rest here.
type miniMessage struct {
	Role  string    `json:"role"`
	Extra miniExtra `json:"extra"`
}

type miniExtra struct {
	Timestamp  field.Time                  `json:"timestamp"`
	ReturnCode *int                        `json:"returncode"`
	Exception  string                      `json:"exception_type"`
	Info       string                      `json:"exception_info"`
	ExitStatus string                      `json:"exit_status"`
	Interrupt  string                      `json:"interrupt_type"`
	Actions    record.PartList[miniAction] `json:"actions"`
	Response   struct {
		ID    string       `json:"id"`
		Model string       `json:"model"`
		Usage *field.Usage `json:"usage"`
	} `json:"response"`
}

type miniAction struct {
	Command string `json:"command"`
}

func decodeMini(value []byte) (dialect.Output, error) {
	var wire mini
	if err := record.Unmarshal(value, &wire); err != nil {
		return dialect.Output{}, err
	}
	if wire.Messages.Kind() != '[' {
		return dialect.Output{}, noList("messages")
	}
	var r miniReader
	if _, err := record.List(wire.Messages, r.read); err != nil {
		return dialect.Output{}, record.Refuse(err).Within(0, "/messages")
	}
	meta := transcript.Meta{
		ID: runID(wire.Instance, r.messages), Agent: "mini-swe-agent", AgentVersion: wire.Info.Version,
		Model: wire.Info.Config.Model.Name, Ended: wire.Info.ExitStatus != "", EndReason: endReason(wire.Info.ExitStatus),
	}
	meta.Attributes = attributes(wire.Instance, wire.Info.ExitStatus)
	return dialect.Output{Fragments: []transcript.Fragment{{
		Meta: meta, Snapshot: true, Ended: meta.Ended, Messages: r.messages,
	}}}, nil
}

// miniReader reads messages in their order: what a user message is depends on what came before it.
type miniReader struct {
	messages []transcript.Message
	begun    bool // the agent has spoken
	open     bool // its last call has no result
}

// read takes each message twice: as a chat message, and for what stands beside it.
func (r *miniReader) read(value *jsontext.Value) (struct{}, error) {
	var none struct{}
	var m miniMessage
	if err := record.Unmarshal(*value, &m); err != nil {
		return none, err
	}
	if m.Role == "exit" {
		r.messages = append(r.messages, r.exit(*value, &m))
		return none, nil
	}
	list := append(append(jsontext.Value{'['}, *value...), ']')
	chat, err := openai.Decode(list)
	if err != nil {
		reject := record.Refuse(err)
		reject.Pointer = strings.TrimPrefix(reject.Pointer, "/0")
		return none, reject
	}
	out := chat[0]
	out.ID = ""
	if out.Time.IsZero() {
		out.Time = m.Extra.Timestamp.Time
	}
	switch out.Role {
	case transcript.RoleAssistant:
		r.begun = true
		r.assistant(&out, &m.Extra)
		r.open = len(out.Calls) > 0
	case transcript.RoleTool:
		for i := range out.Results {
			m.Extra.mark(&out.Results[i])
		}
		r.open = false
	case transcript.RoleUser, transcript.RoleHarness:
		r.observation(&out, &m.Extra)
	}
	r.messages = append(r.messages, out)
	return none, nil
}

// block is how a model without tool calling writes its command.
var block = regexp.MustCompile("(?s)```(?:bash|mswea_bash_command)\\s*\\n(.*?)\\n```")

func (r *miniReader) assistant(out *transcript.Message, extra *miniExtra) {
	out.Generation = extra.Response.ID
	if out.Model == "" {
		out.Model = extra.Response.Model
	}
	if out.Usage == nil {
		out.Usage = extra.Response.Usage.Tokens()
	}
	if len(out.Calls) > 0 {
		return
	}
	for _, action := range extra.Actions {
		out.Calls = append(out.Calls, bash(action.Command))
	}
	if len(out.Calls) > 0 {
		return
	}
	// Exactly one block is a call; the program refuses any other number.
	if found := block.FindAllStringSubmatch(out.Text, 2); len(found) == 1 {
		out.Calls = []transcript.Call{bash(strings.TrimSpace(found[0][1]))}
	}
}

func bash(command string) transcript.Call {
	return transcript.Call{Tool: "bash", Arguments: arguments("command", command)}
}

// observation tells what a user message is once the agent has spoken: what a command gave, a person's refusal or word,
// or the program's complaint about a message without a command.
func (r *miniReader) observation(out *transcript.Message, extra *miniExtra) {
	if !r.begun {
		return
	}
	refused := strings.HasPrefix(out.Text, "Command not executed")
	switch {
	case r.open && (refused || extra.ReturnCode != nil || strings.HasPrefix(out.Text, "<returncode>")):
		result := transcript.Result{Body: out.Text}
		extra.mark(&result)
		if refused {
			result.Fate = transcript.FateRefused
		}
		out.Role, out.Text, out.Results = transcript.RoleTool, "", []transcript.Result{result}
		r.open = false
	case extra.Interrupt == "UserInterruption":
	default:
		out.Role = transcript.RoleHarness
	}
}

// mark adds what the metadata say of a result. The status -1 beside an exception means that the command was stopped or
// could not be started, not that it still runs.
func (e *miniExtra) mark(result *transcript.Result) {
	switch {
	case e.Exception != "" || e.Info != "":
		result.Flag, result.ErrorType = transcript.FlagError, e.Exception
	case e.ReturnCode != nil && *e.ReturnCode == -1:
		result.Flag = transcript.FlagError
	default:
		result.ExitCode = e.ReturnCode
	}
}

// exit reads the message that ends a run. A run is submitted by a command whose output becomes this message; whatever
// else ended the run stands in it as text.
func (r *miniReader) exit(value jsontext.Value, m *miniMessage) transcript.Message {
	var text struct {
		Content field.Raw `json:"content"`
	}
	_ = record.Unmarshal(value, &text) // any value is read
	out := transcript.Message{Role: transcript.RoleHarness, Time: m.Extra.Timestamp.Time}
	if r.open && m.Extra.ExitStatus == submitted {
		out.Role = transcript.RoleTool
		out.Results = []transcript.Result{{Body: text.Content.Object(), ExitCode: new(int)}}
		return out
	}
	out.Text = text.Content.Object()
	return out
}

const submitted = "Submitted"

// endReason translates the exit status of either program.
func endReason(status string) transcript.EndReason {
	lower := strings.ToLower(status)
	switch {
	case status == "":
		return ""
	case lower == "submitted":
		return transcript.EndCompleted
	case status == "LimitsExceeded", strings.Contains(lower, "exit_cost"), strings.Contains(lower, "exit_context"), strings.Contains(lower, "exit_total_execution_time"):
		return transcript.EndTurnLimit
	case strings.Contains(lower, "interrupt"):
		return transcript.EndCancelled
	case lower == "exit_forfeit":
		return transcript.EndCompleted
	default:
		return transcript.EndError
	}
}

func attributes(instance, status string) map[string]string {
	attributes := map[string]string{}
	for name, value := range map[string]string{"instance_id": instance, "exit_status": status} {
		if value != "" {
			attributes[name] = value
		}
	}
	return attributes
}
