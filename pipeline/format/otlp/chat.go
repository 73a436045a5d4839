package otlp

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// chat is a message in any of the shapes that instrumentations write: the parts of the current conventions, the bodies
// of the older events, and the providers' own.
type chat struct {
	Event      string                    `json:"event.name"`
	Role       string                    `json:"role"`
	Parts      segments                  `json:"parts"`
	Content    segments                  `json:"content"`
	ToolCalls  record.PartList[toolCall] `json:"tool_calls"`
	ID         field.Raw                 `json:"id"`
	ToolCallID field.Raw                 `json:"tool_call_id"`
	Name       field.Raw                 `json:"name"`
	Status     field.Raw                 `json:"status"`  // of a tool's message, as LangChain has it
	Message    *chat                     `json:"message"` // in a choice
}

type toolCall struct {
	ID        field.Raw `json:"id"`
	Name      string    `json:"name"`
	Arguments field.Raw `json:"arguments"`
	Function  *struct {
		Name      string    `json:"name"`
		Arguments field.Raw `json:"arguments"`
	} `json:"function"`
}

// segments are a list of parts, one part, or a bare text.
type segments []segment

type segment struct {
	Type      string      `json:"type"`
	Content   segments    `json:"content"`
	Text      field.Raw   `json:"text"`
	Thinking  field.Raw   `json:"thinking"`
	Thought   field.Truth `json:"thought"`
	ID        field.Raw   `json:"id"`
	CallID    field.Raw   `json:"tool_call_id"`
	ToolUseID field.Raw   `json:"tool_use_id"`
	Name      string      `json:"name"`
	Arguments field.Raw   `json:"arguments"`
	Input     field.Raw   `json:"input"`
	Response  field.Raw   `json:"response"`
	Result    field.Raw   `json:"result"`
	IsError   field.Truth `json:"is_error"`
	Call      *function   `json:"functionCall"`
	Answer    *function   `json:"functionResponse"`
	SnakeCall *function   `json:"function_call"`
	SnakeBack *function   `json:"function_response"`
	Use       *converse   `json:"toolUse"`
	Back      *converse   `json:"toolResult"`

	object bool   // it is a part, and not
	bare   string // a text in the place of one
}

type function struct {
	ID       field.Raw `json:"id"`
	Name     string    `json:"name"`
	Args     field.Raw `json:"args"`
	Response field.Raw `json:"response"`
}

// converse is a tool's use or result as Bedrock's Converse has them.
type converse struct {
	ID      field.Raw `json:"toolUseId"`
	Name    string    `json:"name"`
	Input   field.Raw `json:"input"`
	Content field.Raw `json:"content"`
	Status  string    `json:"status"`
}

// bodyOf gives what a tool gave back as the model reads it: of a list of texts, the texts.
func bodyOf(raw field.Raw) string {
	if raw.Kind == '[' {
		var parts segments
		if record.Unmarshal([]byte(raw.Text), &parts) == nil {
			if text, whole := parts.texts(); whole {
				return text
			}
		}
	}
	return raw.Object()
}

// UnmarshalJSONFrom reads parts.
func (p *segments) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	switch decoder.PeekKind() {
	case '[':
		list, err := record.Parts[segment](decoder)
		*p = list
		return err
	case 'n':
		return decoder.SkipValue()
	default:
		var one segment
		err := json.UnmarshalDecode(decoder, &one)
		*p = segments{one}
		return err
	}
}

// UnmarshalJSONFrom reads an object, or any other value as a text.
func (p *segment) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '{' {
		var raw field.Raw
		err := json.UnmarshalDecode(decoder, &raw)
		p.bare = raw.Object()
		return err
	}
	type plain segment
	p.object = true
	return json.UnmarshalDecode(decoder, (*plain)(p))
}

// texts joins the texts of parts. It tells whether there is nothing else among them.
func (p segments) texts() (string, bool) {
	texts := make([]string, 0, len(p))
	for i := range p {
		part := &p[i]
		switch {
		case !part.object:
			texts = append(texts, part.bare)
		case part.Type == "text" || (part.Type == "" && !part.Text.IsNull()):
			inner, _ := part.Content.texts()
			texts = append(texts, field.Lines(part.Text.Object(), inner))
		default:
			return "", false
		}
	}
	return field.Lines(texts...), true
}

// readChats reads a list of messages that stands as JSON text. Where it was cut short, as limits of attribute lengths
// do, those before the cut are given with a Reject.
func readChats(text, role string) ([]transcript.Message, error) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return nil, nil
	}
	switch trimmed[0] {
	case '{':
		m, err := readChat(trimmed, role)
		if err != nil {
			return nil, err
		}
		return []transcript.Message{m}, nil
	case '[':
	default:
		return []transcript.Message{{Role: roleOf(role, ""), Text: text}}, nil
	}
	var out []transcript.Message
	for unit, err := range record.Each([]byte(trimmed), dialect.Array) {
		if err != nil {
			return out, dialect.Reject{
				Reason: dialect.ReasonMalformedJSON, Pointer: "/" + strconv.Itoa(len(out)),
				Message: "the list of messages is no whole JSON; raise the limit of the length of attributes",
			}
		}
		m, err := readChat(string(unit.Value), role)
		if err != nil {
			return out, record.Refuse(err).Within(0, unit.Pointer)
		}
		out = append(out, m)
	}
	return out, nil
}

func readChat(text, role string) (transcript.Message, error) {
	if text[0] != '{' {
		var raw field.Raw
		err := record.Unmarshal([]byte(text), &raw)
		return transcript.Message{Role: roleOf(role, ""), Text: raw.Object()}, err
	}
	var c chat
	if err := record.Unmarshal([]byte(text), &c); err != nil {
		return transcript.Message{}, err
	}
	return c.convert(role), nil
}

// convert brings a message to the common words. Role is that of a message that does not say its own.
func (c *chat) convert(role string) transcript.Message {
	if c.Message != nil && c.Role == "" && len(c.Parts)+len(c.Content) == 0 {
		inner := *c.Message
		if len(inner.ToolCalls) == 0 {
			inner.ToolCalls = c.ToolCalls // beside the message, as some libraries write them
		}
		c = &inner
	}
	m := transcript.Message{Role: roleOf(c.Role, role)}
	if m.Role == transcript.RoleTool && len(c.Parts) == 0 {
		id := c.ToolCallID.Object()
		if id == "" {
			id = c.ID.Object()
		}
		text, whole := c.Content.texts()
		if whole {
			r := result(id, c.Name.Object(), text, nil)
			if c.Status.Kind == '"' {
				r.Flag, r.Fate = field.Status(c.Status.Text)
			}
			m.Results = append(m.Results, r)
			return m
		}
	}
	var texts, thoughts []string
	for _, list := range []segments{c.Parts, c.Content} {
		for i := range list {
			text, thought := list[i].add(&m)
			texts, thoughts = append(texts, text), append(thoughts, thought)
		}
	}
	for i := range c.ToolCalls {
		t := &c.ToolCalls[i]
		name, arguments := t.Name, t.Arguments
		if t.Function != nil {
			name, arguments = t.Function.Name, t.Function.Arguments
		}
		id := t.ID.Object()
		told := id != "" && slices.ContainsFunc(m.Calls, func(c transcript.Call) bool { return c.ID == id }) // by a part
		if name != "" && !told {
			m.Calls = append(m.Calls, transcript.Call{ID: t.ID.Object(), Tool: transcript.Tool(name), Arguments: arguments.Object()})
		}
	}
	for i := range m.Calls {
		m.Calls[i].Arguments = plainArguments(m.Calls[i].Arguments)
	}
	m.Text, m.Reasoning = field.Lines(texts...), field.Lines(thoughts...)
	if m.Role == transcript.RoleUser {
		switch {
		case len(m.Results) > 0 && m.Text == "":
			m.Role = transcript.RoleTool
		case field.Injected(m.Text):
			m.Role = transcript.RoleHarness
		}
	}
	if len(m.Calls) > 0 && m.Role != transcript.RoleAssistant {
		m.Role = transcript.RoleAssistant // whoever says it, calls are the model's
	}
	return m
}

// add adds what a part holds: calls and results to the message, or else a text or a thought.
func (p *segment) add(m *transcript.Message) (text, thought string) {
	call, answer := p.Call, p.Answer
	if call == nil {
		call = p.SnakeCall
	}
	if answer == nil {
		answer = p.SnakeBack
	}
	inner, _ := p.Content.texts()
	switch {
	case !p.object:
		return p.bare, ""
	case call != nil && call.Name != "":
		m.Calls = append(m.Calls, transcript.Call{ID: call.ID.Object(), Tool: transcript.Tool(call.Name), Arguments: call.Args.Object()})
	case answer != nil:
		m.Results = append(m.Results, result(answer.ID.Object(), answer.Name, answer.Response.Object(), nil))
	case p.Use != nil && p.Use.Name != "":
		m.Calls = append(m.Calls, transcript.Call{ID: p.Use.ID.Object(), Tool: transcript.Tool(p.Use.Name), Arguments: p.Use.Input.Object()})
	case p.Back != nil:
		r := result(p.Back.ID.Object(), "", bodyOf(p.Back.Content), nil)
		r.Flag, r.Fate = field.Status(p.Back.Status)
		m.Results = append(m.Results, r)
	case strings.HasSuffix(p.Type, "tool_call"), strings.HasSuffix(p.Type, "tool_use"):
		if p.Name != "" {
			m.Calls = append(m.Calls, transcript.Call{ID: p.ID.Object(), Tool: transcript.Tool(p.Name), Arguments: first(p.Arguments, p.Input)})
		}
	case strings.HasSuffix(p.Type, "tool_call_response"), strings.HasSuffix(p.Type, "tool_result"):
		m.Results = append(m.Results, result(first(p.ID, p.CallID, p.ToolUseID), p.Name, p.body(), &p.IsError))
	case p.Type == "reasoning", p.Type == "thinking", p.Thought.State == transcript.True:
		return "", field.Lines(p.Thinking.Object(), inner, p.Text.Object())
	case p.Type == "text", p.Type == "" && (inner != "" || !p.Text.IsNull()):
		return field.Lines(p.Text.Object(), inner), ""
	case p.Type != "":
		return "[" + p.Type + "]", ""
	}
	return "", ""
}

// body gives what a part of a tool's result holds.
func (p *segment) body() string {
	switch {
	case !p.Response.IsNull():
		return bodyOf(p.Response)
	case !p.Result.IsNull():
		return bodyOf(p.Result)
	}
	text, _ := p.Content.texts()
	return text
}

func first(values ...field.Raw) string {
	for _, v := range values {
		if text := v.Object(); text != "" {
			return text
		}
	}
	return ""
}

func result(id, tool, text string, failed *field.Truth) transcript.Result {
	r := transcript.Result{CallID: id, Tool: transcript.Tool(tool), Body: text}
	if failed != nil {
		r.Flag = field.Flag(*failed)
	}
	return r
}

// roleOf reads a role; fallback is that of the place where the message stands.
func roleOf(role, fallback string) transcript.Role {
	if role == "" {
		role = fallback
	}
	switch strings.ToLower(role) {
	case "system", "developer", "instruction", "instructions":
		return transcript.RoleSystem
	case "assistant", "model", "ai", "bot":
		return transcript.RoleAssistant
	case "tool", "function":
		return transcript.RoleTool
	case "user", "human", "customer":
		return transcript.RoleUser
	}
	return transcript.RoleHarness
}
