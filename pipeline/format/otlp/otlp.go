// Package otlp reads OpenTelemetry traces of generative AI as OTLP JSON, the way the OpenTelemetry Collector's Kafka and
// file exporters write them: requests of resourceSpans, scopeSpans and spans, one or several to an input.
//
// Names of attributes and events are those of OpenTelemetry's semantic conventions for generative AI, the current ones
// (gen_ai.input.messages, gen_ai.tool.call.arguments) and those before version 1.37 (events for each message,
// gen_ai.prompt, gen_ai.system), of OpenLLMetry (gen_ai.prompt.0.content), of Google's ADK (gcp.vertex.agent), of
// Pydantic AI, Strands and the Vercel AI SDK.
//
// A run is a conversation where the spans name one (gen_ai.conversation.id), else a trace. Every request to a model
// repeats the history of its conversation: its messages are known by what they say, and each follows the one before it,
// so that what many spans repeat is there once, and the spans of other agents in the same trace are branches beside it.
// The span of a tool's execution is joined to its call by the call's id, else to one that the record shows to be meant.
//
// Three things are known only from spans that come in one input: which conversation a trace is of where not every span
// names it, that a span is the sum or the repetition of those within it, and, where content is not captured, which
// generation made a call. A collector that groups spans by trace keeps them together.
package otlp

import (
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:   "otlp",
	Title:  "OpenTelemetry GenAI spans, OTLP JSON",
	Source: "OpenTelemetry protocol 1.x, JSON encoding; semantic conventions for generative AI 1.27 to 1.41",
	Unit:   dialect.UnitWhole,
	Detect: detect,
	Decode: piece.Decode(decode),
	Split:  piece.SplitWhole(decode),
}

func detect(shape dialect.Shape) bool {
	return shape.First().Kind("resourceSpans") == '['
}

// hopeless is how many rejects there may be before anything can be used.
const hopeless = 1000

func decode(in dialect.Input) (dialect.Output, error) {
	shape, err := record.ShapeOf(in.Value)
	if err != nil && len(shape.Heads) == 0 {
		return dialect.Output{}, err
	}
	var out dialect.Output
	b := batch{}
	for unit, err := range record.Each(in.Value, shape.Container) {
		if len(b.parents) == 0 && len(out.Rejects) >= hopeless {
			break
		}
		if err != nil {
			out.Rejects = append(out.Rejects, record.Refuse(err))
			continue
		}
		if kind := jsontext.Value(unit.Value).Kind(); kind != '{' {
			out.Rejects = append(out.Rejects, unit.Place(dialect.Reject{
				Reason: dialect.ReasonWrongType, Message: "this is no request of the OpenTelemetry protocol; send an object with resourceSpans",
			}))
			continue
		}
		spans, rejects, err := readSpans(unit.Value)
		if err != nil {
			out.Rejects = append(out.Rejects, unit.Place(record.Refuse(err)))
			continue
		}
		for _, s := range spans {
			b.add(s, unit)
		}
		for _, reject := range rejects {
			out.Rejects = append(out.Rejects, unit.Place(reject))
		}
	}
	b.resolve()
	out.Fragments = b.fragments()
	out.Rejects = append(out.Rejects, b.rejects...)
	return out, nil
}
