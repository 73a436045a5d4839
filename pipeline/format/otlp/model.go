package otlp

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// readModel reads what a generation read and said. Its error, a Reject, says what could not be read; all else is there.
func (it *item) readModel() error {
	it.usage = it.tokens()
	for _, e := range it.Events {
		if e.Name == operation || strings.HasPrefix(e.Name, "gen_ai.content.") {
			for name, v := range e.Attributes {
				if it.Attributes[name].kind == 0 {
					it.setAttribute(name, v)
				}
			}
		}
	}
	readers := []func() error{it.readCurrent, it.readIndexed, it.readEvents, it.readEventList, it.readPlain, it.readADK, it.readOpenInference}
	var failure error
	for _, read := range readers {
		if len(it.input) > 0 && len(it.output) > 0 {
			break
		}
		failure = cmp.Or(failure, read())
	}
	if text := it.Attributes.text("gen_ai.system_instructions"); text != "" {
		var parts segments
		if err := record.Unmarshal([]byte(asJSON(text)), &parts); err == nil {
			system, _ := parts.texts()
			it.input = append([]transcript.Message{{Role: transcript.RoleSystem, Text: system}}, it.input...)
		}
	}
	it.output = slices.DeleteFunc(it.output, func(m transcript.Message) bool {
		return m.Text == "" && m.Reasoning == "" && len(m.Calls) == 0
	})
	for i := range it.output {
		it.output[i].Role = transcript.RoleAssistant
	}
	return failure
}

func (it *item) setAttribute(name string, v value) {
	if it.Attributes == nil {
		it.Attributes = make(attributes)
	}
	it.Attributes[name] = v
}

// take keeps messages where none are known yet.
func (it *item) take(input, output []transcript.Message) {
	if len(it.input) == 0 {
		it.input = input
	}
	if len(it.output) == 0 {
		it.output = output
	}
}

// readCurrent reads the attributes of the current conventions.
func (it *item) readCurrent() error {
	input, err := readChats(it.Attributes.text("gen_ai.input.messages", "ai.prompt.messages"), "user")
	output, failure := readChats(it.Attributes.text("gen_ai.output.messages"), "assistant")
	if err != nil {
		err = record.Refuse(err).Within(0, "/gen_ai.input.messages")
	} else if failure != nil {
		err = record.Refuse(failure).Within(0, "/gen_ai.output.messages")
	}
	it.take(input, output)
	return err
}

// readPlain reads the two attributes of the first conventions, JSON or plain text each.
func (it *item) readPlain() error {
	input, err := readChats(it.Attributes.text("gen_ai.prompt"), "user")
	output, failure := readChats(it.Attributes.text("gen_ai.completion"), "assistant")
	it.take(input, output)
	return cmp.Or(err, failure)
}

// readIndexed reads attributes with the number of the message and of the call in their names: gen_ai.prompt.0.role.
func (it *item) readIndexed() error {
	it.take(it.indexed("gen_ai.prompt.", "user"), it.indexed("gen_ai.completion.", "assistant"))
	return nil
}

func (it *item) indexed(prefix, role string) []transcript.Message {
	var out []transcript.Message
	for _, m := range numbered(it.Attributes, prefix) {
		c := chat{Role: m["role"].text, ToolCallID: text(m["tool_call_id"].text)}
		c.Content = contentOf(m["content"].text)
		for _, call := range numbered(m, "tool_calls.") {
			c.ToolCalls = append(c.ToolCalls, toolCall{ID: text(call["id"].text), Name: call["name"].text, Arguments: text(call["arguments"].text)})
		}
		out = append(out, c.convert(role))
	}
	return out
}

func text(s string) field.Raw { return field.Raw{Text: s, Kind: '"'} }

// contentOf reads a content that is a text, or a list of parts as JSON text.
func contentOf(content string) segments {
	if strings.HasPrefix(content, "[{") {
		var parts segments
		if record.Unmarshal([]byte(content), &parts) == nil {
			return parts
		}
	}
	if content == "" {
		return nil
	}
	return segments{{bare: content}}
}

// readEvents reads the events of a span, one for each message.
func (it *item) readEvents() error {
	var input, output []transcript.Message
	var failure error
	for i := range it.Events {
		role, ok := eventRole(it.Events[i].Name)
		if !ok {
			continue
		}
		messages, err := it.Events[i].messages(role)
		failure = cmp.Or(failure, err)
		if it.Events[i].Name == choiceEvent {
			output = append(output, messages...)
		} else {
			input = append(input, messages...)
		}
	}
	it.take(input, output)
	return failure
}

// choiceEvent is the event of an answer; eventBody the attribute with the body of an event.
const (
	choiceEvent = "gen_ai.choice"
	eventBody   = "event.body"
)

// eventRole gives the role of the message that an event tells of.
func eventRole(name string) (string, bool) {
	switch name {
	case choiceEvent:
		return "assistant", true
	case "gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message":
		return strings.TrimSuffix(strings.TrimPrefix(name, "gen_ai."), ".message"), true
	}
	return "", false
}

// messages reads an event: its body stands as JSON in one attribute, or its members are attributes.
func (e *event) messages(role string) ([]transcript.Message, error) {
	if body := e.Attributes.text("gen_ai.event.content", eventBody); body != "" {
		return readChats(body, role)
	}
	var members []keyed
	for name, v := range e.Attributes {
		if v.kind == '"' && jsontext.Value(v.text).IsValid() && strings.ContainsAny(v.text[:1], "[{") {
			v.kind = jsontext.Value(v.text).Kind()
		}
		if name == "message" && v.kind != '{' {
			name = "content"
		}
		members = append(members, keyed{Key: name, Value: v})
	}
	slices.SortFunc(members, func(a, b keyed) int { return cmp.Compare(a.Key, b.Key) })
	return readChats(value{kind: '{', members: members}.written().text, role)
}

// readEventList reads the same events as one attribute that lists them.
func (it *item) readEventList() error {
	list := it.Attributes.text("events")
	if !strings.HasPrefix(list, "[") {
		return nil
	}
	var input, output []transcript.Message
	for unit, err := range record.Each([]byte(list), dialect.Array) {
		if err != nil {
			break
		}
		var c chat
		if err := record.Unmarshal(unit.Value, &c); err != nil {
			continue
		}
		role, ok := eventRole(c.Event)
		switch {
		case !ok:
		case c.Event == choiceEvent:
			output = append(output, c.convert(role))
		default:
			input = append(input, c.convert(role))
		}
	}
	it.take(input, output)
	return nil
}

// readADK reads the request and the response that Google's ADK writes.
func (it *item) readADK() error {
	var request struct {
		Contents jsontext.Value `json:"contents"`
		Config   struct {
			System field.Raw `json:"system_instruction"`
		} `json:"config"`
	}
	var response struct {
		Content jsontext.Value `json:"content"`
	}
	var input, output []transcript.Message
	if text := it.Attributes.text("gcp.vertex.agent.llm_request"); text != "" && record.Unmarshal([]byte(text), &request) == nil {
		input, _ = readChats(string(request.Contents), "user")
		if len(input) > 0 && request.Config.System.Kind == '"' {
			input = append([]transcript.Message{{Role: transcript.RoleSystem, Text: request.Config.System.Text}}, input...)
		}
	}
	if text := it.Attributes.text("gcp.vertex.agent.llm_response"); text != "" && record.Unmarshal([]byte(text), &response) == nil {
		output, _ = readChats(string(response.Content), "assistant")
	}
	it.take(input, output)
	return nil
}

// asJSON gives a text that is no JSON as a JSON string.
func asJSON(text string) string {
	if jsontext.Value(text).IsValid() {
		return text
	}
	quoted, _ := jsontext.AppendQuote(nil, text)
	return string(quoted)
}

// tokens reads the usage. By the conventions the input includes what was read from a cache and written to it; a library
// that excludes it gives itself away by a smaller input.
func (it *item) tokens() *transcript.Usage {
	a := it.Attributes
	input, _ := a.count("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens", "ai.usage.promptTokens", "llm.token_count.prompt")
	output, _ := a.count("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.usage.completion_tokens", "ai.usage.completionTokens", "llm.token_count.completion")
	read, _ := a.count("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
		"gen_ai.usage.details.cache_read_tokens", "gen_ai.usage.details.cache_read_input_tokens", "gen_ai.usage.details.cached_tokens",
		"llm.token_count.prompt_details.cache_read")
	write, _ := a.count("gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens",
		"gen_ai.usage.details.cache_write_tokens", "gen_ai.usage.details.cache_creation_input_tokens",
		"llm.token_count.prompt_details.cache_write")
	if input >= read+write {
		input -= read + write
	}
	usage := transcript.Usage{Input: input, CacheRead: read, CacheWrite: write, Output: output}
	if usage.Total() == 0 {
		return nil
	}
	return &usage
}
