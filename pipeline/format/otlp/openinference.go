package otlp

import (
	"slices"
	"strconv"
	"strings"

	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// readOpenInference reads the attributes of Arize's OpenInference, with the numbers of message, content and call in
// their names: llm.input_messages.0.message.tool_calls.0.tool_call.id.
func (it *item) readOpenInference() error {
	it.take(it.inferred("llm.input_messages.", "user"), it.inferred("llm.output_messages.", "assistant"))
	return nil
}

func (it *item) inferred(prefix, role string) []transcript.Message {
	var out []transcript.Message
	for _, m := range numbered(it.Attributes, prefix) {
		c := chat{Role: m["message.role"].text, ToolCallID: text(m["message.tool_call_id"].text), Name: text(m["message.name"].text)}
		if content := m["message.content"]; content.text != "" {
			c.Content = contentOf(content.text)
		}
		if len(c.Content) == 0 {
			for _, part := range numbered(m, "message.contents.") {
				kind := part["message_content.type"].text
				c.Content = append(c.Content, segment{Type: kind, Text: text(part["message_content.text"].text), object: true})
			}
		}
		for _, call := range numbered(m, "message.tool_calls.") {
			c.ToolCalls = append(c.ToolCalls, toolCall{
				ID: text(call["tool_call.id"].text), Name: call["tool_call.function.name"].text,
				Arguments: text(call["tool_call.function.arguments"].text),
			})
		}
		if name := m["message.function_call_name"].text; name != "" {
			c.ToolCalls = append(c.ToolCalls, toolCall{Name: name, Arguments: text(m["message.function_call_arguments_json"].text)})
		}
		out = append(out, c.convert(role))
	}
	return out
}

// numbered gives the attributes whose names have a number after a prefix, by that number, under what follows it.
func numbered(from map[string]value, prefix string) []map[string]value {
	members := make(map[int]map[string]value)
	var numbers []int
	for name, v := range from {
		rest, ok := strings.CutPrefix(name, prefix)
		number, member, more := strings.Cut(rest, ".")
		n, err := strconv.Atoi(number)
		if !ok || !more || err != nil || n < 0 {
			continue
		}
		if members[n] == nil {
			members[n] = make(map[string]value)
			numbers = append(numbers, n)
		}
		members[n][member] = v
	}
	slices.Sort(numbers)
	out := make([]map[string]value, len(numbers))
	for i, n := range numbers {
		out[i] = members[n]
	}
	return out
}

// unwrapToolMessage takes the content out of a tool's result that is a message of LangChain's, as its callbacks hand it
// on: with the call that it answers, and a status where the tool's error was caught.
func (c *called) unwrapToolMessage() {
	body := strings.TrimSpace(c.result.Body)
	if !strings.HasPrefix(body, "{") {
		return
	}
	m, ok := toolMessageOf(body)
	if !ok {
		return
	}
	if c.id == "" {
		c.id = m.CallID.Object()
	}
	text, whole := m.Content.texts()
	if whole {
		c.result.Body = text
	}
	flag, fate := field.Status(m.Status)
	if flag != transcript.FlagUnset && c.result.Flag != transcript.FlagError {
		c.result.Flag = flag
	}
	if fate != transcript.FateRan && c.result.Fate == transcript.FateRan {
		c.result.Fate = fate
	}
}

type toolMessage struct {
	Type    string    `json:"type"`
	Content segments  `json:"content"`
	CallID  field.Raw `json:"tool_call_id"`
	Status  string    `json:"status"`
}

// toolMessageOf tells such a message, bare, within output, or within the kwargs of its constructor.
func toolMessageOf(body string) (toolMessage, bool) {
	var wire struct {
		toolMessage
		Output *toolMessage `json:"output"`
		Kwargs *toolMessage `json:"kwargs"`
	}
	if record.CheckDepth([]byte(body)) != nil || record.Unmarshal([]byte(body), &wire) != nil {
		return toolMessage{}, false
	}
	for _, m := range []*toolMessage{&wire.toolMessage, wire.Output, wire.Kwargs} {
		if m != nil && (m.Type == "tool" || m == wire.Kwargs) && !m.CallID.IsNull() {
			return *m, true
		}
	}
	return toolMessage{}, false
}
