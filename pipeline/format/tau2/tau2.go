// Package tau2 reads the result files of tau2-bench: simulations of an agent and a user who may have tools too, with
// flat tool calls, tool messages that name their requestor, times and token counts.
package tau2

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "tau2",
	Title:     "tau2-bench result file",
	Source:    "sierra-research/tau2-bench",
	Unit:      dialect.UnitObject,
	Detect:    detect,
	Decode:    decode,
	Split:     split,
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	return first.Kind("simulations") == '[' && first.Kind("info") == '{'
}

type results struct {
	Info        info           `json:"info"`
	Simulations jsontext.Value `json:"simulations"`
}

type info struct {
	Agent struct {
		Implementation string `json:"implementation"`
		Model          string `json:"llm"`
	} `json:"agent_info"`
	Environment struct {
		Domain string `json:"domain_name"`
	} `json:"environment_info"`
}

type simulation struct {
	ID          string    `json:"id"`
	TaskID      field.Raw `json:"task_id"`
	Trial       field.Raw `json:"trial"`
	Seed        field.Raw `json:"seed"`
	Start       field.Raw `json:"start_time"`
	Termination string    `json:"termination_reason"`
	Reward      *struct {
		Reward *float64 `json:"reward"`
	} `json:"reward_info"`
	Messages jsontext.Value `json:"messages"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	var wire results
	if err := record.Unmarshal(in.Value, &wire); err != nil {
		return dialect.Output{}, err
	}
	if wire.Simulations.Kind() != '[' {
		return dialect.Output{}, dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/simulations",
			Message: "simulations is a list of runs; send the result file as tau2-bench wrote it",
		}
	}
	var out dialect.Output
	for unit, err := range record.Each(wire.Simulations, dialect.Array) {
		if err != nil {
			return out, record.Refuse(err).Within(0, "/simulations")
		}
		fragment, err := wire.Info.run(unit.Value)
		if err != nil {
			reject := unit.Place(record.Refuse(err))
			out.Rejects = append(out.Rejects, reject.Within(0, "/simulations"))
			continue
		}
		out.Fragments = append(out.Fragments, fragment)
	}
	return out, nil
}

// run reads one simulation.
func (i *info) run(value []byte) (transcript.Fragment, error) {
	var wire simulation
	if err := record.Unmarshal(value, &wire); err != nil {
		return transcript.Fragment{}, err
	}
	messages, err := decodeMessages(wire.Messages)
	if err != nil {
		return transcript.Fragment{}, record.Refuse(err).Within(0, "/messages")
	}
	return transcript.Fragment{
		Meta: transcript.Meta{
			ID:          wire.id(),
			Agent:       i.Agent.Implementation,
			Model:       i.Agent.Model,
			Attributes:  i.attributes(&wire),
			Ended:       true,
			EndReason:   endReason(wire.Termination),
			TaskSuccess: wire.success(),
		},
		Snapshot: true,
		Ended:    true,
		Messages: messages,
	}, nil
}

// id is the simulation's own; files of old versions lack it, so that task, trial, seed and start take its place.
func (s *simulation) id() transcript.RunID {
	if s.ID != "" {
		return transcript.RunID(s.ID)
	}
	return dialect.DeriveRunID("tau2", s.TaskID.Text, s.Trial.Text, s.Seed.Text, s.Start.Text)
}

func (i *info) attributes(s *simulation) map[string]string {
	attributes := map[string]string{}
	for name, value := range map[string]string{
		"domain":             i.Environment.Domain,
		"task_id":            s.TaskID.Object(),
		"trial":              s.Trial.Object(),
		"termination_reason": s.Termination,
	} {
		if value != "" {
			attributes[name] = value
		}
	}
	return attributes
}

func (s *simulation) success() *bool {
	if s.Reward == nil || s.Reward.Reward == nil {
		return nil
	}
	solved := *s.Reward.Reward == 1
	return &solved
}

// endReason translates why a simulation ended. The user's model stops when it has what it wanted, or was handed over.
func endReason(termination string) transcript.EndReason {
	switch termination {
	case "user_stop", "agent_stop":
		return transcript.EndCompleted
	case "max_steps":
		return transcript.EndTurnLimit
	case "too_many_errors", "agent_error", "user_error", "infrastructure_error", "unexpected_error", "context_window_exceeded":
		return transcript.EndError
	case "timeout":
		return transcript.EndCancelled
	default:
		return ""
	}
}

// split makes one record of each simulation, and several of one that is too large. What the file says of the whole
// experiment is repeated in each, without the tasks and policies, which no run needs.
func split(in dialect.Input, most int) ([]dialect.Part, []dialect.Reject) {
	var rejects []dialect.Reject
	parts, unread := record.SplitEach(in.Value, func(file []byte) ([]dialect.Part, error) {
		var wire results
		if err := record.Unmarshal(file, &wire); err != nil {
			return nil, err
		}
		before, after := wire.Info.frame()
		runs, refused := record.SplitEach(wire.Simulations, func(run []byte) ([]dialect.Part, error) {
			return wire.Info.splitRun(run, most-len(before)-len(after))
		})
		for _, reject := range refused {
			rejects = append(rejects, reject.Within(0, "/simulations"))
		}
		for i := range runs {
			runs[i].Value = slices.Concat([]byte(before), runs[i].Value, []byte(after))
		}
		return runs, nil
	})
	return parts, append(rejects, unread...)
}

func (i *info) splitRun(value []byte, most int) ([]dialect.Part, error) {
	fragment, err := i.run(value)
	if err != nil {
		return nil, err
	}
	cut := record.Cut{Object: value, List: "messages", Most: most}
	return cut.RunParts(fragment.Meta.ID)
}

// frame gives what stands before and after a simulation in a part.
func (i *info) frame() (before, after string) {
	return `{"info":{"agent_info":{"implementation":` + quote(i.Agent.Implementation) + `,"llm":` + quote(i.Agent.Model) +
		`},"environment_info":{"domain_name":` + quote(i.Environment.Domain) + `}},"simulations":[`, `]}`
}

func quote(text string) string {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return strconv.Quote("")
	}
	return string(quoted)
}
