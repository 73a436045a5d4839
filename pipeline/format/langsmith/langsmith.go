// Package langsmith reads runs as LangSmith exports them (run data format: bulk exports, the API's runs/query, and the
// client's Run objects as JSON): what LangChain and LangGraph do, and what other programs trace with the same client.
// Runs of type llm are generations, those of type tool are calls; all others only stand around them. Their trees are
// read as spans by package otlp, which joins what every request repeats.
//
// Messages stand as LangChain serialises them, or in the words of a provider. A tool's error that was caught has no error
// in its run, but a message whose status is error.
package langsmith

import (
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/otlp"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:   "langsmith",
	Title:  "LangSmith runs",
	Source: "LangSmith run data format (docs.langchain.com/langsmith/run-data-format), POST /runs/query, langsmith.schemas.Run",
	Unit:   dialect.UnitWhole,
	Detect: func(shape dialect.Shape) bool {
		first := shape.First()
		if first.Kind("runs") == '[' {
			runs, _ := record.ShapeOf(first.Get("runs"))
			return isRun(runs.First())
		}
		return isRun(first)
	},
	Decode: piece.Decode(decode),
	Split:  piece.SplitWhole(decode),
}

// isRun tells a run by its type and its place in a trace.
func isRun(m dialect.Members) bool {
	return m.Kind("run_type") == '"' && m.Has("id", "name") && (m.Has("trace_id") || m.Has("dotted_order") || m.Has("parent_run_id"))
}

type run struct {
	ID       string         `json:"id"`
	Trace    string         `json:"trace_id"`
	Parent   string         `json:"parent_run_id"`
	Type     string         `json:"run_type"`
	Name     string         `json:"name"`
	Start    field.Time     `json:"start_time"`
	End      field.Time     `json:"end_time"`
	Error    field.Raw      `json:"error"`
	Inputs   jsontext.Value `json:"inputs"`
	Outputs  jsontext.Value `json:"outputs"`
	Extra    extra          `json:"extra"`
	Prompt   field.Count    `json:"prompt_tokens"`
	Output   field.Count    `json:"completion_tokens"`
	Children jsontext.Value `json:"child_runs"`
}

type extra struct {
	Metadata   map[string]field.Raw `json:"metadata"`
	Invocation struct {
		Model     field.Raw `json:"model"`
		ModelName field.Raw `json:"model_name"`
	} `json:"invocation_params"`
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
	if list := shape.First().Get("runs"); list.Kind() == '[' {
		return r.list(list, unit, "", "/runs", 0)
	}
	var one run
	if err := record.Unmarshal(unit.Value, &one); err != nil {
		return err
	}
	return r.add(&one, unit, "", 0)
}

// list adds several runs, of a page or below one another.
func (r *reader) list(list jsontext.Value, unit record.Record, trace, pointer string, depth int) error {
	_, err := record.List(list, func(one *run) (struct{}, error) { return struct{}{}, r.add(one, unit, trace, depth) })
	if err != nil {
		return record.Refuse(err).Within(0, pointer)
	}
	return nil
}

// add adds a run and those below it. Trace is that of the run above, for one that does not say its own.
func (r *reader) add(one *run, unit record.Record, trace string, depth int) error {
	const deep = 100
	if one.ID == "" || one.Type == "" {
		return dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/id",
			Message: "a run has no id or no run_type; send it as LangSmith exports it",
		}
	}
	if len(r.Spans) == record.MaxMessages || depth > deep {
		return dialect.Reject{Reason: dialect.ReasonTooLarge, Message: "the input has more runs than a trace can have; send it in parts"}
	}
	if one.Trace == "" {
		one.Trace = trace
	}
	if one.Trace == "" && one.Parent != "" {
		return dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/trace_id",
			Message: "a run below another does not say its trace; send it with its trace_id, or within the run above it",
		}
	}
	if one.Trace == "" {
		one.Trace = one.ID
	}
	r.Spans = append(r.Spans, one.span(unit))
	if one.Children.Kind() == '[' {
		return r.list(one.Children, unit, one.Trace, "/child_runs", depth+1)
	}
	return nil
}
