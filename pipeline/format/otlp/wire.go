package otlp

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
)

// request is an ExportTraceServiceRequest.
type request struct {
	ResourceSpans record.PartList[resourceSpans] `json:"resourceSpans"`
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

// readSpans reads the spans of a request. One that cannot be read is rejected by itself.
func readSpans(text []byte) ([]*span, []dialect.Reject, error) {
	var wire request
	if err := record.Unmarshal(text, &wire); err != nil {
		return nil, nil, err
	}
	if wire.ResourceSpans == nil {
		return nil, nil, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/resourceSpans",
			Message: "the request has no resourceSpans; send it as the OpenTelemetry Collector writes it",
		}
	}
	var spans []*span
	var rejects []dialect.Reject
	for i := range wire.ResourceSpans {
		r := &wire.ResourceSpans[i]
		name := "scopeSpans"
		if len(r.ScopeSpans) == 0 && len(r.Older) > 0 {
			r.ScopeSpans, name = r.Older, "instrumentationLibrarySpans"
		}
		for j := range r.ScopeSpans {
			for k, raw := range r.ScopeSpans[j].Spans {
				pointer := "/resourceSpans/" + strconv.Itoa(i) + "/" + name + "/" + strconv.Itoa(j) + "/spans/" + strconv.Itoa(k)
				if len(spans)+len(rejects) >= record.MaxMessages {
					return nil, nil, dialect.Reject{
						Reason:  dialect.ReasonTooLarge,
						Message: "the request has more than " + strconv.Itoa(record.MaxMessages) + " spans; send smaller batches",
					}
				}
				s := &span{service: r.Resource.Attributes.text("service.name"), pointer: pointer}
				if err := s.read(raw); err != nil {
					rejects = append(rejects, placed(err, pointer))
					continue
				}
				spans = append(spans, s)
			}
		}
	}
	return spans, rejects, nil
}

func (s *span) read(raw jsontext.Value) error {
	if err := record.Unmarshal(raw, s); err != nil {
		return err
	}
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
