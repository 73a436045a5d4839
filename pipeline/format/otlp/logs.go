package otlp

import (
	"slices"
	"strconv"
	"strings"

	"errata/pipeline/format/dialect"
)

// logged is a log record: what older conventions tell of a generation stands in some, one for each message, and what
// the current ones tell in one with all of them.
type logged struct {
	Time       nanos      `json:"timeUnixNano"`
	Observed   nanos      `json:"observedTimeUnixNano"`
	Name       string     `json:"eventName"`
	Body       value      `json:"body"`
	Attributes attributes `json:"attributes"`
	TraceID    ident      `json:"traceId"`
	SpanID     ident      `json:"spanId"`

	service, pointer string
}

// said is what one request says.
type said struct {
	spans   []*span
	logs    []*logged
	rejects []dialect.Reject
	passed  int // log records that are none of generative AI
}

func (s *said) count() int { return len(s.spans) + len(s.logs) + len(s.rejects) + s.passed }

// operation is the event that holds all of a generation.
const operation = "gen_ai.client.inference.operation.details"

// log takes a log record that tells of a generation, and passes over all others. An event that does not say its span
// cannot be brought together with the others of its generation.
func (s *said) log(l *logged) error {
	if l.Name == "" {
		l.Name = l.Attributes.text("event.name")
	}
	if _, isMessage := eventRole(l.Name); !isMessage && l.Name != operation {
		s.passed++
		return nil
	}
	if l.TraceID == "" || l.SpanID == "" {
		return dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/spanId",
			Message: "an event of generative AI has no traceId or no spanId; log it within the span of its generation",
		}
	}
	if l.Time.IsZero() {
		l.Time = l.Observed
	}
	s.logs = append(s.logs, l)
	return nil
}

// event makes of a log record what a span's event is.
func (l *logged) event() event {
	e := event{Name: l.Name, Time: l.Time, Attributes: l.Attributes}
	if l.Body.kind != 0 {
		e.Attributes = make(attributes, len(l.Attributes)+1)
		for name, v := range l.Attributes {
			e.Attributes[name] = v
		}
		e.Attributes[eventBody] = l.Body.written()
	}
	return e
}

// joinLogs gives the events that were logged to their spans. Where a span is not in the same input, as logs go to a topic
// of their own, one is made that bears its name: what both say is of one generation.
func joinLogs(spans []placedSpan, logs []placedLog) []placedSpan {
	bySpan := make(map[key]*span, len(spans))
	for i := range spans {
		bySpan[key{spans[i].TraceID, spans[i].SpanID}] = spans[i].span
	}
	groups := make(map[key][]placedLog)
	var order []key
	for _, l := range logs {
		k := key{l.TraceID, l.SpanID}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], l)
	}
	for _, k := range order {
		group := groups[k]
		slices.SortStableFunc(group, func(a, b placedLog) int { return a.Time.Compare(b.Time.Time) })
		if s := bySpan[k]; s != nil && s.sort() == model {
			for _, l := range group {
				s.Events = append(s.Events, l.event())
			}
			continue
		}
		for n, one := range generations(group) {
			spans = append(spans, spanOfLogs(one, n))
		}
	}
	return spans
}

// generations parts the events of one span by the generations that they are of: an answer ends one.
func generations(group []placedLog) [][]placedLog {
	var out [][]placedLog
	from := 0
	for i := range group {
		last := i == len(group)-1
		ends := group[i].Name == operation || group[i].Name == choiceEvent && !last && group[i+1].Name != choiceEvent
		if ends || last {
			out = append(out, group[from:i+1])
			from = i + 1
		}
	}
	return out
}

// spanOfLogs makes the span of a generation that is known from its events only.
func spanOfLogs(group []placedLog, nth int) placedSpan {
	first, last := group[0], group[len(group)-1]
	s := &span{
		TraceID: first.TraceID, SpanID: first.SpanID, Start: first.Time, End: last.Time, Attributes: make(attributes),
		service: first.service, pointer: first.pointer, logged: true,
	}
	if nth > 0 {
		s.SpanID += ident("-" + strconv.Itoa(nth+1))
	}
	for _, l := range group {
		for name, v := range l.Attributes {
			if strings.HasPrefix(name, "gen_ai.") && s.Attributes[name].kind == 0 {
				s.Attributes[name] = v
			}
		}
		s.Events = append(s.Events, l.event())
	}
	return placedSpan{span: s, unit: first.unit}
}
