package exchange

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/field"
	"errata/pipeline/format/openai"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// completion is a chat completion, or a chunk of one.
type completion struct {
	ID      string                  `json:"id"`
	Model   string                  `json:"model"`
	Created field.Time              `json:"created"`
	Usage   *field.Usage            `json:"usage"`
	Choices record.PartList[choice] `json:"choices"`
}

type choice struct {
	Index   int            `json:"index"`
	Message jsontext.Value `json:"message"`
	Delta   *delta         `json:"delta"`
}

type delta struct {
	Content   field.Raw                 `json:"content"`
	Refusal   field.Raw                 `json:"refusal"`
	Thoughts  field.Raw                 `json:"reasoning_content"`
	Reasoning field.Raw                 `json:"reasoning"`
	ToolCalls record.PartList[callPart] `json:"tool_calls"`
	Function  *functionPart             `json:"function_call"`
}

type callPart struct {
	Index    *int          `json:"index"`
	ID       field.Raw     `json:"id"`
	Function *functionPart `json:"function"`
}

type functionPart struct {
	Name      field.Raw `json:"name"`
	Arguments field.Raw `json:"arguments"`
}

// chatAnswer reads a chat completion, or the chunks of one. Of several choices the first is the conversation's.
func (t *talk) chatAnswer(events []jsontext.Value) error {
	t.provider = "openai"
	var built chatMessage
	var whole jsontext.Value
	var counted *field.Usage
	for _, event := range events {
		var wire completion
		if err := record.Unmarshal(event, &wire); err != nil {
			return err
		}
		if wire.ID != "" {
			t.id = wire.ID
		}
		if wire.Model != "" {
			t.model = wire.Model
		}
		if !wire.Created.IsZero() {
			t.created = wire.Created.Time
		}
		counted = counted.Join(wire.Usage)
		for i := range wire.Choices {
			c := &wire.Choices[i]
			switch {
			case c.Index != 0:
			case c.Message.Kind() == '{':
				whole = c.Message
			case c.Delta != nil:
				built.add(c.Delta)
			}
		}
	}
	if whole == nil && built.started {
		whole = built.message()
	}
	if whole == nil {
		return nil
	}
	messages, err := openai.Decode(list(whole))
	if err != nil {
		return record.Refuse(err).Within(0, "/choices")
	}
	messages[0].ID, messages[0].Generation, messages[0].Role = "", "", transcript.RoleAssistant
	messages[0].Usage = larger(counted.Tokens(), messages[0].Usage)
	t.answer = messages
	return nil
}

// larger joins two counts of one generation.
func larger(a, b *transcript.Usage) *transcript.Usage {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	most := a.Max(*b)
	return &most
}

// chatMessage is put together from chunks.
type chatMessage struct {
	started                 bool
	text, refusal, thoughts strings.Builder
	calls                   []*builtCall
	byIndex                 map[int]*builtCall
	function                *builtCall
}

type builtCall struct {
	id, name  string
	arguments strings.Builder
}

func (m *chatMessage) add(d *delta) {
	m.started = true
	if d.Content.Kind == '"' {
		m.text.WriteString(d.Content.Text)
	}
	m.refusal.WriteString(d.Refusal.Object())
	m.thoughts.WriteString(d.Thoughts.Object())
	if d.Thoughts.IsNull() && d.Reasoning.Kind == '"' {
		m.thoughts.WriteString(d.Reasoning.Text)
	}
	for i := range d.ToolCalls {
		part := &d.ToolCalls[i]
		call := m.call(part)
		if id := part.ID.Object(); id != "" {
			call.id = id
		}
		call.add(part.Function)
	}
	if d.Function != nil {
		if m.function == nil {
			m.function = &builtCall{}
		}
		m.function.add(d.Function)
	}
}

// call gives the call that a chunk goes on with: that of its index, else that of its id, else the last one.
func (m *chatMessage) call(part *callPart) *builtCall {
	if part.Index != nil {
		if call := m.byIndex[*part.Index]; call != nil {
			return call
		}
	} else if n := len(m.calls); n > 0 && (part.ID.Object() == "" || m.calls[n-1].id == part.ID.Text) {
		return m.calls[n-1]
	}
	call := &builtCall{}
	m.calls = append(m.calls, call)
	if part.Index != nil {
		if m.byIndex == nil {
			m.byIndex = make(map[int]*builtCall)
		}
		m.byIndex[*part.Index] = call
	}
	return call
}

// add appends to a call. A name comes whole, and some gateways repeat it in every chunk.
func (c *builtCall) add(part *functionPart) {
	if part == nil {
		return
	}
	if name := part.Name.Object(); name != "" && name != c.name {
		c.name += name
	}
	c.arguments.WriteString(part.Arguments.Object())
}

// message gives the message that the chunks make. A call whose name never came is none.
func (m *chatMessage) message() jsontext.Value {
	type function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	type call struct {
		ID       string   `json:"id,omitzero"`
		Function function `json:"function"`
	}
	out := struct {
		Role      string    `json:"role"`
		Content   string    `json:"content"`
		Refusal   string    `json:"refusal,omitzero"`
		Thoughts  string    `json:"reasoning_content,omitzero"`
		ToolCalls []call    `json:"tool_calls,omitempty"`
		Function  *function `json:"function_call,omitzero"`
	}{Role: "assistant", Content: m.text.String(), Refusal: m.refusal.String(), Thoughts: m.thoughts.String()}
	for _, c := range m.calls {
		if c.name != "" {
			out.ToolCalls = append(out.ToolCalls, call{c.id, function{c.name, c.arguments.String()}})
		}
	}
	if m.function != nil && m.function.name != "" {
		out.Function = &function{m.function.name, m.function.arguments.String()}
	}
	value, err := json.Marshal(&out, record.Options())
	if err != nil {
		return nil // texts can always be written
	}
	return value
}
