package langsmith

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
)

// inputs are what a model was given: messages, a list of lists of them, or prompts of text.
type inputs struct {
	Messages jsontext.Value `json:"messages"`
	Prompts  []field.Raw    `json:"prompts"`
	Prompt   field.Raw      `json:"prompt"`
}

// outputs are what it gave: generations of LangChain, or a response in the words of a provider.
type outputs struct {
	Generations jsontext.Value `json:"generations"`
	Choices     []struct {
		Message *message `json:"message"`
	} `json:"choices"`
	Output   *message `json:"output"`
	LLM      llm      `json:"llm_output"`
	Counted  *usage   `json:"usage_metadata"`
	Provider *counts  `json:"usage"`
	message
}

type llm struct {
	Tokens *counts `json:"token_usage"`
	Usage  *counts `json:"usage"`
}

type generation struct {
	Text    string   `json:"text"`
	Message *message `json:"message"`
}

// message is a message as LangChain serialises it, with a constructor and its arguments or plain, or a provider's.
type message struct {
	ID         field.Raw             `json:"id"` // of a constructor, the path of its class
	Type       string                `json:"type"`
	Role       string                `json:"role"`
	Content    jsontext.Value        `json:"content"`
	ToolCalls  record.PartList[call] `json:"tool_calls"`
	Additional struct {
		ToolCalls record.PartList[call] `json:"tool_calls"`
	} `json:"additional_kwargs"`
	ToolCallID field.Raw `json:"tool_call_id"`
	Name       field.Raw `json:"name"`
	Status     string    `json:"status"`
	Usage      *usage    `json:"usage_metadata"`
	Kwargs     *message  `json:"kwargs"`
	Data       *message  `json:"data"` // of older serialisations
}

type call struct {
	ID       field.Raw `json:"id"`
	Name     string    `json:"name"`
	Args     field.Raw `json:"args"`
	Function struct {
		Name      string    `json:"name"`
		Arguments field.Raw `json:"arguments"`
	} `json:"function"`
}

// usage is LangChain's count: the input includes the cache.
type usage struct {
	Input   field.Count `json:"input_tokens"`
	Output  field.Count `json:"output_tokens"`
	Details struct {
		Read     field.Count `json:"cache_read"`
		Creation field.Count `json:"cache_creation"`
	} `json:"input_token_details"`
}

// counts are a provider's.
type counts struct{ field.Usage }

func (c *counts) usage() usage {
	var out usage
	if t := c.Tokens(); t != nil {
		out.Input, out.Output = field.Count(t.Input+t.CacheRead+t.CacheWrite), field.Count(t.Output)
		out.Details.Read, out.Details.Creation = field.Count(t.CacheRead), field.Count(t.CacheWrite)
	}
	return out
}

// chat is a message in the words that package otlp reads.
type chat struct {
	Role       string         `json:"role"`
	Content    jsontext.Value `json:"content,omitzero"`
	ToolCalls  []toolCall     `json:"tool_calls,omitempty"`
	ToolCallID string         `json:"tool_call_id,omitzero"`
	Name       string         `json:"name,omitzero"`
	Status     string         `json:"status,omitzero"`
}

type toolCall struct {
	ID        string `json:"id,omitzero"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// chats gives the messages of the inputs.
func (in *inputs) chats() []chat {
	var out []chat
	if in.Messages.Kind() == '[' {
		flat(in.Messages, func(m *message) { out = append(out, m.chat()) })
		return out
	}
	prompts := in.Prompts
	if in.Prompt.Kind == '"' {
		prompts = append(prompts, in.Prompt)
	}
	for _, p := range prompts {
		if quoted, err := jsontext.AppendQuote(nil, p.Object()); err == nil {
			out = append(out, chat{Role: "user", Content: quoted})
		}
	}
	return out
}

// flat gives the elements of a list, or of the first list within it: a request that was one of a batch.
func flat[T any](list jsontext.Value, each func(*T)) {
	if shape, _ := record.ShapeOf(list); len(shape.Heads) == 0 {
		for inner := range record.Elements(list) {
			if inner[0] == '[' {
				list = inner
			}
			break
		}
	}
	// What cannot be read is no message; the run's times and its error still count.
	_, _ = record.List(list, func(one *T) (struct{}, error) {
		each(one)
		return struct{}{}, nil
	})
}

// answer gives what the model said, nil where there is none. Of several the first is the conversation's.
func (out *outputs) answer() *message {
	var first *generation
	if out.Generations.Kind() == '[' {
		flat(out.Generations, func(g *generation) {
			if first == nil {
				first = g
			}
		})
	}
	switch {
	case first != nil && first.Message != nil:
		return first.Message
	case first != nil:
		quoted, _ := jsontext.AppendQuote(nil, first.Text) // was read from JSON, hence is a text
		return &message{Role: "assistant", Content: quoted}
	case len(out.Choices) > 0 && out.Choices[0].Message != nil:
		return out.Choices[0].Message
	case out.Output != nil && out.Output.plain().Content != nil:
		return out.Output
	case out.message.Content != nil && (out.message.Role != "" || out.message.Type != ""):
		return &out.message
	}
	return nil
}

// usage gives the count of the answer, wherever it stands.
func (out *outputs) usage(said *message) usage {
	switch {
	case said != nil && said.plain().Usage != nil:
		return *said.plain().Usage
	case out.Counted != nil:
		return *out.Counted
	case out.Provider != nil:
		return out.Provider.usage()
	case out.LLM.Tokens != nil:
		return out.LLM.Tokens.usage()
	case out.LLM.Usage != nil:
		return out.LLM.Usage.usage()
	}
	return usage{}
}

// plain gives the message within a constructor.
func (m *message) plain() *message {
	switch {
	case m.Kwargs != nil:
		return m.Kwargs
	case m.Data != nil:
		return m.Data
	}
	return m
}

func (m *message) chat() chat {
	p := m.plain()
	out := chat{Role: m.role(), Content: p.Content, ToolCallID: p.ToolCallID.Object(), Name: p.Name.Object(), Status: p.Status}
	calls := p.ToolCalls
	if len(calls) == 0 {
		calls = p.Additional.ToolCalls
	}
	for i := range calls {
		c := &calls[i]
		one := toolCall{ID: c.ID.Object(), Name: c.Name, Arguments: c.Args.Object()}
		if one.Name == "" {
			one.Name, one.Arguments = c.Function.Name, c.Function.Arguments.Object()
		}
		out.ToolCalls = append(out.ToolCalls, one)
	}
	if out.Role != "tool" {
		out.Status = ""
	}
	return out
}

// role gives who speaks: by the role, the type, or the class that the message is made of.
func (m *message) role() string {
	p := m.plain()
	kind := p.Role
	if kind == "" {
		kind = p.Type
	}
	if kind == "" || kind == "constructor" {
		kind = m.Type
	}
	if kind == "constructor" {
		class := strings.Trim(m.ID.Text, `"[]`)
		kind = class[strings.LastIndexByte(class, '"')+1:]
	}
	kind = strings.ToLower(kind)
	for _, known := range [][2]string{{"human", "user"}, {"user", "user"}, {"ai", "assistant"}, {"assistant", "assistant"}, {"system", "system"}, {"developer", "system"}, {"tool", "tool"}, {"function", "tool"}} {
		if strings.HasPrefix(kind, known[0]) {
			return known[1]
		}
	}
	return kind
}
