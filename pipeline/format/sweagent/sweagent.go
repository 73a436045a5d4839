// Package sweagent reads the trajectories of SWE-agent (.traj) and of mini-SWE-agent (.traj.json).
//
// Both hold one run. mini-SWE-agent writes OpenAI chat messages with metadata beside them: the exit status of a command
// and the response that a message came from. SWE-agent writes a history, in which old versions have the calls as text
// and the observations as user messages, and a list of steps beside it, which also holds the last step.
package sweagent

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "sweagent",
	Title:     "SWE-agent and mini-SWE-agent trajectory",
	Source:    "SWE-agent/SWE-agent (get_trajectory_data), SWE-agent/mini-swe-agent (trajectory_format mini-swe-agent-1 and -1.1)",
	Unit:      dialect.UnitObject,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.Split(decode),
	WholeRuns: true,
}

const miniFormat = "mini-swe-agent"

func detect(shape dialect.Shape) bool {
	first := shape.First()
	if strings.HasPrefix(first.Text("trajectory_format"), miniFormat) {
		return first.Kind("messages") == '['
	}
	// A file that is damaged later is known by how it begins.
	if info, _ := record.ShapeOf(first.Get("info")); info.First().Has("mini_version", "model_stats") {
		return true
	}
	if first.Kind("history") != '[' {
		return false
	}
	if first.Kind("trajectory") == '[' && first.Has("environment") {
		return true
	}
	// A demonstration holds nothing but the history, whose messages name their agent.
	head, _ := record.ShapeOf(first.Get("history"))
	return len(first) == 1 && head.First().Has("role", "content", "agent")
}

func decode(in dialect.Input) (dialect.Output, error) {
	shape, _ := record.ShapeOf(in.Value) // what is wrong with it, reading it says
	read := decodeFull
	if !shape.First().Has("history") {
		read = decodeMini
	}
	out, err := read(in.Value)
	if err == nil {
		return out, nil
	}
	// A trajectory is one value, so that damage anywhere costs all of it.
	if reject := record.Refuse(err); reject.Reason == dialect.ReasonMalformedJSON && len(shape.Heads) > 0 {
		return dialect.Output{Rejects: []dialect.Reject{reject}}, nil
	}
	return out, err
}

// noList refuses a member that should be a list of messages.
func noList(name string) error {
	return dialect.Reject{
		Reason: dialect.ReasonWrongType, Pointer: "/" + name,
		Message: name + " is a list of messages; send the trajectory as the program wrote it",
	}
}

func noRole(role string) error {
	return dialect.Reject{
		Reason: dialect.ReasonWrongType, Pointer: "/role",
		Message: strconv.Quote(role) + " is no role of a trajectory's message",
	}
}

// runID derives the run's name from its task and its beginning.
func runID(task string, messages []transcript.Message) transcript.RunID {
	pieces := append([]string{task}, dialect.Beginning(messages)...)
	beginning := "swe"
	if task != "" {
		const most = 64
		beginning += "-" + strings.ToValidUTF8(task[:min(len(task), most)], "")
	}
	return dialect.DeriveRunID(beginning, pieces...)
}

// arguments writes one named argument.
func arguments(name, value string) string {
	out, _ := jsontext.AppendQuote([]byte{'{'}, name)
	out, _ = jsontext.AppendQuote(append(out, ':'), value)
	return string(append(out, '}'))
}
