package envelope

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
)

// Form is the way that a list of messages is written.
type Form string

// The forms.
const (
	OpenAI    Form = "openai"
	Anthropic Form = "anthropic"
	Gemini    Form = "gemini"
)

// FormOf tells the form of a list of messages by the first message that only one form can have. A list of nothing but
// texts is of the provider's form, else of OpenAI's, which gives the same messages as Anthropic's then.
func FormOf(list jsontext.Value, provider string) (Form, error) {
	for element, err := range record.Each(list, dialect.Array) {
		if err != nil {
			return "", err
		}
		if element.Value[0] != '{' {
			return "", element.Place(dialect.Reject{
				Reason:  dialect.ReasonWrongType,
				Message: "a message is a JSON object with a role; this is not one",
			})
		}
		form, err := formOfMessage(element.Value)
		if err != nil {
			return "", element.Place(record.Refuse(err))
		}
		if form != "" {
			return form, nil
		}
	}
	return formOfProvider(provider), nil
}

// formOfMessage gives the only form that a message can have, "" where there are several.
func formOfMessage(value jsontext.Value) (Form, error) {
	shape, err := record.ShapeOf(value)
	if err != nil {
		return "", err
	}
	message := shape.First()
	switch role := message.Text("role"); {
	case message.Has("parts") || role == "model":
		return Gemini, nil
	case role == "tool" || role == "function" || role == "developer":
		return OpenAI, nil
	case message.Kind("tool_calls") == '[' || message.Kind("function_call") == '{':
		return OpenAI, nil
	case message.Kind("content") == '[':
		return formOfBlocks(message.Get("content"))
	}
	return "", nil
}

func formOfBlocks(content jsontext.Value) (Form, error) {
	const most = 1000 // blocks that are looked at, so that telling the form costs little
	for block, err := range record.Each(content, dialect.Array) {
		if block.Index == most {
			break
		}
		if err != nil {
			return "", err
		}
		if block.Value[0] != '{' {
			continue
		}
		shape, err := record.ShapeOf(block.Value)
		if err != nil {
			return "", err
		}
		switch kind := shape.First().Text("type"); {
		case strings.HasSuffix(kind, "tool_use"), strings.HasSuffix(kind, "tool_result"), strings.HasSuffix(kind, "thinking"):
			return Anthropic, nil
		case kind == "image_url", kind == "input_audio", kind == "refusal":
			return OpenAI, nil
		}
	}
	return "", nil
}

func formOfProvider(provider string) Form {
	provider = strings.ToLower(provider)
	switch {
	case strings.Contains(provider, "anthropic"):
		return Anthropic
	case strings.Contains(provider, "gemini"), strings.Contains(provider, "google"), strings.Contains(provider, "vertex"):
		return Gemini
	default:
		return OpenAI
	}
}
