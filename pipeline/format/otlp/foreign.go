package otlp

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
)

// Span is a span of a format that has the attributes of OpenTelemetry in a frame of its own.
type Span struct {
	Trace, ID, Parent, Name, Service string
	Start, End                       time.Time
	Attributes                       map[string]jsontext.Value // by their dotted names
	Events                           []Event
	Status, Message                  string // OK, ERROR or something else

	Record record.Record // that it was read from
}

// Event is an event of a Span.
type Event struct {
	Name       string
	Time       time.Time
	Attributes map[string]jsontext.Value
}

// FromSpans makes runs of the spans of one input.
func FromSpans(list []Span) dialect.Output {
	var g gathered
	for i := range list {
		f := &list[i]
		s := &span{
			TraceID: ident(f.Trace), SpanID: ident(f.ID), ParentID: ident(f.Parent), Name: f.Name,
			Start: nanos{f.Start}, End: nanos{f.End}, Attributes: foreignAttributes(f.Attributes), service: f.Service,
			Status: status{Code: field.Raw{Text: strings.ToUpper(f.Status), Kind: '"'}, Message: f.Message},
		}
		for _, e := range f.Events {
			s.Events = append(s.Events, event{Name: e.Name, Time: nanos{e.Time}, Attributes: foreignAttributes(e.Attributes)})
		}
		one := said{}
		if err := s.check(); err != nil {
			one.rejects = append(one.rejects, record.Refuse(err))
		} else {
			one.spans = append(one.spans, s)
		}
		g.add(one, f.Record)
	}
	return g.output()
}

func foreignAttributes(members map[string]jsontext.Value) attributes {
	a := make(attributes, len(members))
	for name, v := range members {
		switch v.Kind() {
		case 'n':
		case '"':
			text, _ := jsontext.AppendUnquote(nil, v) // it was read before, hence this cannot fail
			a[name] = value{text: string(text), kind: '"'}
		default:
			a[name] = value{text: record.Compact(v), kind: v.Kind()}
		}
	}
	return a
}

// Flatten gives the members of nested objects and lists by their dotted names, and the lists and objects themselves too,
// as attributes may be either. What is nested deeper, or more, than attributes are, is left as it stands.
func Flatten(members dialect.Members) map[string]jsontext.Value {
	out := make(map[string]jsontext.Value, len(members))
	for _, m := range members {
		flatten(out, m.Name, m.Value, 0)
	}
	return out
}

func flatten(out map[string]jsontext.Value, name string, v jsontext.Value, depth int) {
	const deep = 12
	out[name] = v
	if depth == deep || len(out) >= record.MaxParts {
		return
	}
	switch v.Kind() {
	case '{':
		for inner, value := range record.Fields(v) {
			flatten(out, name+"."+string(inner), value, depth+1)
		}
	case '[':
		i := 0
		for value := range record.Elements(v) {
			if value[0] == '{' {
				flatten(out, name+"."+strconv.Itoa(i), value, depth+1)
			}
			i++
		}
	}
}
