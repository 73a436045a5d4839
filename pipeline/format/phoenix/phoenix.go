// Package phoenix reads spans as Arize Phoenix gives them out, and in the like form in which OpenTelemetry's SDKs print
// them: objects with a context, human-readable times and attributes by name. What they say is read by package otlp, in
// the words of OpenInference or of OpenTelemetry's conventions.
//
// The attributes of one span alone, as tests and notebooks keep them, are read too: their span is named by what they say.
package phoenix

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/otlp"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:   "phoenix",
	Title:  "Phoenix spans, and spans as OpenTelemetry SDKs print them",
	Source: "Arize Phoenix REST API, GET /v1/projects/{project}/spans; opentelemetry-sdk, ReadableSpan.to_json; OpenInference semantic conventions",
	Unit:   dialect.UnitWhole,
	Detect: func(shape dialect.Shape) bool {
		first := shape.First()
		return isSpan(first) || isAttributes(first) || isPage(first)
	},
	Decode: piece.Decode(decode),
	Split:  piece.SplitWhole(decode),
}

// isSpan tells a span by its context and times.
func isSpan(m dialect.Members) bool {
	if m.Kind("context") != '{' || !m.Has("name", "start_time", "attributes") {
		return false
	}
	context, _ := record.ShapeOf(m.Get("context"))
	return context.First().Has("trace_id", "span_id")
}

// isAttributes tells the attributes of a span of generative AI.
func isAttributes(m dialect.Members) bool {
	return m.Kind("openinference.span.kind") == '"' || m.Kind("gen_ai.operation.name") == '"'
}

// isPage tells an answer of the API, which holds spans.
func isPage(m dialect.Members) bool {
	if m.Kind("data") != '[' || !m.Has("next_cursor") {
		return false
	}
	data, _ := record.ShapeOf(m.Get("data"))
	return isSpan(data.First())
}

type span struct {
	Context struct {
		Trace string `json:"trace_id"`
		Span  string `json:"span_id"`
	} `json:"context"`
	Name       string                 `json:"name"`
	Kind       string                 `json:"span_kind"` // LLM, TOOL, …
	Parent     string                 `json:"parent_id"`
	Start      field.Time             `json:"start_time"`
	End        field.Time             `json:"end_time"`
	Code       string                 `json:"status_code"`
	Message    string                 `json:"status_message"`
	Status     status                 `json:"status"`
	Attributes jsontext.Value         `json:"attributes"`
	Events     record.PartList[event] `json:"events"`
	Resource   struct {
		Attributes map[string]field.Raw `json:"attributes"`
	} `json:"resource"`
}

type status struct {
	Code    string `json:"status_code"`
	Message string `json:"description"`
}

type event struct {
	Name       string         `json:"name"`
	Time       field.Time     `json:"timestamp"`
	Attributes jsontext.Value `json:"attributes"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	var r reader
	return otlp.Collect(in, &r.Collected, r.read)
}

type reader struct{ otlp.Collected }

func (r *reader) read(unit record.Record) error {
	shape, err := record.ShapeOf(unit.Value)
	if err != nil {
		return err
	}
	first := shape.First()
	switch {
	case isPage(first):
		_, err := record.List(first.Get("data"), func(s *span) (struct{}, error) { return struct{}{}, r.add(s, unit) })
		if err != nil {
			return record.Refuse(err).Within(0, "/data")
		}
		return nil
	case isAttributes(first):
		r.bare(first, unit)
		return nil
	}
	var s span
	if err := record.Unmarshal(unit.Value, &s); err != nil {
		return err
	}
	return r.add(&s, unit)
}

// add adds a span.
func (r *reader) add(s *span, unit record.Record) error {
	if s.Context.Trace == "" || s.Context.Span == "" {
		return dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/context",
			Message: "a span has no trace_id or no span_id in its context; send it as Phoenix gave it",
		}
	}
	if len(r.Spans) == record.MaxMessages {
		return dialect.Reject{Reason: dialect.ReasonTooLarge, Message: "the input has more spans than a trace can have; send it in parts"}
	}
	out := otlp.Span{
		Trace: hexadecimal(s.Context.Trace), ID: hexadecimal(s.Context.Span), Parent: hexadecimal(s.Parent), Name: s.Name,
		Service: s.Resource.Attributes["service.name"].Object(), Start: s.Start.Time, End: s.End.Time,
		Attributes: attributesOf(s.Attributes), Status: s.Code, Message: s.Message, Record: unit,
	}
	if out.Status == "" {
		out.Status, out.Message = s.Status.Code, s.Status.Message
	}
	const kind = "openinference.span.kind"
	if _, has := out.Attributes[kind]; !has && s.Kind != "" {
		quoted, err := jsontext.AppendQuote(nil, s.Kind)
		if err == nil {
			out.Attributes[kind] = quoted
		}
	}
	for _, e := range s.Events {
		out.Events = append(out.Events, otlp.Event{Name: e.Name, Time: e.Time.Time, Attributes: attributesOf(e.Attributes)})
	}
	r.Spans = append(r.Spans, out)
	return nil
}

// bare adds the attributes of a span that is not known.
func (r *reader) bare(attributes dialect.Members, unit record.Record) {
	id := string(dialect.DeriveRunID("span", canonical(attributes)...))
	r.Spans = append(r.Spans, otlp.Span{
		Trace: id, ID: id, Start: time.Time{}, Attributes: otlp.Flatten(attributes), Record: unit,
	})
}

// canonical gives the members without white space, in an order that does not depend on how they were written.
func canonical(members dialect.Members) []string {
	var out []string
	for _, m := range members.Sorted() {
		out = append(out, m.Name, record.Compact(m.Value))
	}
	return out
}

// hexadecimal gives an id as the protocol has it; SDKs print 0x before it.
func hexadecimal(id string) string { return strings.ToLower(strings.TrimPrefix(id, "0x")) }

func attributesOf(object jsontext.Value) map[string]jsontext.Value {
	if object.Kind() != '{' {
		return map[string]jsontext.Value{}
	}
	shape, _ := record.ShapeOf(object)
	return otlp.Flatten(shape.First())
}
