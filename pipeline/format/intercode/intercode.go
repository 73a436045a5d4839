// Package intercode reads the result files of InterCode: an object of runs by their index, each with lists of actions
// and of what the environment (a database, a shell, a Python interpreter) answered to them.
//
// An action is a call of its environment. valid_action says whether it was executed without an error: in the shell that
// its exit status was 0, in the database that no exception came; the Python environment never says, and its answers are
// Python dictionaries with an error in them. What the tests said of a function is the task's answer, no error of a call.
// The action submit repeats the last observation, which is none of its own.
package intercode

import (
	"cmp"
	"regexp"
	"slices"
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
	Name:      "intercode",
	Title:     "InterCode result file",
	Source:    "princeton-nlp/intercode (experiments/eval_n_turn.py, eval_react.py)",
	Unit:      dialect.UnitObject,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.Split(decode),
	WholeRuns: true,
}

// detect looks at the first run of the file, whose name is its index.
func detect(shape dialect.Shape) bool {
	runs := shape.First()
	if len(runs) == 0 || runs[0].Value.Kind() != '{' {
		return false
	}
	if _, err := strconv.Atoi(runs[0].Name); err != nil {
		return false
	}
	inner, _ := record.ShapeOf(runs[0].Value)
	return inner.First().Has("environment", "turn_history")
}

type run struct {
	Environment string    `json:"environment"`
	Dataset     string    `json:"dataset"`
	Task        field.Raw `json:"task_id"`
	Query       string    `json:"query"`
	History     history   `json:"turn_history"`
	Summary     struct {
		Reward *float64 `json:"max_reward"`
		Taken  int      `json:"turns_taken"`
		Most   int      `json:"turns_max"`
	} `json:"summary"`
}

type history struct {
	Thoughts     record.PartList[field.Raw]   `json:"thoughts"`
	Actions      record.PartList[field.Raw]   `json:"actions"`
	Observations record.PartList[field.Raw]   `json:"observations"`
	Valid        record.PartList[field.Truth] `json:"valid_action"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	shape, err := record.ShapeOf(in.Value)
	if err != nil {
		return dialect.Output{}, err
	}
	members := slices.Clone(shape.First())
	if len(members) == 0 {
		return dialect.Output{}, dialect.Reject{
			Reason: dialect.ReasonMissingField, Message: "there are no runs in it; send the file as InterCode wrote it",
		}
	}
	slices.SortStableFunc(members, func(a, b dialect.Member) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	var out dialect.Output
	for _, member := range members {
		fragment, err := readRun(member.Value)
		if err != nil {
			reject := record.Refuse(err).Within(offset(in.Value, member.Value), pointer(member.Name))
			out.Rejects = append(out.Rejects, reject)
			continue
		}
		out.Fragments = append(out.Fragments, fragment)
	}
	return out, nil
}

func pointer(name string) string {
	return "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// offset is the place of a member's value, which is a part of the input's own bytes.
func offset(value, member []byte) int64 {
	return int64(cap(value) - cap(member))
}

func readRun(value jsontext.Value) (transcript.Fragment, error) {
	var wire run
	if err := record.Unmarshal(value, &wire); err != nil {
		return transcript.Fragment{}, err
	}
	h := &wire.History
	if wire.Environment == "" || len(h.Actions) != len(h.Observations) {
		return transcript.Fragment{}, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/turn_history",
			Message: "a run names its environment and has as many observations as actions; send the file as InterCode wrote it",
		}
	}
	messages := []transcript.Message{{Role: transcript.RoleUser, Text: wire.Query}}
	for i := range h.Actions {
		messages = append(messages, wire.said(i), wire.observed(i))
	}
	solved := wire.Summary.Reward != nil && *wire.Summary.Reward == 1
	meta := transcript.Meta{
		ID: wire.id(messages), Agent: "intercode", Ended: true, EndReason: transcript.EndCompleted,
		Attributes: map[string]string{"environment": wire.Environment, "dataset": wire.Dataset, "task_id": wire.Task.Text},
	}
	if wire.Summary.Reward != nil {
		meta.TaskSuccess = &solved
	}
	if !solved && wire.Summary.Taken >= wire.Summary.Most && wire.Summary.Most > 0 {
		meta.EndReason = transcript.EndTurnLimit
	}
	return transcript.Fragment{Meta: meta, Snapshot: true, Ended: true, Messages: messages}, nil
}

// id is made of the task and of how the run began: files name no model.
func (r *run) id(messages []transcript.Message) transcript.RunID {
	pieces := append([]string{r.Dataset, strconv.Itoa(r.Summary.Most)}, dialect.Beginning(messages)...)
	const most = 64
	name := r.Environment + "-" + r.Task.Text
	return dialect.DeriveRunID("intercode-"+strings.ToValidUTF8(name[:min(len(name), most)], ""), pieces...)
}

const submit = "submit"

// react is how the ReAct experiments wrap an action.
var react = regexp.MustCompile(`(?s)^execute\[(.*)\]$`)

func (r *run) said(i int) transcript.Message {
	m := transcript.Message{Role: transcript.RoleAssistant}
	if i < len(r.History.Thoughts) {
		m.Text = r.History.Thoughts[i].Object()
	}
	action := strings.TrimSpace(r.History.Actions[i].Object())
	if action == submit {
		m.Calls = []transcript.Call{{Tool: submit}}
		return m
	}
	if inner := react.FindStringSubmatch(action); inner != nil {
		action = inner[1]
	}
	tool, name := strings.TrimPrefix(r.Environment, "ic_"), "action"
	switch tool {
	case "bash":
		name = "command"
	case "sql":
		name = "query"
	case "python":
		name = "code"
	}
	out, _ := jsontext.AppendQuote([]byte{'{'}, name)
	out, _ = jsontext.AppendQuote(append(out, ':'), action)
	m.Calls = []transcript.Call{{Tool: transcript.Tool(tool), Arguments: string(append(out, '}'))}}
	return m
}

// failed is an answer of the Python environment: a dictionary as Python prints it.
var failed = regexp.MustCompile(`(?s)^\{(?:'output': .*, )?'error': (.*)\}$`)

func (r *run) observed(i int) transcript.Message {
	result := transcript.Result{Body: r.History.Observations[i].Object()}
	valid := transcript.Unset
	if i < len(r.History.Valid) {
		valid = r.History.Valid[i].State
	}
	switch {
	case strings.TrimSpace(r.History.Actions[i].Object()) == submit:
		result = transcript.Result{Flag: transcript.FlagOK}
	case r.Environment == "ic_bash" && result.Body != "Malformed command" && valid != transcript.Unset:
		// Of the exit status the file keeps only whether it was 0.
		status := 0
		if valid == transcript.False {
			status = 1
		}
		result.ExitCode = &status
	case valid == transcript.False:
		result.Flag = transcript.FlagError
	case valid == transcript.True:
		result.Flag = transcript.FlagOK
	default:
		if said := failed.FindStringSubmatch(result.Body); said != nil && said[1] != "''" && said[1] != `""` && said[1] != "None" {
			result.Flag = transcript.FlagError
		}
	}
	return transcript.Message{Role: transcript.RoleTool, Results: []transcript.Result{result}}
}
