package inspect

import (
	"strconv"
	"strings"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// said is a message of a sample, or the one that a generation gave.
type said struct {
	ID       string                `json:"id"`
	Role     string                `json:"role"`
	Source   string                `json:"source"`
	Content  content               `json:"content"`
	Model    string                `json:"model"`
	Calls    record.PartList[call] `json:"tool_calls"`
	CallID   string                `json:"tool_call_id"`
	Function string                `json:"function"`
	Error    *failure              `json:"error"`
	OldError field.Raw             `json:"tool_error"` // of logs until 2024
}

type call struct {
	ID        string    `json:"id"`
	Function  string    `json:"function"`
	Arguments field.Raw `json:"arguments"`
	Fault     string    `json:"parse_error"`
}

type failure struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// reader reads the parts of one sample.
type reader struct {
	attachments map[string]field.Raw
	known       map[string]bool // ids of messages that the sample holds
	spoken      bool            // the agent has spoken
	spans       []string        // threads of sub-agents, in order
	threads     map[string][]transcript.Message
}

func (r *reader) message(m *said) (transcript.Message, error) {
	out := transcript.Message{ID: m.ID, Text: r.resolve(m.Content.text)}
	if out.ID != "" && r.known[out.ID] {
		out.ID = ""
	}
	r.known[m.ID] = true
	switch m.Role {
	case "system":
		out.Role = transcript.RoleSystem
	case "user":
		// Once the agent has spoken, solvers speak in the user's place, and say so by naming no source.
		out.Role = transcript.RoleUser
		if r.spoken && m.Source != "input" && m.Source != "operator" {
			out.Role = transcript.RoleHarness
		}
	case "assistant":
		r.spoken = true
		return r.assistant(m, out)
	case "tool":
		out.Role, out.Text = transcript.RoleTool, ""
		out.Results = []transcript.Result{r.result(m)}
	default:
		return out, dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/role",
			Message: strconv.Quote(m.Role) + " is no role of a message; it is one of system, user, assistant, tool",
		}
	}
	return out, nil
}

func (r *reader) assistant(m *said, out transcript.Message) (transcript.Message, error) {
	out.Role, out.Model, out.Reasoning = transcript.RoleAssistant, m.Model, r.resolve(m.Content.reasoning)
	out.Generation = m.ID
	for i, call := range m.Calls {
		if call.Function == "" {
			return out, dialect.Reject{
				Reason: dialect.ReasonMissingField, Pointer: "/tool_calls/" + strconv.Itoa(i) + "/function",
				Message: "a tool call names no tool; send the log as Inspect wrote it",
			}
		}
		out.Calls = append(out.Calls, transcript.Call{
			ID: call.ID, Tool: transcript.Tool(call.Function), Arguments: call.Arguments.Object(),
		})
	}
	for _, used := range m.Content.served {
		out.Calls = append(out.Calls, transcript.Call{ID: used.ID, Tool: transcript.Tool(used.Name), Arguments: used.Arguments.Object()})
		result := transcript.Result{CallID: used.ID, Tool: transcript.Tool(used.Name), Body: used.Result.Object()}
		if used.Error != "" {
			result.Flag, result.Body = transcript.FlagError, field.Lines(used.Error, result.Body)
		}
		out.Results = append(out.Results, result)
	}
	return out, nil
}

func (r *reader) result(m *said) transcript.Result {
	result := transcript.Result{CallID: m.CallID, Tool: transcript.Tool(m.Function), Body: r.resolve(m.Content.text)}
	m.Error.mark(&result)
	if text := m.OldError.Object(); text != "" && text != "false" {
		(&failure{Message: text}).mark(&result)
	}
	return result
}

// mark says of a result that it failed, or was refused. What the model read is the error's message.
func (f *failure) mark(result *transcript.Result) {
	if f == nil {
		return
	}
	if result.Body == "" {
		result.Body = f.Message
	}
	if f.Type == "approval" {
		result.Fate = transcript.FateRefused
		return
	}
	result.Flag, result.ErrorType = transcript.FlagError, f.Type
}

// resolve puts in what the log holds once under a hash.
func (r *reader) resolve(text string) string {
	hash, ok := strings.CutPrefix(text, "attachment://")
	if !ok {
		return text
	}
	if attached, known := r.attachments[hash]; known {
		return attached.Text
	}
	return text
}
