// Package bedrock reads messages in the words of Amazon Bedrock's Converse interface (API reference, types Message,
// ContentBlock, ToolUseBlock and ToolResultBlock): blocks that are told by the name of their only member. Amazon's own
// models take the same messages in InvokeModel.
package bedrock

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

type message struct {
	Role    string                 `json:"role"`
	Content record.PartList[block] `json:"content"`
}

type block struct {
	Text      *string     `json:"text"`
	Use       *toolUse    `json:"toolUse"`
	Result    *toolResult `json:"toolResult"`
	Reasoning *reasoning  `json:"reasoningContent"`
	Citations *citations  `json:"citationsContent"`
	media
}

// media are the members that are no text, of which only that they are there matters.
type media struct {
	Image    field.Truth `json:"image"`
	Document field.Truth `json:"document"`
	Video    field.Truth `json:"video"`
	Audio    field.Truth `json:"audio"`
}

type toolUse struct {
	ID    string    `json:"toolUseId"`
	Name  string    `json:"name"`
	Input field.Raw `json:"input"`
}

type toolResult struct {
	ID      string                 `json:"toolUseId"`
	Status  string                 `json:"status"`
	Content record.PartList[given] `json:"content"`
}

// given is one of the things that a tool gave: a text, JSON, or a document of some kind.
type given struct {
	Text *string   `json:"text"`
	JSON field.Raw `json:"json"`
	media
}

type reasoning struct {
	Text struct {
		Text string `json:"text"`
	} `json:"reasoningText"`
}

type citations struct {
	Content record.PartList[given] `json:"content"`
}

// Decode reads a list of messages. Every message of the list becomes one message, so that positions stay what they are.
// Its error is a Reject whose place is relative to the list.
func Decode(list jsontext.Value) ([]transcript.Message, error) {
	return record.List(list, (*message).convert)
}

// Is tells a list of such messages: their blocks say no type, and the first that says anything is a text, the use of a
// tool, or a result of one.
func Is(list jsontext.Value) bool {
	shape, _ := record.ShapeOf(list)
	for _, head := range shape.Heads {
		blocks, _ := record.ShapeOf(head.Get("content"))
		for _, b := range blocks.Heads {
			if b.Has("type") {
				return false
			}
			if b.Kind("text") == '"' || b.Kind("toolUse") == '{' || b.Kind("toolResult") == '{' {
				return true
			}
		}
	}
	return false
}

func (m *message) convert() (transcript.Message, error) {
	var out transcript.Message
	switch m.Role {
	case "assistant":
		out.Role = transcript.RoleAssistant
	case "user":
		out.Role = transcript.RoleUser
	case "system":
		out.Role = transcript.RoleSystem
	default:
		return out, dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/role",
			Message: strconv.Quote(m.Role) + " is no role of a Converse message; it is one of user, assistant, system",
		}
	}
	var texts, thoughts []string
	for i := range m.Content {
		b := &m.Content[i]
		switch {
		case b.Text != nil:
			texts = append(texts, *b.Text)
		case b.Use != nil:
			if b.Use.Name == "" {
				return out, dialect.Reject{
					Reason: dialect.ReasonMissingField, Pointer: "/content/" + strconv.Itoa(i) + "/toolUse/name",
					Message: "a tool use names no tool; give the name that the model wrote",
				}
			}
			out.Calls = append(out.Calls, transcript.Call{ID: b.Use.ID, Tool: transcript.Tool(b.Use.Name), Arguments: b.Use.Input.Object()})
		case b.Result != nil:
			out.Results = append(out.Results, b.Result.convert())
		case b.Reasoning != nil:
			thoughts = append(thoughts, b.Reasoning.Text.Text)
		case b.Citations != nil:
			texts = append(texts, bodyOf(b.Citations.Content))
		default:
			texts = append(texts, b.placeholder())
		}
	}
	out.Text, out.Reasoning = field.Lines(texts...), field.Lines(thoughts...)
	if out.Role == transcript.RoleUser {
		switch {
		case len(out.Results) > 0 && (out.Text == "" || field.Injected(out.Text)):
			out.Role = transcript.RoleTool
		case field.Injected(out.Text):
			out.Role = transcript.RoleHarness
		}
	}
	return out, nil
}

// convert reads a result. A status says whether the tool failed; only some models take one.
func (r *toolResult) convert() transcript.Result {
	out := transcript.Result{CallID: r.ID, Body: bodyOf(r.Content)}
	out.Flag, out.Fate = field.Status(r.Status)
	return out
}

// placeholder stands for what is no text.
func (m *media) placeholder() string {
	switch {
	case m.Image.State != transcript.Unset:
		return "[image]"
	case m.Document.State != transcript.Unset:
		return "[document]"
	case m.Video.State != transcript.Unset:
		return "[video]"
	case m.Audio.State != transcript.Unset:
		return "[audio]"
	}
	return ""
}

func bodyOf(list []given) string {
	texts := make([]string, 0, len(list))
	for i := range list {
		switch g := &list[i]; {
		case g.Text != nil:
			texts = append(texts, *g.Text)
		case !g.JSON.IsNull():
			texts = append(texts, g.JSON.Object())
		default:
			texts = append(texts, g.placeholder())
		}
	}
	return field.Lines(texts...)
}

// Usage is the token count of a response (type TokenUsage). Its input leaves the cache out, as its total shows where it
// is said; a total that leaves the cache out too says that the input includes it.
type Usage struct {
	Input      field.Count `json:"inputTokens"`
	Output     field.Count `json:"outputTokens"`
	Total      field.Count `json:"totalTokens"`
	CacheRead  field.Count `json:"cacheReadInputTokens"`
	CacheWrite field.Count `json:"cacheWriteInputTokens"`
}

// Tokens brings the counts to four disjoint kinds. Nil: nothing is counted.
func (u *Usage) Tokens() *transcript.Usage {
	if u == nil {
		return nil
	}
	input := u.Input
	if cached := u.CacheRead + u.CacheWrite; cached > 0 && u.Total == u.Input+u.Output && input >= cached {
		input -= cached
	}
	out := transcript.Usage{Input: int64(input), CacheRead: int64(u.CacheRead), CacheWrite: int64(u.CacheWrite), Output: int64(u.Output)}
	if out.Total() == 0 {
		return nil
	}
	return &out
}
