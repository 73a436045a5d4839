package langfuse

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/otlp"
	"errata/pipeline/format/record"
)

// mapped is an observation as Langfuse maps it to ChatML: its input and output, each with whether it could be mapped.
type mapped struct {
	Input  side `json:"input"`
	Output side `json:"output"`
}

type side struct {
	Success bool                    `json:"success"`
	Data    record.PartList[spoken] `json:"data"`
}

// spoken is a message, or in json what none could be made of.
type spoken struct {
	Role  string
	Value jsontext.Value
}

// UnmarshalJSONFrom reads a message, which libraries may have put into an event of its own.
func (s *spoken) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	shape, _ := record.ShapeOf(value)
	m := shape.First()
	if m.Text("role") == "" {
		inner, _ := record.ShapeOf(orEmpty(m.Get("json")))
		value = inner.First().Get("message")
		shape, _ = record.ShapeOf(orEmpty(value))
		m = shape.First()
	}
	s.Role, s.Value = m.Text("role"), value.Clone()
	return nil
}

func orEmpty(value jsontext.Value) jsontext.Value {
	if value.Kind() != '{' {
		return jsontext.Value("{}")
	}
	return value
}

// isMapped tells observations by their ids, each with a side that says whether it could be mapped.
func isMapped(m dialect.Members) bool {
	if len(m) == 0 || m[0].Value.Kind() != '{' {
		return false
	}
	observation, _ := record.ShapeOf(m[0].Value)
	for _, name := range []string{"input", "output"} {
		one, _ := record.ShapeOf(orEmpty(observation.First().Get(name)))
		if kind := one.First().Kind("success"); kind == 't' || kind == 'f' {
			return true
		}
	}
	return false
}

// decodeMapped reads the observations of one trace. They come without times and without the trace: each repeats the
// history, so that those with a longer one come later, and the trace is named by the ids of all.
func decodeMapped(members dialect.Members) (dialect.Output, error) {
	var ids []string
	var spans []otlp.Span
	var sizes []int
	for _, m := range members.Sorted() {
		var observation mapped
		if err := record.Unmarshal(m.Value, &observation); err != nil {
			return dialect.Output{}, record.Refuse(err).Within(0, "/"+m.Name)
		}
		ids = append(ids, m.Name)
		history, answer := observation.conversation()
		if answer == nil {
			continue
		}
		spans = append(spans, otlp.Span{ID: m.Name, Attributes: map[string]jsontext.Value{
			"gen_ai.operation.name":  jsontext.Value(`"chat"`),
			"gen_ai.input.messages":  listed(history),
			"gen_ai.output.messages": listed([]spoken{*answer}),
		}})
		sizes = append(sizes, len(history))
	}
	if len(spans) == 0 {
		return dialect.Output{Rejects: []dialect.Reject{{
			Reason: dialect.ReasonUnsupported, Message: "none of the observations could be mapped to messages; send the trace itself as Langfuse exports it",
		}}}, nil
	}
	order := make([]int, len(spans))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	trace := string(dialect.DeriveRunID("langfuse", ids...))
	sorted := make([]otlp.Span, len(spans))
	for i, at := range order {
		sorted[i] = spans[at]
		sorted[i].Trace, sorted[i].ID = trace, fmt.Sprintf("%05d-%s", i, sorted[i].ID)
	}
	return otlp.FromSpans(sorted), nil
}

// conversation gives what was read and what was said. An agent's observation may hold several turns in its output, of
// which the last is the answer.
func (m *mapped) conversation() (history []spoken, answer *spoken) {
	var all []spoken
	if m.Input.Success {
		all = append(all, m.Input.Data...)
	}
	from := len(all)
	if m.Output.Success {
		all = append(all, m.Output.Data...)
	}
	for i := len(all) - 1; i >= from; i-- {
		if role := strings.ToLower(all[i].Role); role == "assistant" || role == "model" {
			return messagesOf(all[:i]), &all[i]
		}
	}
	return nil, nil
}

// messagesOf leaves out what is no message.
func messagesOf(list []spoken) []spoken {
	return slices.DeleteFunc(slices.Clone(list), func(s spoken) bool { return s.Role == "" })
}

// listed gives messages as an attribute holds them: a list in a string.
func listed(list []spoken) jsontext.Value {
	values := make([]jsontext.Value, len(list))
	for i := range list {
		values[i] = list[i].Value
	}
	text, err := json.Marshal(values, record.Options())
	if err != nil {
		return jsontext.Value(`""`)
	}
	quoted, _ := jsontext.AppendQuote(nil, string(text))
	return quoted
}
