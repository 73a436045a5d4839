package exchange

import (
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/bedrock"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/envelope"
	"errata/pipeline/format/field"
	"errata/pipeline/format/gemini"
	"errata/pipeline/format/record"
	"errata/pipeline/format/responses"
	"errata/transcript"
)

// readHistory reads the conversation that a request repeats.
func (t *talk) readHistory(request dialect.Members) error {
	var messages []transcript.Message
	var system string
	var err error
	pointer := "/messages"
	switch {
	case request.Kind("contents") == '[':
		pointer = "/contents"
		system = systemOf(request.Get("systemInstruction"), request.Get("system_instruction"))
		messages, err = gemini.Decode(request.Get("contents"))
		t.provider = "google"
	case request.Kind("messages") == '[' && (request.Has("inferenceConfig") || request.Has("toolConfig") || bedrock.Is(request.Get("messages"))):
		system = systemOf(request.Get("system"))
		messages, err = bedrock.Decode(request.Get("messages"))
		t.provider = "bedrock"
	case request.Kind("messages") == '[':
		system = systemOf(request.Get("system"))
		messages, err = envelope.Messages(request.Get("messages"), t.provider)
		for i := range messages {
			messages[i].Generation = ""
		}
	case request.Has("input"):
		pointer = "/input"
		system, t.previous, t.provider = request.Text("instructions"), request.Text("previous_response_id"), "openai"
		if request.Kind("input") == '"' {
			messages = []transcript.Message{{Role: transcript.RoleUser, Text: request.Text("input")}}
			break
		}
		messages, err = responses.Decode(request.Get("input"))
		messages = fold(messages)
	default:
		return dialect.Reject{
			Reason:  dialect.ReasonMissingField,
			Message: "the request has no messages, input or contents; send it as it went to the model",
		}
	}
	if err != nil {
		return record.Refuse(err).Within(0, pointer)
	}
	if system != "" && t.previous == "" {
		messages = append([]transcript.Message{{Role: transcript.RoleSystem, Text: system}}, messages...)
	}
	t.history = messages
	return nil
}

// systemOf gives the text of a system prompt that stands beside the messages: a text, a list of texts, or a content.
func systemOf(values ...jsontext.Value) string {
	for _, value := range values {
		if len(value) == 0 {
			continue
		}
		switch value.Kind() {
		case '"':
			var text string
			if record.Unmarshal(value, &text) == nil {
				return text
			}
		case '[':
			return textsOf(value)
		case '{':
			shape, _ := record.ShapeOf(value)
			if parts := shape.First().Get("parts"); parts.Kind() == '[' {
				return textsOf(parts)
			}
		}
	}
	return ""
}

func textsOf(parts jsontext.Value) string {
	var texts []string
	for unit, err := range record.Each(parts, dialect.Array) {
		if err != nil || len(texts) == record.MaxParts {
			break
		}
		shape, _ := record.ShapeOf(unit.Value)
		texts = append(texts, shape.First().Text("text"))
	}
	return field.Lines(texts...)
}

// runID derives the name of a conversation from how it began, up to the model's first words: they stay the same in every
// later request, and the ids of calls in them tell conversations apart that began alike.
func (t *talk) runID() transcript.RunID {
	var pieces []string
	for _, messages := range [][]transcript.Message{t.history, t.answer} {
		for i := range messages {
			m := &messages[i]
			if m.Role == transcript.RoleSystem {
				continue
			}
			if m.Role != transcript.RoleAssistant {
				pieces = append(pieces, string(m.Role), squeeze(m.Text))
				continue
			}
			if first := firstWords(m); len(first) > 0 {
				return dialect.DeriveRunID("conversation", append(pieces, first...)...)
			}
		}
	}
	return ""
}

// firstWords gives what tells an answer from others: its calls, else its text; nothing for mere thoughts.
func firstWords(m *transcript.Message) []string {
	var words []string
	for i := range m.Calls {
		call := &m.Calls[i]
		if call.ID != "" {
			words = append(words, "call", call.ID)
			continue
		}
		words = append(words, "call", string(call.Tool), transcript.Canonical(call.Arguments).JSON)
	}
	if text := squeeze(withoutThoughts(m.Text)); len(words) == 0 && text != "" {
		words = append(words, "text", text)
	}
	return words
}

// withoutThoughts takes off what programs put before an answer when they repeat one whose thoughts came by themselves.
func withoutThoughts(text string) string {
	inner, found := strings.CutPrefix(strings.TrimSpace(text), "<think>")
	if _, rest, closed := strings.Cut(inner, "</think>"); found && closed {
		return rest
	}
	return text
}

// squeeze takes the white space out of a text: programs trim what they repeat.
func squeeze(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, text)
}
