// Package openhands reads the event stream of OpenHands: a list of actions and observations, as its trajectory export
// writes it, and the rows of its evaluation output, which hold such a list beside the task.
//
// An action names the model's response that it came from, and so does the observation that it caused; several actions of one
// response are one turn with one usage. An exit code of -1 says that the command still runs, whatever "success" says beside it.
package openhands

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "openhands",
	Title:     "OpenHands event stream and evaluation output",
	Source:    "All-Hands-AI/OpenHands (openhands/events/serialization, evaluation/utils/shared.py)",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.SplitWhole(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	if isEvent(first) {
		return true
	}
	if first.Kind("history") != '[' || !first.Has("instance_id") {
		return false
	}
	history, _ := record.ShapeOf(first.Get("history"))
	return isEvent(history.First())
}

func isEvent(m dialect.Members) bool {
	return m.Kind("source") == '"' && m.Kind("id") == '0' && m.Has("timestamp", "message") && (m.Kind("action") == '"' || m.Kind("observation") == '"')
}

// row is a line of the evaluation output.
type row struct {
	Instance field.Raw `json:"instance_id"`
	Error    field.Raw `json:"error"`
	Metadata struct {
		Agent string `json:"agent_class"`
		LLM   struct {
			Model string `json:"model"`
		} `json:"llm_config"`
	} `json:"metadata"`
	Test struct {
		Report struct {
			Resolved *bool `json:"resolved"`
		} `json:"report"`
	} `json:"test_result"`
	History jsontext.Value `json:"history"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	shape, err := record.ShapeOf(in.Value)
	if err != nil && len(shape.Heads) == 0 {
		return dialect.Output{}, err
	}
	var out dialect.Output
	stream := reader{rows: shape.First().Has("history")}
	for unit, err := range record.Each(in.Value, shape.Container) {
		if err != nil {
			out.Rejects = append(out.Rejects, record.Refuse(err))
			continue
		}
		if err := stream.take(unit.Value, &out); err != nil {
			out.Rejects = append(out.Rejects, unit.Place(record.Refuse(err)))
		}
		if len(stream.messages) > record.MaxMessages {
			return out, dialect.Reject{Reason: dialect.ReasonTooLarge, Message: "there are more than " + strconv.Itoa(record.MaxMessages) + " events; split the stream"}
		}
	}
	if stream.first != "" {
		out.Fragments = append(out.Fragments, stream.fragment(transcript.Meta{Agent: "OpenHands"}, ""))
	}
	if len(out.Fragments) == 0 && len(out.Rejects) > 0 {
		return out, out.Rejects[0]
	}
	return out, nil
}

// take reads one value: an event of the stream, or a row with a stream of its own.
func (r *reader) take(value []byte, out *dialect.Output) error {
	if r.rows {
		return takeRow(value, out)
	}
	return r.add(value)
}

func takeRow(value []byte, out *dialect.Output) error {
	var wire row
	if err := record.Unmarshal(value, &wire); err != nil {
		return err
	}
	if wire.History.Kind() != '[' {
		return dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/history",
			Message: "history is a list of events; send the output as OpenHands wrote it",
		}
	}
	var r reader
	_, err := record.List(wire.History, func(event *jsontext.Value) (struct{}, error) { return struct{}{}, r.add(*event) })
	if err != nil {
		return record.Refuse(err).Within(0, "/history")
	}
	meta := transcript.Meta{
		Agent: wire.Metadata.Agent, Model: wire.Metadata.LLM.Model, Ended: true, TaskSuccess: wire.Test.Report.Resolved,
		Attributes: map[string]string{"instance_id": wire.Instance.Object()},
	}
	switch failure := wire.Error.Object(); {
	case strings.Contains(failure, "maximum iteration"):
		meta.EndReason = transcript.EndTurnLimit
	case failure != "":
		meta.EndReason = transcript.EndError
	}
	out.Fragments = append(out.Fragments, r.fragment(meta, wire.Instance.Object()))
	return nil
}

// fragment gives what was read as a run. Streams have no id: their first event, with its time, is as good as one.
func (r *reader) fragment(meta transcript.Meta, instance string) transcript.Fragment {
	meta.ID = dialect.DeriveRunID("openhands", instance, r.first)
	if meta.EndReason == "" {
		meta.EndReason = r.end
	}
	meta.Ended = meta.Ended || r.end != ""
	return transcript.Fragment{Meta: meta, Snapshot: true, Ended: meta.Ended, Messages: r.messages}
}
