// Package taubench reads the result files of tau-bench: a list of runs, each with its task, trial, reward and the
// OpenAI chat messages of the agent and a simulated user.
package taubench

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/openai"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "taubench",
	Title:     "tau-bench result file",
	Source:    "sierra-research/tau-bench",
	Unit:      dialect.UnitObject,
	Detect:    detect,
	Decode:    decode,
	Split:     split,
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	return first.Has("task_id", "reward", "trial") && first.Kind("traj") == '['
}

type run struct {
	TaskID field.Raw      `json:"task_id"`
	Trial  field.Raw      `json:"trial"`
	Reward *float64       `json:"reward"`
	Info   info           `json:"info"`
	Traj   jsontext.Value `json:"traj"`
}

type info struct {
	UserCost field.Raw `json:"user_cost"`
	Error    field.Raw `json:"error"`
	Task     task      `json:"task"`
}

type task struct {
	UserID field.Raw `json:"user_id"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	wire, err := read(in.Value)
	if err != nil {
		return dialect.Output{}, err
	}
	messages, err := openai.Decode(wire.Traj)
	if err != nil {
		return dialect.Output{}, record.Refuse(err).Within(0, "/traj")
	}
	dialect.DistinctIDs(messages)
	return dialect.Output{Fragments: []transcript.Fragment{{
		Meta: transcript.Meta{
			ID:          wire.id(messages),
			Attributes:  wire.attributes(),
			Ended:       true,
			EndReason:   wire.endReason(messages),
			TaskSuccess: success(wire.Reward),
		},
		Snapshot: true,
		Ended:    true,
		Messages: messages,
	}}}, nil
}

func read(value []byte) (*run, error) {
	var wire run
	if err := record.Unmarshal(value, &wire); err != nil {
		return nil, err
	}
	if wire.TaskID.IsNull() {
		return nil, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/task_id",
			Message: "a run names no task; send the result file as tau-bench wrote it",
		}
	}
	if wire.Traj.Kind() != '[' {
		return nil, dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/traj",
			Message: "traj is a list of chat messages",
		}
	}
	return &wire, nil
}

// id derives the run's name, since result files have none. Two files hold the same tasks and trials, so what the user's
// model cost and how the conversation began tell their runs apart. The beginning, up to the agent's first message, stays
// the same however long the run becomes.
func (r *run) id(messages []transcript.Message) transcript.RunID {
	pieces := []string{r.TaskID.Text, r.Trial.Text, r.Info.UserCost.Text, r.Info.Task.UserID.Text}
	for _, message := range messages {
		pieces = append(pieces, string(message.Role), message.Text)
		if message.Role == transcript.RoleAssistant {
			break
		}
	}
	beginning := "tau-" + clip(r.TaskID.Text)
	if !r.Trial.IsNull() {
		beginning += "-" + clip(r.Trial.Text)
	}
	return dialect.DeriveRunID(beginning, pieces...)
}

// clip keeps a run id short, whatever stands in the place of a number.
func clip(text string) string {
	const most = 32
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "")
	}
	return text
}

func (r *run) attributes() map[string]string {
	attributes := map[string]string{"task_id": r.TaskID.Text}
	if !r.Trial.IsNull() {
		attributes["trial"] = r.Trial.Text
	}
	return attributes
}

func success(reward *float64) *bool {
	if reward == nil {
		return nil
	}
	solved := *reward == 1
	return &solved
}

// endReason tells how a run ended. The program ends it when the user's model says its stop word, when the agent hands
// over to a person, or when the agent has had as many steps as it is allowed.
func (r *run) endReason(messages []transcript.Message) transcript.EndReason {
	if !r.Info.Error.IsNull() {
		return transcript.EndError
	}
	if len(messages) == 0 {
		return ""
	}
	last := messages[len(messages)-1]
	switch last.Role {
	case transcript.RoleUser:
		if strings.Contains(last.Text, "###STOP###") {
			return transcript.EndCompleted
		}
		return transcript.EndTurnLimit
	case transcript.RoleTool:
		if strings.HasPrefix(string(last.Results[0].Tool), "transfer_to_human") {
			return transcript.EndCompleted
		}
		return transcript.EndTurnLimit
	}
	return ""
}

// split makes one record of each run, and several of a run that is too large.
func split(in dialect.Input, most int) ([]dialect.Part, []dialect.Reject) {
	return record.SplitEach(in.Value, func(object []byte) ([]dialect.Part, error) { return splitRun(object, most) })
}

func splitRun(value []byte, most int) ([]dialect.Part, error) {
	wire, err := read(value)
	if err != nil {
		return nil, err
	}
	messages, err := openai.Decode(wire.Traj)
	if err != nil {
		return nil, record.Refuse(err).Within(0, "/traj")
	}
	cut := record.Cut{Object: value, List: "traj", Most: most}
	return cut.RunParts(wire.id(messages))
}
