// Package inspect reads the logs of Inspect AI: the JSON log of an evaluation, and a sample by itself, as the .eval archive
// holds it. Each sample is a run.
//
// A sample has its messages, and beside them events, which know times, token counts and what the messages lack. Usage is
// taken from the events, by the id of the message that a generation gave; a generation read from the cache cost nothing.
// Generations that the messages do not hold are those of sub-agents, and stand in threads of their own; those of scorers
// are not the agent's. An error on a tool message has a type; the type approval is a refusal.
package inspect

import (
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
	Name:      "inspect",
	Title:     "Inspect AI evaluation log",
	Source:    "UKGovernmentBEIS/inspect_ai (log/_log.py EvalLog and EvalSample, event/)",
	Unit:      dialect.UnitObject,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.Split(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	return first.Kind("eval") == '{' && first.Kind("samples") == '[' || isSample(first)
}

func isSample(m dialect.Members) bool {
	return m.Has("id", "epoch", "input", "target") && m.Kind("messages") == '['
}

type log struct {
	Eval    evaluation     `json:"eval"`
	Samples jsontext.Value `json:"samples"`
}

type evaluation struct {
	ID    string `json:"eval_id"`
	Run   string `json:"run_id"`
	Task  string `json:"task"`
	Model string `json:"model"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	shape, err := record.ShapeOf(in.Value)
	if err != nil {
		return dialect.Output{}, err
	}
	if isSample(shape.First()) {
		fragments, err := (&evaluation{}).sample(in.Value)
		return dialect.Output{Fragments: fragments}, err
	}
	var wire log
	if err := record.Unmarshal(in.Value, &wire); err != nil {
		return dialect.Output{}, err
	}
	if wire.Samples.Kind() != '[' {
		return dialect.Output{}, dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/samples",
			Message: "samples is a list; send a log that holds its samples, or the .eval archive",
		}
	}
	var out dialect.Output
	for unit, err := range record.Each(wire.Samples, dialect.Array) {
		if err != nil {
			return out, record.Refuse(err).Within(0, "/samples")
		}
		fragments, err := wire.Eval.sample(unit.Value)
		if err != nil {
			reject := unit.Place(record.Refuse(err))
			out.Rejects = append(out.Rejects, reject.Within(0, "/samples"))
			continue
		}
		out.Fragments = append(out.Fragments, fragments...)
	}
	return out, nil
}

type sample struct {
	ID          field.Raw            `json:"id"`
	Epoch       field.Raw            `json:"epoch"`
	UUID        string               `json:"uuid"`
	Messages    jsontext.Value       `json:"messages"`
	Events      jsontext.Value       `json:"events"`
	Attachments map[string]field.Raw `json:"attachments"`
	Scores      map[string]score     `json:"scores"`
	Error       field.Raw            `json:"error"`
	Usage       map[string]field.Raw `json:"model_usage"`
	Limit       *struct {
		Type string `json:"type"`
	} `json:"limit"`
}

type score struct {
	Value field.Raw `json:"value"`
}

// sample reads one sample as a run: the agent's thread, and one for each of its sub-agents.
func (e *evaluation) sample(value []byte) ([]transcript.Fragment, error) {
	var wire sample
	if err := record.Unmarshal(value, &wire); err != nil {
		return nil, err
	}
	if wire.ID.IsNull() || wire.Messages.Kind() != '[' {
		return nil, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/messages",
			Message: "a sample has an id and a list of messages; send the log as Inspect wrote it",
		}
	}
	r := reader{attachments: wire.Attachments, known: map[string]bool{}}
	messages, err := record.List(wire.Messages, r.message)
	if err != nil {
		return nil, record.Refuse(err).Within(0, "/messages")
	}
	if err := r.readEvents(wire.Events, messages); err != nil {
		return nil, record.Refuse(err).Within(0, "/events")
	}
	meta := transcript.Meta{
		ID: e.runID(&wire), Agent: e.Task, Model: e.model(&wire), Ended: true, EndReason: wire.endReason(),
		TaskSuccess: success(wire.Scores), Attributes: e.attributes(&wire),
	}
	fragments := []transcript.Fragment{{Meta: meta, Snapshot: true, Ended: true, Messages: messages}}
	for _, span := range r.spans {
		fragments = append(fragments, transcript.Fragment{
			Meta: meta, Thread: transcript.ThreadID(span), Snapshot: true, Ended: true, Messages: r.threads[span],
		})
	}
	return fragments, nil
}

func (e *evaluation) runID(s *sample) transcript.RunID {
	if s.UUID != "" {
		return transcript.RunID("inspect-" + s.UUID[:min(len(s.UUID), 128)])
	}
	return dialect.DeriveRunID("inspect", e.ID, e.Run, s.ID.Text, s.Epoch.Text, string(s.Messages))
}

// model is the evaluation's; a sample by itself says only whose tokens it used.
func (e *evaluation) model(s *sample) string {
	if e.Model == "" && len(s.Usage) == 1 {
		for name := range s.Usage {
			return name
		}
	}
	return e.Model
}

func (e *evaluation) attributes(s *sample) map[string]string {
	attributes := map[string]string{"sample_id": s.ID.Text}
	for name, value := range map[string]string{"task": e.Task, "epoch": s.Epoch.Object(), "eval_run_id": e.Run} {
		if value != "" {
			attributes[name] = value
		}
	}
	return attributes
}

func (s *sample) endReason() transcript.EndReason {
	switch {
	case !s.Error.IsNull():
		return transcript.EndError
	case s.Limit == nil:
		return transcript.EndCompleted
	case s.Limit.Type == "operator":
		return transcript.EndCancelled
	default:
		return transcript.EndTurnLimit
	}
}

// success reads scores of right and wrong, where all that can be read so agree.
func success(scores map[string]score) *bool {
	var found *bool
	for _, score := range scores {
		var right bool
		switch strings.ToUpper(score.Value.Text) {
		case "C", "1", "1.0", "TRUE":
			right = true
		case "I", "0", "0.0", "FALSE":
		default:
			continue
		}
		if found != nil && *found != right {
			return nil
		}
		found = &right
	}
	return found
}
