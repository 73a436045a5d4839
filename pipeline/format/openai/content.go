package openai

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
)

// content is what a message says: a text, or a list of parts. A tool message may hold any JSON value.
type content struct {
	text      string
	reasoning string
	kind      jsontext.Kind
}

type part struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Refusal  string `json:"refusal"`
	Thinking string `json:"thinking"`
}

// UnmarshalJSONFrom reads the content.
func (c *content) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	c.kind = decoder.PeekKind()
	if c.kind == '[' {
		return c.parts(decoder)
	}
	var raw field.Raw
	if err := raw.UnmarshalJSONFrom(decoder); err != nil {
		return err
	}
	c.text = raw.Object()
	return nil
}

func (c *content) parts(decoder *jsontext.Decoder) error {
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	var texts, thoughts []string
	for decoder.PeekKind() != ']' {
		if len(texts) == record.MaxParts {
			return dialect.Reject{Reason: dialect.ReasonTooLarge, Message: "the content has more parts than any message; split it"}
		}
		text, thought, err := readPart(decoder)
		if reject, ok := err.(dialect.Reject); ok {
			return reject.Within(0, "/"+strconv.Itoa(len(texts)))
		}
		if err != nil {
			return err
		}
		texts = append(texts, text)
		thoughts = append(thoughts, thought)
	}
	c.text, c.reasoning = field.Lines(texts...), field.Lines(thoughts...)
	_, err := decoder.ReadToken()
	return err
}

// readPart gives the text and the reasoning of one part. What is no text leaves its type in its place.
func readPart(decoder *jsontext.Decoder) (text, thought string, err error) {
	if decoder.PeekKind() == '"' {
		err = json.UnmarshalDecode(decoder, &text)
		return text, "", err
	}
	if decoder.PeekKind() != '{' {
		return partOfAnyKind(decoder)
	}
	var read part
	if err := json.UnmarshalDecode(decoder, &read); err != nil {
		return "", "", err
	}
	switch read.Type {
	case "text", "input_text", "output_text", "":
		return read.Text, "", nil
	case "refusal":
		return read.Refusal, "", nil
	case "thinking", "reasoning":
		return "", field.Lines(read.Thinking, read.Text), nil
	case "tool_use", "tool_result":
		return "", "", dialect.Reject{
			Reason:  dialect.ReasonUnsupported,
			Message: "a part of type " + read.Type + " does not belong to chat messages; send the thread in one provider's form",
		}
	default:
		return "[" + read.Type + "]", "", nil
	}
}

// partOfAnyKind keeps a value that is no part, as tools return lists of numbers.
func partOfAnyKind(decoder *jsontext.Decoder) (text, thought string, err error) {
	value, err := decoder.ReadValue()
	return record.Compact(value), "", err
}

// check refuses content that a message of this role cannot have.
func (c content) check(role string) error {
	switch c.kind {
	case 0, 'n', '"', '[':
		return nil
	}
	if role == "tool" || role == "function" {
		return nil
	}
	return dialect.Reject{
		Reason: dialect.ReasonWrongType, Pointer: "/content",
		Message: "the content of a " + strconv.Quote(role) + " message is a string or a list of parts",
	}
}

// reasoning is text; gateways that send objects in its place are passed over.
type reasoning string

// UnmarshalJSONFrom reads the text.
func (r *reasoning) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	return stringOnly(decoder, (*string)(r))
}

// status is a word; other values in its place say nothing that is known.
type status string

// UnmarshalJSONFrom reads the word.
func (s *status) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	return stringOnly(decoder, (*string)(s))
}

func stringOnly(decoder *jsontext.Decoder, target *string) error {
	if decoder.PeekKind() != '"' {
		return decoder.SkipValue()
	}
	token, err := decoder.ReadToken()
	if err != nil {
		return err
	}
	*target = token.String()
	return nil
}
