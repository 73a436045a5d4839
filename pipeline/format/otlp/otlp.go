// Package otlp reads what OpenTelemetry tells of generative AI the way the OpenTelemetry Collector's Kafka and file
// exporters write it: requests of the protocol with spans or log records, in protobuf or JSON; of JSON one or several
// to an input.
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
// Log records are read where they are events of a generation: those of its messages (before version 1.37) or of all it
// read and said. They are joined to the span that they name, also where that comes in another record.
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
	Title:  "OpenTelemetry GenAI spans and events, OTLP in protobuf or JSON",
	Source: "OpenTelemetry protocol 1.x (ExportTraceServiceRequest, ExportLogsServiceRequest); semantic conventions for generative AI 1.27 to 1.41",
	Unit:   dialect.UnitWhole,
	Detect: detect,
	Decode: piece.Decode(decode),
	Split:  piece.SplitWhole(decode),
}

func detect(shape dialect.Shape) bool {
	if shape.Binary {
		return signalOf(shape.Begin) != unknownSignal
	}
	return shape.First().Kind("resourceSpans") == '[' || shape.First().Kind("resourceLogs") == '['
}

// hopeless is how many rejects there may be before anything can be used.
const hopeless = 1000

// placedSpan and placedLog are what was read, with the record that held it.
type (
	placedSpan struct {
		*span
		unit record.Record
	}
	placedLog struct {
		*logged
		unit record.Record
	}
)

func decode(in dialect.Input) (dialect.Output, error) {
	shape, err := record.ShapeOf(in.Value)
	if shape.Binary {
		request, err := readProtobuf(in.Value)
		if err != nil {
			return dialect.Output{}, err
		}
		var g gathered
		g.add(request, record.Record{})
		return g.output(), nil
	}
	if err != nil && len(shape.Heads) == 0 {
		return dialect.Output{}, err
	}
	var g gathered
	for unit, err := range record.Each(in.Value, shape.Container) {
		if g.seen == 0 && len(g.rejects) >= hopeless {
			break
		}
		if err != nil {
			g.rejects = append(g.rejects, record.Refuse(err))
			continue
		}
		if kind := jsontext.Value(unit.Value).Kind(); kind != '{' {
			g.rejects = append(g.rejects, unit.Place(dialect.Reject{
				Reason: dialect.ReasonWrongType, Message: "this is no request of the OpenTelemetry protocol; send an object with resourceSpans",
			}))
			continue
		}
		request, err := readJSON(unit.Value)
		if err != nil {
			g.rejects = append(g.rejects, unit.Place(record.Refuse(err)))
			continue
		}
		g.add(request, unit)
	}
	return g.output(), nil
}

// gathered is what the requests of one input say.
type gathered struct {
	spans   []placedSpan
	logs    []placedLog
	rejects []dialect.Reject
	seen    int
}

func (g *gathered) add(request said, unit record.Record) {
	g.seen += request.count() - len(request.rejects)
	for _, s := range request.spans {
		g.spans = append(g.spans, placedSpan{s, unit})
	}
	for _, l := range request.logs {
		g.logs = append(g.logs, placedLog{l, unit})
	}
	for _, reject := range request.rejects {
		g.rejects = append(g.rejects, unit.Place(reject))
	}
}

// output makes runs of it.
func (g *gathered) output() dialect.Output {
	var b batch
	for _, s := range joinLogs(g.spans, g.logs) {
		b.add(s.span, s.unit)
	}
	b.resolve()
	return dialect.Output{Fragments: b.fragments(), Rejects: append(g.rejects, b.rejects...)}
}
