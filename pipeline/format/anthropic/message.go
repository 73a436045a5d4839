// Package anthropic reads Anthropic messages: content blocks of text, thinking, tool use and tool results, of tools
// that the client runs and of those that the provider runs itself.
package anthropic

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Message is one message as the provider defines it, with the fields that logs add. Other logs that embed such
// messages read them with it.
type Message struct {
	ID        string       `json:"id"`
	Role      string       `json:"role"`
	Model     string       `json:"model"`
	Content   Content      `json:"content"`
	Usage     *field.Usage `json:"usage"`
	Timestamp field.Time   `json:"timestamp"`
	Variant   string       `json:"variant"`
	ToolCalls field.Raw    `json:"tool_calls"`
}

// Decode reads a list of messages. Every message of the list becomes one message, so that positions stay what they are.
// Its error is a Reject whose place is relative to the list.
func Decode(list jsontext.Value) ([]transcript.Message, error) {
	return record.List(list, (*Message).Convert)
}

// Convert brings a message to the common words. Its error is a Reject whose place is relative to the message.
func (m *Message) Convert() (transcript.Message, error) {
	out := transcript.Message{
		ID:    m.ID,
		Time:  m.Timestamp.Time,
		Model: m.Model,
	}
	if !m.ToolCalls.IsNull() {
		return out, dialect.Reject{
			Reason: dialect.ReasonUnsupported, Pointer: "/tool_calls",
			Message: "tool_calls do not belong to Anthropic messages; send the thread in one provider's form",
		}
	}
	switch m.Role {
	case "system":
		out.Role = transcript.RoleSystem
	case "user":
		out.Role = transcript.RoleUser
	case "assistant":
		out.Role = transcript.RoleAssistant
		out.Generation = m.ID
		out.Usage = m.Usage.Tokens()
	case "":
		return out, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/role",
			Message: "a message says no role; give it one of user, assistant, system",
		}
	default:
		return out, dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/role",
			Message: strconv.Quote(m.Role) + " is no role of an Anthropic message; it is one of user, assistant, system",
		}
	}
	if err := m.blocks(&out); err != nil {
		return out, err
	}
	if out.Role == transcript.RoleUser {
		out.Role = userRole(&out)
	}
	return out, nil
}

// userRole tells who really speaks in a message of role user: a person, the tools, or the harness.
func userRole(out *transcript.Message) transcript.Role {
	injected := field.Injected(out.Text)
	switch {
	case len(out.Results) > 0 && (injected || out.Text == ""):
		return transcript.RoleTool
	case injected:
		return transcript.RoleHarness
	default:
		return transcript.RoleUser
	}
}

func (m *Message) blocks(out *transcript.Message) error {
	var texts, thoughts []string
	for i := range m.Content.Blocks {
		block := &m.Content.Blocks[i]
		switch {
		case block.isCall():
			if block.Name == "" {
				return dialect.Reject{
					Reason: dialect.ReasonMissingField, Pointer: "/content/" + strconv.Itoa(i) + "/name",
					Message: "a tool use names no tool; give the name that the model wrote",
				}
			}
			out.Calls = append(out.Calls, block.call())
		case block.isResult():
			out.Results = append(out.Results, block.result(transcript.Variant(m.Variant)))
		case block.Type == "thinking":
			thoughts = append(thoughts, block.Thinking)
		case block.Type == "redacted_thinking":
		case block.Type == "text" || block.Type == "":
			texts = append(texts, block.Text)
		default:
			texts = append(texts, "["+block.Type+"]")
		}
	}
	out.Text, out.Reasoning = field.Lines(texts...), field.Lines(thoughts...)
	return nil
}
