package pi

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

type message struct {
	Role     string      `json:"role"`
	Time     field.Time  `json:"timestamp"`
	Content  content     `json:"content"`
	Provider string      `json:"provider"`
	Model    string      `json:"model"`
	Usage    usage       `json:"usage"`
	Stop     string      `json:"stopReason"`
	CallID   string      `json:"toolCallId"`
	IsError  field.Truth `json:"isError"`

	// A command that a person ran.
	Command   string      `json:"command"`
	Output    string      `json:"output"`
	ExitCode  *int        `json:"exitCode"`
	Cancelled field.Truth `json:"cancelled"`
}

type usage struct {
	Input      field.Count `json:"input"`
	Output     field.Count `json:"output"`
	CacheRead  field.Count `json:"cacheRead"`
	CacheWrite field.Count `json:"cacheWrite"`
}

// content is a text, or a list of blocks.
type content struct {
	text, thoughts string
	calls          []transcript.Call
}

type block struct {
	Type      string    `json:"type"`
	Text      string    `json:"text"`
	Thinking  string    `json:"thinking"`
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Arguments field.Raw `json:"arguments"`
}

// UnmarshalJSONFrom reads the content.
func (c *content) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '[' {
		var raw field.Raw
		err := raw.UnmarshalJSONFrom(decoder)
		c.text = raw.Object()
		return err
	}
	var blocks record.PartList[block]
	if err := json.UnmarshalDecode(decoder, &blocks); err != nil {
		return err
	}
	var texts, thoughts []string
	for i := range blocks {
		b := &blocks[i]
		switch b.Type {
		case "text":
			texts = append(texts, b.Text)
		case "thinking":
			thoughts = append(thoughts, b.Thinking)
		case "toolCall":
			if b.Name == "" {
				return dialect.Reject{
					Reason: dialect.ReasonMissingField, Pointer: "/" + strconv.Itoa(i) + "/name",
					Message: "a call names no tool; give the name that the model wrote",
				}
			}
			c.calls = append(c.calls, transcript.Call{ID: b.ID, Tool: transcript.Tool(b.Name), Arguments: b.Arguments.Object()})
		default:
			texts = append(texts, "["+b.Type+"]")
		}
	}
	c.text, c.thoughts = field.Lines(texts...), field.Lines(thoughts...)
	return nil
}

// Messages reads a list of messages as pi has them, for logs of programs that are built on it. Each becomes one message, so
// that positions stay what they are. Its error is a Reject whose place is relative to the list.
func Messages(list jsontext.Value) ([]transcript.Message, error) {
	return record.List(list, func(m *message) (transcript.Message, error) {
		out := transcript.Message{Role: transcript.RoleHarness, Time: m.Time.Time}
		err := m.convert(&out)
		return out, err
	})
}

// stopped tells whether a person stopped the generation.
func (m *message) stopped() bool { return m.Role == "assistant" && m.Stop == "aborted" }

// convert brings the message to the common words. A generation that was stopped before it said anything, or that the
// provider refused, is none: the person's stopping is all there is.
func (m *message) convert(out *transcript.Message) error {
	out.Text = m.Content.text
	switch m.Role {
	case "user":
		out.Role = transcript.RoleUser
		if field.Injected(out.Text) {
			out.Role = transcript.RoleHarness
		}
	case "assistant":
		tokens := transcript.Usage{
			Input: int64(m.Usage.Input), Output: int64(m.Usage.Output),
			CacheRead: int64(m.Usage.CacheRead), CacheWrite: int64(m.Usage.CacheWrite),
		}
		nothing := m.Content.text == "" && m.Content.thoughts == "" && len(m.Content.calls) == 0 && tokens.Total() == 0
		if nothing && m.Stop == "aborted" {
			out.Role, out.Text = transcript.RoleUser, "[aborted]"
			return nil
		}
		if nothing && m.Stop == "error" {
			return nil
		}
		out.Role, out.Reasoning, out.Calls = transcript.RoleAssistant, m.Content.thoughts, m.Content.calls
		out.Provider, out.Model = m.Provider, m.Model
		if tokens.Total() > 0 {
			out.Usage = &tokens
		}
	case "toolResult":
		out.Role, out.Text = transcript.RoleTool, ""
		result := transcript.Result{CallID: m.CallID, Body: m.Content.text, Flag: field.Flag(m.IsError)}
		if body := strings.TrimSpace(result.Body); body == "Command aborted" || body == "Operation aborted" || strings.HasSuffix(body, "\n\nCommand aborted") {
			result.Fate = transcript.FateCancelled
		}
		out.Results = []transcript.Result{result}
	case "bashExecution":
		command, err := jsontext.AppendQuote([]byte(`{"command":`), m.Command)
		if err != nil {
			command = []byte(`{"command":""`)
		}
		out.Role, out.Text = transcript.RoleUser, ""
		out.Calls = []transcript.Call{{Tool: "bash", Arguments: string(append(command, '}')), Actor: transcript.ByUser}}
		out.Results = []transcript.Result{{Tool: "bash", Body: m.Output, ExitCode: m.ExitCode, Actor: transcript.ByUser}}
	case "":
		return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/role", Message: "a message says no role; send the session as pi wrote it"}
	}
	return nil
}
