package exchange

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/anthropic"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
)

// streamed is an event of a streamed message of Anthropic's.
type streamed struct {
	Type    string         `json:"type"`
	Index   int            `json:"index"`
	Message jsontext.Value `json:"message"`
	Block   jsontext.Value `json:"content_block"`
	Delta   blockDelta     `json:"delta"`
	Usage   *field.Usage   `json:"usage"`
}

type blockDelta struct {
	Text     field.Raw `json:"text"`
	Thinking field.Raw `json:"thinking"`
	Partial  field.Raw `json:"partial_json"`
}

// anthropicAnswer reads a message, or the events of a streamed one.
func (t *talk) anthropicAnswer(events []jsontext.Value) error {
	t.provider = "anthropic"
	var whole jsontext.Value
	var counted *field.Usage
	var blocks []*builtBlock
	byIndex := make(map[int]*builtBlock)
	for _, event := range events {
		var wire streamed
		if err := record.Unmarshal(event, &wire); err != nil {
			return err
		}
		counted = counted.Join(wire.Usage)
		switch wire.Type {
		case "message":
			whole = event
		case "message_start":
			whole = wire.Message
		case "content_block_start":
			block := &builtBlock{start: wire.Block}
			blocks, byIndex[wire.Index] = append(blocks, block), block
		case "content_block_delta":
			if block := byIndex[wire.Index]; block != nil {
				block.text.WriteString(wire.Delta.Text.Object())
				block.thinking.WriteString(wire.Delta.Thinking.Object())
				block.input.WriteString(wire.Delta.Partial.Object())
			}
		}
	}
	if whole.Kind() != '{' {
		return nil
	}
	var head struct {
		ID    string `json:"id"`
		Model string `json:"model"`
	}
	if err := record.Unmarshal(whole, &head); err != nil {
		return err
	}
	messages, err := anthropic.Decode(list(whole))
	if err != nil {
		return err
	}
	if len(blocks) > 0 {
		content := make([]jsontext.Value, len(blocks))
		for i, block := range blocks {
			content[i] = block.value()
		}
		built, err := anthropic.Decode(list(append(append(jsontext.Value(`{"role":"assistant","content":`), join(content)...), '}')))
		if err != nil {
			return err
		}
		built[0].Usage = messages[0].Usage
		messages = built
	}
	messages[0].ID, messages[0].Generation = "", ""
	messages[0].Usage = larger(counted.Tokens(), messages[0].Usage)
	t.id, t.answer = head.ID, messages
	if head.Model != "" {
		t.model = head.Model
	}
	return nil
}

// builtBlock is a block that is put together from events.
type builtBlock struct {
	start                 jsontext.Value
	text, thinking, input strings.Builder
}

// value gives the block. An input that is no JSON, since the stream was cut, is kept as text.
func (b *builtBlock) value() jsontext.Value {
	shape, err := record.ShapeOf(b.start)
	if err != nil || len(shape.Heads) == 0 {
		return jsontext.Value(`{"type":"text","text":""}`)
	}
	out := jsontext.Value{'{'}
	put := func(name string, value jsontext.Value) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, name)
		out = append(append(out, ':'), value...)
	}
	for _, member := range shape.First() {
		switch {
		case member.Name == "text" && b.text.Len() > 0, member.Name == "thinking" && b.thinking.Len() > 0,
			member.Name == "input" && b.input.Len() > 0:
		default:
			put(member.Name, member.Value)
		}
	}
	if b.text.Len() > 0 {
		put("text", quote(b.text.String()))
	}
	if b.thinking.Len() > 0 {
		put("thinking", quote(b.thinking.String()))
	}
	if input := b.input.String(); input != "" {
		value := jsontext.Value(input)
		if record.CheckDepth(value) != nil || !value.IsValid() {
			value = quote(input)
		}
		put("input", value)
	}
	return append(out, '}')
}

func quote(text string) jsontext.Value {
	value, err := json.Marshal(text, record.Options())
	if err != nil {
		return jsontext.Value(`""`)
	}
	return value
}
