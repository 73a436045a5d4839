package otlp

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
)

// request is an ExportTraceServiceRequest or an ExportLogsServiceRequest.
type request struct {
	ResourceSpans record.PartList[resourceSpans] `json:"resourceSpans"`
	ResourceLogs  record.PartList[resourceLogs]  `json:"resourceLogs"`
}

type resourceLogs struct {
	Resource  resource                   `json:"resource"`
	ScopeLogs record.PartList[scopeLogs] `json:"scopeLogs"`
}

type scopeLogs struct {
	LogRecords []jsontext.Value `json:"logRecords"`
}

type resourceSpans struct {
	Resource   resource                    `json:"resource"`
	ScopeSpans record.PartList[scopeSpans] `json:"scopeSpans"`
	Older      record.PartList[scopeSpans] `json:"instrumentationLibrarySpans"` // before version 0.15 of the protocol
}

type resource struct {
	Attributes attributes `json:"attributes"`
}

type scopeSpans struct {
	Spans []jsontext.Value `json:"spans"`
}

// span is one span, and where it stood.
type span struct {
	TraceID    ident                  `json:"traceId"`
	SpanID     ident                  `json:"spanId"`
	ParentID   ident                  `json:"parentSpanId"`
	Name       string                 `json:"name"`
	Kind       field.Raw              `json:"kind"`
	Start      nanos                  `json:"startTimeUnixNano"`
	End        nanos                  `json:"endTimeUnixNano"`
	Attributes attributes             `json:"attributes"`
	Events     record.PartList[event] `json:"events"`
	Status     status                 `json:"status"`

	service string // that it came from
	pointer string
	logged  bool // it is known from log records only
}

type event struct {
	Name       string     `json:"name"`
	Time       nanos      `json:"timeUnixNano"`
	Attributes attributes `json:"attributes"`
}

type status struct {
	Code    field.Raw `json:"code"`
	Message string    `json:"message"`
}

// failed and succeeded read a status code, which is a number or the name of one.
func (s status) failed() bool {
	return s.Code.Text == "2" || strings.HasSuffix(strings.ToUpper(s.Code.Text), "ERROR")
}

func (s status) succeeded() bool {
	return s.Code.Text == "1" || strings.HasSuffix(strings.ToUpper(s.Code.Text), "OK")
}

// server tells the span of the side that was called.
func (s *span) server() bool {
	return s.Kind.Text == "2" || strings.HasSuffix(s.Kind.Text, "SERVER")
}

// readJSON reads a request in the protocol's JSON. A span that cannot be read is rejected by itself.
func readJSON(text []byte) (said, error) {
	var wire request
	if err := record.Unmarshal(text, &wire); err != nil {
		return said{}, err
	}
	if wire.ResourceSpans == nil && wire.ResourceLogs == nil {
		return said{}, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/resourceSpans",
			Message: "the request has neither resourceSpans nor resourceLogs; send it as the OpenTelemetry Collector writes it",
		}
	}
	var out said
	for i := range wire.ResourceSpans {
		r := &wire.ResourceSpans[i]
		name := "scopeSpans"
		if len(r.ScopeSpans) == 0 && len(r.Older) > 0 {
			r.ScopeSpans, name = r.Older, "instrumentationLibrarySpans"
		}
		for j := range r.ScopeSpans {
			at := "/resourceSpans/" + strconv.Itoa(i) + "/" + name + "/" + strconv.Itoa(j) + "/spans/"
			if err := out.readAll(r.ScopeSpans[j].Spans, at, r.Resource, out.readSpan); err != nil {
				return said{}, err
			}
		}
	}
	for i := range wire.ResourceLogs {
		r := &wire.ResourceLogs[i]
		for j := range r.ScopeLogs {
			at := "/resourceLogs/" + strconv.Itoa(i) + "/scopeLogs/" + strconv.Itoa(j) + "/logRecords/"
			if err := out.readAll(r.ScopeLogs[j].LogRecords, at, r.Resource, out.readLog); err != nil {
				return said{}, err
			}
		}
	}
	return out, nil
}

// readAll reads the records of one scope, each by itself.
func (s *said) readAll(list []jsontext.Value, at string, from resource, read func(raw jsontext.Value, service, pointer string) error) error {
	service := from.Attributes.text("service.name")
	for k, raw := range list {
		if s.count() >= record.MaxMessages {
			return tooManySpans()
		}
		pointer := at + strconv.Itoa(k)
		if err := read(raw, service, pointer); err != nil {
			s.rejects = append(s.rejects, placed(err, pointer))
		}
	}
	return nil
}

func tooManySpans() dialect.Reject {
	return dialect.Reject{
		Reason:  dialect.ReasonTooLarge,
		Message: "the request has more than " + strconv.Itoa(record.MaxMessages) + " spans; send smaller batches",
	}
}

func (s *said) readSpan(raw jsontext.Value, service, pointer string) error {
	one := &span{service: service, pointer: pointer}
	if err := record.Unmarshal(raw, one); err != nil {
		return err
	}
	if err := one.check(); err != nil {
		return err
	}
	s.spans = append(s.spans, one)
	return nil
}

func (s *said) readLog(raw jsontext.Value, service, pointer string) error {
	one := &logged{service: service, pointer: pointer}
	if err := record.Unmarshal(raw, one); err != nil {
		return err
	}
	return s.log(one)
}

// check refuses a span that cannot be told from others.
func (s *span) check() error {
	if s.SpanID == "" || s.TraceID == "" {
		return dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/spanId",
			Message: "a span has no traceId or no spanId; send it as the OpenTelemetry Collector writes it",
		}
	}
	return nil
}

// placed gives a reject its place in the request. The byte within it is not known where values are strings of their own.
func placed(err error, pointer string) dialect.Reject {
	reject := record.Refuse(err)
	reject.Offset, reject.Pointer = 0, pointer+reject.Pointer
	return reject
}
