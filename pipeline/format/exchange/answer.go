package exchange

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/pipeline/format/responses"
	"errata/transcript"
)

// protocol is an interface of a provider.
type protocol string

// The interfaces.
const (
	chatCompletions protocol = "chat"
	openaiResponses protocol = "responses"
	anthropicAPI    protocol = "anthropic"
	geminiAPI       protocol = "gemini"
	converseAPI     protocol = "converse"
)

// protocolOf tells the interface that a response, or an event of one, is of; "" where it is of none.
func protocolOf(m dialect.Members) protocol {
	switch kind := m.Text("type"); {
	case m.Kind("choices") == '[':
		return chatCompletions
	case kind == "message" && m.Kind("content") == '[' && m.Text("role") == "assistant":
		return anthropicAPI
	case kind == "message_start", strings.HasPrefix(kind, "content_block_"), kind == "message_delta":
		return anthropicAPI
	case m.Text("object") == "response" && m.Kind("output") == '[':
		return openaiResponses
	case strings.HasPrefix(kind, "response."):
		return openaiResponses
	case m.Kind("candidates") == '[', m.Kind("usageMetadata") == '{':
		return geminiAPI
	case isConverse(m):
		return converseAPI
	}
	return ""
}

// readAnswer reads the events of a response. Those that are of no interface, errors above all, give no answer.
func (t *talk) readAnswer(events []jsontext.Value) error {
	for _, event := range events {
		shape, err := record.ShapeOf(event)
		if err != nil {
			return err
		}
		switch protocolOf(shape.First()) {
		case chatCompletions:
			return t.chatAnswer(events)
		case openaiResponses:
			return t.responsesAnswer(events)
		case anthropicAPI:
			return t.anthropicAnswer(events)
		case geminiAPI:
			return t.geminiAnswer(events)
		case converseAPI:
			return t.converseAnswer(events)
		}
	}
	return nil
}

// isSilent tells an answer that says nothing, as of a stream that broke off with an error.
func (t *talk) isSilent() bool {
	return !slices.ContainsFunc(t.answer, func(m transcript.Message) bool { return m.Text != "" || len(m.Calls) > 0 })
}

func anyFailed(events []jsontext.Value) bool {
	return slices.ContainsFunc(events, func(event jsontext.Value) bool {
		shape, _ := record.ShapeOf(event)
		return failed(shape.First())
	})
}

// failed tells what an interface says in the place of an answer: an error.
func failed(m dialect.Members) bool {
	kind := m.Kind("error")
	return kind == '{' || kind == '"' || m.Text("type") == "error" || m.Text("object") == "error" || m.Has("message", "__type")
}

// responsesAnswer reads a response of the Responses interface, or the events of one, the last of which hold it whole.
func (t *talk) responsesAnswer(events []jsontext.Value) error {
	t.provider = "openai"
	type response struct {
		ID      string         `json:"id"`
		Model   string         `json:"model"`
		Created field.Time     `json:"created_at"`
		Output  jsontext.Value `json:"output"`
		Usage   *field.Usage   `json:"usage"`
	}
	var whole response
	var items []jsontext.Value
	for _, event := range events {
		var wire struct {
			response
			Type     string         `json:"type"`
			Item     jsontext.Value `json:"item"`
			Response *response      `json:"response"`
		}
		if err := record.Unmarshal(event, &wire); err != nil {
			return err
		}
		switch {
		case wire.Type == "response.output_item.done":
			items = append(items, wire.Item)
		case wire.Response != nil:
			whole = *wire.Response
		case wire.Output.Kind() == '[':
			whole = wire.response
		}
	}
	if whole.Output.Kind() != '[' || len(items) > 0 && isEmptyList(whole.Output) {
		whole.Output = join(items)
	}
	messages, err := responses.Decode(whole.Output)
	if err != nil {
		return record.Refuse(err).Within(0, "/output")
	}
	t.id, t.created, t.answer, t.chains = whole.ID, whole.Created.Time, fold(messages), true
	t.countLast(whole.Usage.Tokens())
	if whole.Model != "" {
		t.model = whole.Model
	}
	for i := range t.answer {
		t.answer[i].ID = ""
	}
	return nil
}

// fold gives what the model thought to the message that follows it, and leaves out items that say nothing: programs
// leave both out of what they repeat, and positions must not depend on it.
func fold(messages []transcript.Message) []transcript.Message {
	kept := messages[:0]
	thoughts := ""
	for i := range messages {
		m := &messages[i]
		empty := m.Text == "" && len(m.Calls)+len(m.Results) == 0
		switch {
		case empty && m.Role == transcript.RoleAssistant:
			thoughts = field.Lines(thoughts, m.Reasoning)
			continue
		case empty && m.Role == transcript.RoleHarness:
			continue
		case m.Role == transcript.RoleAssistant:
			m.Reasoning, thoughts = field.Lines(thoughts, m.Reasoning), ""
		}
		kept = append(kept, *m)
	}
	return kept
}

// countLast gives the last message of the model what the generation used.
func (t *talk) countLast(usage *transcript.Usage) {
	for i := len(t.answer) - 1; i >= 0; i-- {
		if t.answer[i].Role == transcript.RoleAssistant {
			t.answer[i].Usage = usage
			return
		}
	}
}

func isEmptyList(value jsontext.Value) bool {
	return strings.TrimSpace(string(value[1:len(value)-1])) == ""
}

func join(values []jsontext.Value) jsontext.Value {
	out := jsontext.Value{'['}
	for i, value := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, value...)
	}
	return append(out, ']')
}
