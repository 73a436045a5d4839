package exchange

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
)

// maxEvents bounds the chunks of one response.
const maxEvents = 100_000

// eventsOf takes a response apart: one object, a list of chunks, lines of them, server-sent events, or Amazon's stream
// of events. What is no JSON
// among events is stepped over: pings, and the word that ends a stream.
func eventsOf(response []byte) ([]jsontext.Value, error) {
	if isEventStream(response) {
		return unframe(response)
	}
	response = bytes.TrimSpace(response)
	switch {
	case len(response) == 0:
		return nil, nil
	case response[0] == '"':
		var text string
		if err := record.Unmarshal(response, &text); err != nil || len(text) >= len(response) {
			return nil, err
		}
		return eventsOf([]byte(text))
	case response[0] == '[':
		return collect(response, dialect.Array)
	case response[0] == '{':
		shape, _ := record.ShapeOf(response)
		return collect(response, shape.Container)
	}
	var events []jsontext.Value
	for line := range bytes.Lines(response) {
		data, isData := bytes.CutPrefix(bytes.TrimSpace(line), []byte("data:"))
		data = bytes.TrimSpace(data)
		if !isData || len(data) == 0 || data[0] != '{' {
			continue
		}
		if record.CheckDepth(data) != nil || !jsontext.Value(data).IsValid(record.Options()) {
			continue
		}
		if len(events) == maxEvents {
			return nil, tooMany()
		}
		events = append(events, data)
	}
	return events, nil
}

func collect(response []byte, container dialect.Container) ([]jsontext.Value, error) {
	var events []jsontext.Value
	for unit, err := range record.Each(response, container) {
		if err != nil {
			return nil, err
		}
		if len(events) == maxEvents {
			return nil, tooMany()
		}
		events = append(events, unit.Value)
	}
	return events, nil
}

func tooMany() dialect.Reject {
	return dialect.Reject{Reason: dialect.ReasonTooLarge, Message: "the response has more chunks than any model sends; send it as the whole message"}
}
