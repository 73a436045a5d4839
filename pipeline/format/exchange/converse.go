package exchange

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/bedrock"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
)

// conversed is a response of Bedrock's Converse, or an event of ConverseStream under its name.
type conversed struct {
	Output struct {
		Message jsontext.Value `json:"message"`
	} `json:"output"`
	Usage *bedrock.Usage `json:"usage"`

	Start *struct {
		Role string `json:"role"`
	} `json:"messageStart"`
	BlockStart *struct {
		Index int `json:"contentBlockIndex"`
		Start struct {
			Use *struct {
				ID   string `json:"toolUseId"`
				Name string `json:"name"`
			} `json:"toolUse"`
		} `json:"start"`
	} `json:"contentBlockStart"`
	BlockDelta *struct {
		Index int           `json:"contentBlockIndex"`
		Delta converseDelta `json:"delta"`
	} `json:"contentBlockDelta"`
	Metadata *struct {
		Usage *bedrock.Usage `json:"usage"`
	} `json:"metadata"`
}

type converseDelta struct {
	Text string `json:"text"`
	Use  *struct {
		Input string `json:"input"`
	} `json:"toolUse"`
	Reasoning *struct {
		Text string `json:"text"`
	} `json:"reasoningContent"`
}

// isConverse tells a response of Converse, or one of the events that only ConverseStream has.
func isConverse(m dialect.Members) bool {
	if m.Kind("output") == '{' {
		output, _ := record.ShapeOf(m.Get("output"))
		return output.First().Kind("message") == '{'
	}
	return m.Kind("contentBlockDelta") == '{' || m.Kind("contentBlockStart") == '{' || m.Kind("messageStart") == '{'
}

// converseAnswer reads a response of Converse, or the events of one.
func (t *talk) converseAnswer(events []jsontext.Value) error {
	t.provider = "bedrock"
	var whole jsontext.Value
	var blocks []*builtConverse
	byIndex := make(map[int]*builtConverse)
	at := func(index int) *builtConverse {
		if byIndex[index] == nil {
			byIndex[index] = &builtConverse{}
			blocks = append(blocks, byIndex[index])
		}
		return byIndex[index]
	}
	var usage *bedrock.Usage
	for _, event := range events {
		var wire conversed
		if err := record.Unmarshal(event, &wire); err != nil {
			return err
		}
		switch {
		case wire.Output.Message.Kind() == '{':
			whole, usage = wire.Output.Message, wire.Usage
		case wire.BlockStart != nil:
			if use := wire.BlockStart.Start.Use; use != nil {
				b := at(wire.BlockStart.Index)
				b.tool, b.id, b.name = true, use.ID, use.Name
			}
		case wire.BlockDelta != nil:
			at(wire.BlockDelta.Index).add(&wire.BlockDelta.Delta)
		case wire.Metadata != nil:
			usage = wire.Metadata.Usage
		}
	}
	if whole == nil && len(blocks) == 0 {
		return nil
	}
	if whole == nil {
		content := make([]jsontext.Value, len(blocks))
		for i, b := range blocks {
			content[i] = b.value()
		}
		whole = append(append(jsontext.Value(`{"role":"assistant","content":`), join(content)...), '}')
	}
	messages, err := bedrock.Decode(list(whole))
	if err != nil {
		return record.Refuse(err).Within(0, "/output/message")
	}
	messages[0].Usage = usage.Tokens()
	t.answer = messages
	return nil
}

// builtConverse is a block that is put together from events.
type builtConverse struct {
	tool                    bool
	id, name                string
	text, thoughts, partial strings.Builder
}

func (b *builtConverse) add(d *converseDelta) {
	b.text.WriteString(d.Text)
	if d.Use != nil {
		b.partial.WriteString(d.Use.Input)
	}
	if d.Reasoning != nil {
		b.thoughts.WriteString(d.Reasoning.Text)
	}
}

// value gives the block. An input that is no JSON, since the stream was cut, is kept as text.
func (b *builtConverse) value() jsontext.Value {
	switch {
	case b.tool:
		input := jsontext.Value(b.partial.String())
		switch {
		case len(input) == 0:
			input = jsontext.Value("{}")
		case record.CheckDepth(input) != nil || !input.IsValid():
			input = quote(b.partial.String())
		}
		out := append(jsontext.Value(`{"toolUse":{"toolUseId":`), quote(b.id)...)
		out = append(append(out, `,"name":`...), quote(b.name)...)
		return append(append(append(out, `,"input":`...), input...), `}}`...)
	case b.thoughts.Len() > 0:
		return append(append(jsontext.Value(`{"reasoningContent":{"reasoningText":{"text":`), quote(b.thoughts.String())...), `}}}`...)
	}
	return append(append(jsontext.Value(`{"text":`), quote(b.text.String())...), '}')
}

// isEventStream tells Amazon's framing of events (media type application/vnd.amazon.eventstream): a length, that of the
// headers, and a checksum of both.
func isEventStream(body []byte) bool {
	const prelude = 8
	return len(body) >= prelude+4 && crc32.ChecksumIEEE(body[:prelude]) == binary.BigEndian.Uint32(body[prelude:])
}

// unframe gives the events of such a stream: those of ConverseStream each under its name, as clients hand them out, and
// of InvokeModelWithResponseStream what the model's own interface sent. Where the stream was cut, those before the cut.
func unframe(body []byte) ([]jsontext.Value, error) {
	reader := bytes.NewReader(body)
	decoder := eventstream.NewDecoder()
	var events []jsontext.Value
	for {
		message, err := decoder.Decode(reader, nil)
		if err == io.EOF || err != nil && len(events) > 0 {
			return events, nil
		}
		if err != nil {
			return nil, dialect.Reject{Reason: dialect.ReasonUnsupported, Message: "the response is no whole stream of events: " + err.Error()}
		}
		if len(events) == maxEvents {
			return nil, tooMany()
		}
		payload := jsontext.Value(message.Payload)
		if record.CheckDepth(payload) != nil || !payload.IsValid(record.Options()) {
			continue
		}
		name := ""
		if value := message.Headers.Get(":event-type"); value != nil {
			name = value.String()
		}
		if name == "chunk" {
			events = append(events, unwrap(payload)...)
			continue
		}
		event := append(jsontext.Value("{"), quote(name)...)
		events = append(events, append(append(append(event, ':'), payload...), '}'))
	}
}

// unwrap gives the event that a chunk holds as base64.
func unwrap(payload jsontext.Value) []jsontext.Value {
	var chunk struct {
		Bytes string `json:"bytes"`
	}
	if record.Unmarshal(payload, &chunk) != nil {
		return nil
	}
	inner, err := base64.StdEncoding.DecodeString(chunk.Bytes)
	if err != nil || record.CheckDepth(inner) != nil || !jsontext.Value(inner).IsValid(record.Options()) {
		return nil
	}
	return []jsontext.Value{inner}
}
