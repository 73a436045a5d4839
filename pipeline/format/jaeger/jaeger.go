// Package jaeger reads traces as Jaeger's query interface and its page give them out: spans with tags and logs, which
// become the attributes and events of OTLP spans, that package otlp reads.
package jaeger

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/otlp"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:   "jaeger",
	Title:  "Jaeger trace",
	Source: "jaegertracing/jaeger, model/json (GET /api/traces); OpenTelemetry specification, transformation to Jaeger",
	Unit:   dialect.UnitObject,
	Detect: detect,
	Decode: piece.Decode(decode),
	Split:  piece.Split(decode),
}

func detect(shape dialect.Shape) bool {
	data := shape.First().Get("data")
	if data.Kind() != '[' {
		return false
	}
	head, _ := record.ShapeOf(data)
	return head.First().Has("traceID", "spans", "processes")
}

type answer struct {
	Data record.PartList[trace] `json:"data"`
}

type trace struct {
	Spans     jsontext.Value     `json:"spans"`
	Processes map[string]process `json:"processes"`
}

type process struct {
	Service string               `json:"serviceName"`
	Tags    record.PartList[tag] `json:"tags"`
}

type span struct {
	Trace      string               `json:"traceID"`
	ID         string               `json:"spanID"`
	Parent     string               `json:"parentSpanID"` // of old versions
	Name       string               `json:"operationName"`
	References record.PartList[ref] `json:"references"`
	Start      int64                `json:"startTime"` // microseconds
	Duration   int64                `json:"duration"`
	Tags       record.PartList[tag] `json:"tags"`
	Logs       record.PartList[log] `json:"logs"`
	Process    string               `json:"processID"`
}

type ref struct {
	Type string `json:"refType"`
	Span string `json:"spanID"`
}

type log struct {
	Time   int64                `json:"timestamp"`
	Fields record.PartList[tag] `json:"fields"`
}

type tag struct {
	Key   string    `json:"key"`
	Type  string    `json:"type"`
	Value field.Raw `json:"value"`
}

// The same in the words of OTLP.
type (
	otlpAttribute struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"`
	}
	otlpEvent struct {
		Time       string          `json:"timeUnixNano"`
		Name       string          `json:"name"`
		Attributes []otlpAttribute `json:"attributes,omitempty"`
	}
	otlpSpan struct {
		Trace      string          `json:"traceId"`
		ID         string          `json:"spanId"`
		Parent     string          `json:"parentSpanId,omitempty"`
		Name       string          `json:"name"`
		Start      string          `json:"startTimeUnixNano"`
		End        string          `json:"endTimeUnixNano"`
		Attributes []otlpAttribute `json:"attributes,omitempty"`
		Events     []otlpEvent     `json:"events,omitempty"`
		Status     map[string]any  `json:"status,omitempty"`
	}
)

func decode(in dialect.Input) (dialect.Output, error) {
	var wire answer
	if err := record.Unmarshal(in.Value, &wire); err != nil {
		return dialect.Output{}, err
	}
	var resources []any
	for i := range wire.Data {
		t := &wire.Data[i]
		if t.Spans.Kind() != '[' {
			continue
		}
		spans, err := record.List(t.Spans, func(s *span) (any, error) { return s.resource(t.Processes), nil })
		if err != nil {
			return dialect.Output{}, record.Refuse(err).Within(0, "/data/"+strconv.Itoa(i)+"/spans")
		}
		resources = append(resources, spans...)
	}
	if len(resources) == 0 {
		return dialect.Output{}, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/data", Message: "there are no spans in it; send the answer as Jaeger gave it",
		}
	}
	request, err := json.Marshal(map[string]any{"resourceSpans": resources}, record.Options())
	if err != nil {
		return dialect.Output{}, record.Refuse(err)
	}
	in.Value = request
	return otlp.Dialect.Decode(in)
}

// resource writes a span with the process that it ran in.
func (s *span) resource(processes map[string]process) any {
	p := processes[s.Process]
	attributes := append(convert(p.Tags), otlpAttribute{"service.name", map[string]any{"stringValue": p.Service}})
	return map[string]any{
		"resource":   map[string]any{"attributes": attributes},
		"scopeSpans": []any{map[string]any{"spans": []otlpSpan{s.otlp()}}},
	}
}

func (s *span) otlp() otlpSpan {
	const bound = 1 << 53 // microseconds that nanoseconds can still hold
	start := min(max(s.Start, 0), bound)
	out := otlpSpan{
		Trace: s.Trace, ID: s.ID, Parent: s.Parent, Name: s.Name,
		Start: nano(start), End: nano(start + min(max(s.Duration, 0), bound)),
		Attributes: convert(s.Tags), Status: s.status(),
	}
	for _, r := range s.References {
		if r.Type == "CHILD_OF" {
			out.Parent = r.Span
			break
		}
	}
	for _, l := range s.Logs {
		event := otlpEvent{Time: nano(min(max(l.Time, 0), bound))}
		for _, f := range l.Fields {
			if f.Key == "event" || f.Key == "name" && event.Name == "" {
				event.Name = f.Value.Text
			}
		}
		event.Attributes = convert(l.Fields)
		out.Events = append(out.Events, event)
	}
	return out
}

func nano(microseconds int64) string { return strconv.FormatInt(microseconds, 10) + "000" }

// status reads a span's status out of the tags that OpenTelemetry writes it into.
func (s *span) status() map[string]any {
	status := map[string]any{}
	for _, t := range s.Tags {
		switch {
		case t.Key == "otel.status_code" && t.Value.Text == "ERROR", t.Key == "error" && t.Value.Text == "true":
			status["code"] = 2
		case t.Key == "otel.status_code" && t.Value.Text == "OK":
			status["code"] = 1
		case t.Key == "otel.status_description":
			status["message"] = t.Value.Text
		}
	}
	return status
}

func convert(tags []tag) []otlpAttribute {
	var out []otlpAttribute
	for _, t := range tags {
		value := map[string]any{}
		switch t.Type {
		case "bool":
			value["boolValue"] = t.Value.Text == "true"
		case "int64":
			value["intValue"] = t.Value.Text
		case "float64":
			number, err := strconv.ParseFloat(t.Value.Text, 64)
			if err != nil {
				continue
			}
			value["doubleValue"] = number
		default:
			value["stringValue"] = t.Value.Object()
		}
		out = append(out, otlpAttribute{t.Key, value})
	}
	return out
}
