// Package gatewaylog reads what gateways and proxies log of the traffic between programs and models: records of one
// request and its response each, in the words of OpenAI's chat completions and Responses interfaces, of Anthropic's
// messages, of Gemini's contents and of Bedrock's Converse, streamed or whole. Bedrock's own log of model invocations is
// one of them. Their requests and responses are specified by the providers;
// the frame around them is each gateway's own, so that it is told by what it holds.
package gatewaylog

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/exchange"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:   "gateway-log",
	Title:  "Requests and responses of models",
	Source: "logs of gateways: OpenAI chat completions and Responses, Anthropic Messages, Gemini generateContent, Bedrock Converse and model invocation logging",
	Unit:   dialect.UnitWhole,
	Detect: func(shape dialect.Shape) bool {
		_, found := frameOf(shape.First())
		return found
	},
	Decode: piece.Decode(decode),
	Split:  split,
}

// split leaves histories whole: they overlap, and what they have in common tells how they fit.
func split(in dialect.Input, most int) ([]dialect.Part, []dialect.Reject) {
	const whole = 4 << 20
	return piece.SplitWhole(decode)(in, max(most, whole))
}

// frame is where a record has its request and its response.
type frame struct{ request, response jsontext.Value }

// frameOf finds the request and the response of a record: side by side, each in a body of its own or not, or the
// response among the members of the request, or a request alone.
func frameOf(m dialect.Members) (frame, bool) {
	if m.Text("schemaType") == "ModelInvocationLog" {
		return bedrockFrame(m), true
	}
	if request, found := bodyOf(m, []string{"request", "request_body", "requestBody", "req"}); found && isRequest(request) {
		response, _ := bodyOf(m, []string{"response", "response_body", "responseBody", "res"})
		return frame{request, response}, true
	}
	if !exchange.IsRequest(m) || m.Has("schema") {
		return frame{}, false
	}
	if response, found := bodyOf(m, []string{"response", "response_body", "responseBody"}); found && isResponse(response) {
		return frame{response: response}, true
	}
	if !m.Has("model") || m.Has("session_id") || m.Has("session_start") {
		return frame{}, false // the latter are sessions that programs keep in a form of their own
	}
	for _, name := range []string{"tools", "stream", "max_tokens", "max_completion_tokens", "max_output_tokens", "temperature", "tool_choice", "generationConfig"} {
		if m.Has(name) {
			return frame{}, true
		}
	}
	return frame{}, false
}

// bedrockFrame is where Amazon Bedrock's log of model invocations has them. Bodies that are large lie beside the log.
func bedrockFrame(m dialect.Members) frame {
	inner := func(name, body string) jsontext.Value {
		shape, _ := record.ShapeOf(orEmpty(m.Get(name)))
		return shape.First().Get(body)
	}
	return frame{inner("input", "inputBodyJson"), inner("output", "outputBodyJson")}
}

// bodyOf finds a member by one of its names, and the body within it.
func bodyOf(m dialect.Members, names []string) (jsontext.Value, bool) {
	for _, name := range names {
		value := m.Get(name)
		if len(value) == 0 || value.Kind() == 'n' {
			continue
		}
		if value.Kind() == '{' {
			shape, _ := record.ShapeOf(value)
			for _, inner := range []string{"body", "parsed_body", "json", "data"} {
				if body := shape.First().Get(inner); len(body) > 0 && body.Kind() != 'n' && !exchange.IsRequest(shape.First()) {
					return unquoted(body), true
				}
			}
		}
		return unquoted(value), true
	}
	return nil, false
}

// unquoted gives the JSON that stands in a string, where it does.
func unquoted(value jsontext.Value) jsontext.Value {
	if value.Kind() != '"' {
		return value
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return value
	}
	return text
}

func isRequest(value jsontext.Value) bool {
	shape, _ := record.ShapeOf(value)
	return exchange.IsRequest(shape.First())
}

// isResponse tells a response from what other programs keep under that name. What is no object is told by its events.
func isResponse(value jsontext.Value) bool {
	shape, _ := record.ShapeOf(value)
	if len(shape.Heads) == 0 {
		return len(value) > 0 && value[0] != '{' && value[0] != '['
	}
	return exchange.IsResponse(shape.First()) || shape.First().Has("error")
}

func decode(in dialect.Input) (dialect.Output, error) {
	shape, err := record.ShapeOf(in.Value)
	if err != nil && len(shape.Heads) == 0 {
		return dialect.Output{}, err
	}
	first, err := strconv.Atoi(in.Headers[dialect.HeaderFirstLine])
	if err != nil || first < 1 {
		first = 1
	}
	book := exchange.NewBook()
	var out dialect.Output
	for unit, err := range record.Each(in.Value, shape.Container) {
		var reject dialect.Reject
		if err != nil {
			reject = record.Refuse(err)
		} else if err = read(book, unit.Value); err != nil {
			reject = unit.Place(record.Refuse(err))
		}
		if err == nil {
			continue
		}
		if reject.Line > 0 {
			reject.Line += first - 1
		}
		out.Rejects = append(out.Rejects, reject)
	}
	out.Fragments = book.Fragments()
	return out, nil
}

// read adds one record.
func read(book *exchange.Book, value []byte) error {
	shape, err := record.ShapeOf(value)
	if err != nil {
		return err
	}
	members := shape.First()
	f, found := frameOf(members)
	if !found {
		return dialect.Reject{
			Reason:  dialect.ReasonMissingField,
			Message: "the record holds no request to a model that is known; log the body of the request, and beside it that of the response",
		}
	}
	switch {
	case f.request == nil && members.Has("schemaType"):
		return dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/input/inputBodyJson",
			Message: "the invocation has no body beside it; large bodies lie in files of their own, which inputBodyS3Path names",
		}
	case f.request == nil:
		f.request = value
	}
	e := exchange.Exchange{Request: f.request, Response: f.response}
	// A trace_id is none of these: most gateways give every request one of its own, by which each history would be a run.
	e.Run = transcript.RunID(named(members, "run_id", "session_id", "sessionId", "conversation_id", "conversationId", "thread_id"))
	e.Time = timeOf(members)
	e.Meta.Model = members.Text("modelId")
	e.Meta.Agent = named(members, "agent", "agent_name", "app", "application")
	return book.Add(e)
}

// named gives the first of some members that is a string, of the record or of its metadata.
func named(m dialect.Members, names ...string) string {
	metadata, _ := record.ShapeOf(orEmpty(m.Get("metadata")))
	for _, members := range []dialect.Members{m, metadata.First()} {
		for _, name := range names {
			if text := members.Text(name); text != "" {
				return text
			}
		}
	}
	return ""
}

func orEmpty(value jsontext.Value) jsontext.Value {
	if value.Kind() != '{' {
		return jsontext.Value("{}")
	}
	return value
}

// timeOf gives the time of a record, that of its response where it says both. What is no time is none.
func timeOf(m dialect.Members) time.Time {
	for _, name := range []string{"end_time", "endTime", "timestamp", "time", "ts", "created_at", "start_time", "startTime"} {
		var at field.Time
		if value := m.Get(name); len(value) > 0 && record.Unmarshal(value, &at) == nil && !at.IsZero() {
			return at.Time
		}
	}
	return time.Time{}
}
