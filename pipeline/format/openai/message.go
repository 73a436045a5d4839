// Package openai reads OpenAI chat messages: the form that most programs and gateways write, in its older variants
// too (the roles developer and function, function_call, custom tools), with the fields that logs add to it.
package openai

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

type message struct {
	ID        string                    `json:"id"`
	Role      string                    `json:"role"`
	Name      string                    `json:"name"`
	Content   content                   `json:"content"`
	Refusal   string                    `json:"refusal"`
	Reasoning reasoning                 `json:"reasoning"`
	Thoughts  string                    `json:"reasoning_content"`
	ToolCalls record.PartList[toolCall] `json:"tool_calls"`
	Function  *function                 `json:"function_call"`
	CallID    string                    `json:"tool_call_id"`
	Error     field.Truth               `json:"error"`
	IsError   field.Truth               `json:"is_error"`
	MCPError  field.Truth               `json:"isError"`
	Status    status                    `json:"status"`
	Variant   string                    `json:"variant"`
	Timestamp field.Time                `json:"timestamp"`
	Model     string                    `json:"model"`
	Usage     *field.Usage              `json:"usage"`
}

type toolCall struct {
	ID       string    `json:"id"`
	Function *function `json:"function"`
	Custom   *custom   `json:"custom"`
}

type function struct {
	Name      string    `json:"name"`
	Arguments field.Raw `json:"arguments"`
}

// custom is a call of a tool that takes free text.
type custom struct {
	Name  string `json:"name"`
	Input string `json:"input"`
}

// Decode reads a list of messages. Every message of the list becomes one message, so that positions stay what they are.
// Its error is a Reject whose place is relative to the list.
func Decode(list jsontext.Value) ([]transcript.Message, error) {
	return record.List(list, (*message).convert)
}

func (m *message) convert() (transcript.Message, error) {
	out := transcript.Message{
		ID:    m.ID,
		Time:  m.Timestamp.Time,
		Model: m.Model,
	}
	if err := m.Content.check(m.Role); err != nil {
		return out, err
	}
	switch m.Role {
	case "system", "developer":
		out.Role = transcript.RoleSystem
		out.Text = m.Content.text
	case "user":
		out.Role = transcript.RoleUser
		out.Text = m.Content.text
		if field.Injected(out.Text) {
			out.Role = transcript.RoleHarness
		}
	case "assistant":
		return m.assistant(out)
	case "tool", "function":
		out.Role = transcript.RoleTool
		out.Results = []transcript.Result{m.result()}
	case "":
		return out, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/role",
			Message: "a message says no role; give it one of system, developer, user, assistant, tool, function",
		}
	default:
		return out, dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/role",
			Message: strconv.Quote(m.Role) + " is no role of a chat message; it is one of system, developer, user, assistant, tool, function",
		}
	}
	return out, nil
}

func (m *message) assistant(out transcript.Message) (transcript.Message, error) {
	out.Role = transcript.RoleAssistant
	out.Generation = m.ID
	out.Text = field.Lines(m.Content.text, m.Refusal)
	out.Reasoning = field.Lines(m.Content.reasoning, m.Thoughts, string(m.Reasoning))
	out.Usage = m.Usage.Tokens()
	for i, call := range m.ToolCalls {
		converted, err := call.convert()
		if err != nil {
			return out, record.Refuse(err).Within(0, "/tool_calls/"+strconv.Itoa(i))
		}
		out.Calls = append(out.Calls, converted)
	}
	if m.Function != nil {
		if m.Function.Name == "" {
			return out, nameless("/function_call/name")
		}
		out.Calls = append(out.Calls, transcript.Call{
			Tool:      transcript.Tool(m.Function.Name),
			Arguments: m.Function.Arguments.Object(),
		})
	}
	return out, nil
}

func (c toolCall) convert() (transcript.Call, error) {
	switch {
	case c.Function != nil && c.Function.Name != "":
		return transcript.Call{
			ID:        c.ID,
			Tool:      transcript.Tool(c.Function.Name),
			Arguments: c.Function.Arguments.Object(),
		}, nil
	case c.Custom != nil && c.Custom.Name != "":
		return transcript.Call{
			ID:        c.ID,
			Tool:      transcript.Tool(c.Custom.Name),
			Arguments: freeText(c.Custom.Input),
		}, nil
	default:
		return transcript.Call{}, nameless("/function/name")
	}
}

func nameless(pointer string) error {
	return dialect.Reject{
		Reason: dialect.ReasonMissingField, Pointer: pointer,
		Message: "a tool call names no tool; give the name that the model wrote",
	}
}

// freeText gives the input of a custom tool the form of arguments, so that it is not taken for damaged JSON.
func freeText(input string) string {
	quoted, err := jsontext.AppendQuote([]byte(`{"input":`), input)
	if err != nil {
		return input
	}
	return string(append(quoted, '}'))
}

func (m *message) result() transcript.Result {
	flag, fate := field.Status(string(m.Status))
	if marked := field.Flag(m.Error, m.IsError, m.MCPError); marked == transcript.FlagError || flag == transcript.FlagUnset {
		flag = marked
	}
	return transcript.Result{
		CallID:  m.CallID,
		Tool:    transcript.Tool(m.Name),
		Body:    m.Content.text,
		Flag:    flag,
		Fate:    fate,
		Variant: transcript.Variant(m.Variant),
	}
}
