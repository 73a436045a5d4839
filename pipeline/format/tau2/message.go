package tau2

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

type message struct {
	ID        string                    `json:"id"` // of the call, on tool messages
	Role      string                    `json:"role"`
	Content   field.Raw                 `json:"content"`
	ToolCalls record.PartList[toolCall] `json:"tool_calls"`
	Requestor string                    `json:"requestor"`
	Error     field.Truth               `json:"error"`
	Timestamp field.Time                `json:"timestamp"`
	Usage     *field.Usage              `json:"usage"`
	Model     string                    `json:"model"`

	// Several results of one step, in one message.
	ToolMessages record.PartList[message] `json:"tool_messages"`
}

type toolCall struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Arguments field.Raw `json:"arguments"`
	Requestor string    `json:"requestor"`
}

func decodeMessages(list jsontext.Value) ([]transcript.Message, error) {
	if len(list) == 0 {
		return nil, nil
	}
	return record.List(list, (*message).convert)
}

func (m *message) convert() (transcript.Message, error) {
	out := transcript.Message{Time: m.Timestamp.Time, Model: m.Model}
	switch m.Role {
	case "system":
		out.Role = transcript.RoleSystem
	case "user":
		out.Role = transcript.RoleUser
	case "assistant":
		out.Role = transcript.RoleAssistant
		out.Usage = m.Usage.Tokens()
	case "tool":
		out.Role = transcript.RoleTool
		if len(m.ToolMessages) == 0 {
			out.Results = []transcript.Result{m.result()}
			return out, nil
		}
		for i := range m.ToolMessages {
			result := m.ToolMessages[i].result()
			result.Time = m.ToolMessages[i].Timestamp.Time
			out.Results = append(out.Results, result)
		}
		return out, nil
	default:
		return out, dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/role",
			Message: strconv.Quote(m.Role) + " is no role of a tau2-bench message; it is one of system, user, assistant, tool",
		}
	}
	out.Text = m.Content.Object()
	for i, call := range m.ToolCalls {
		if call.Name == "" {
			return out, dialect.Reject{
				Reason: dialect.ReasonMissingField, Pointer: "/tool_calls/" + strconv.Itoa(i) + "/name",
				Message: "a tool call names no tool; give the name that the model wrote",
			}
		}
		out.Calls = append(out.Calls, call.convert(out.Role))
	}
	return out, nil
}

// convert reads a call. Who asked for it is said by the call, else by the message that it stands in.
func (c toolCall) convert(role transcript.Role) transcript.Call {
	call := transcript.Call{ID: c.ID, Tool: transcript.Tool(c.Name), Arguments: c.Arguments.Object()}
	if c.Requestor == "user" || c.Requestor == "" && role == transcript.RoleUser {
		call.Actor = transcript.ByUser
	}
	return call
}

func (m *message) result() transcript.Result {
	result := transcript.Result{
		CallID: m.ID,
		Body:   m.Content.Object(),
		Flag:   field.Flag(m.Error),
	}
	if m.Requestor == "user" {
		result.Actor = transcript.ByUser
	}
	return result
}
