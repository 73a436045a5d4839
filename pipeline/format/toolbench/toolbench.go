// Package toolbench reads the answers of ToolBench: a tree of what a depth-first search tried, thoughts, calls and their
// observations. A generation is a thought, or a call, or both; a node with several children was gone back to.
//
// An observation has a code: 0 is an answer, 3 and 4 are how the agent ends a branch, 1 is a tool that does not exist, all
// others are failures. Observations are cut at a length, so that their JSON often does not parse; their own member
// "error" comes first and is read all the same, an empty one says nothing.
package toolbench

import (
	"regexp"
	"strconv"
	"strings"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "toolbench",
	Title:     "ToolBench answer",
	Source:    "OpenBMB/ToolBench (toolbench/inference/Algorithms/DFS.py, Tree/Tree.py, Downstream_tasks/rapidapi.py)",
	Unit:      dialect.UnitObject,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.Split(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	return first.Kind("tree") == '{' && first.Kind("answer_generation") == '{' && first.Has("win")
}

type answer struct {
	Win  *bool `json:"win"`
	Tree struct {
		Root *node `json:"tree"`
	} `json:"tree"`
	Generation struct {
		Query  string `json:"query"`
		Final  string `json:"final_answer"`
		Finish string `json:"finish_type"`
		Valid  bool   `json:"valid_data"`
	} `json:"answer_generation"`
}

type node struct {
	Type        string                 `json:"node_type"`
	Description field.Raw              `json:"description"`
	Observation field.Raw              `json:"observation"`
	Code        *int                   `json:"observation_code"`
	Children    record.PartList[*node] `json:"children"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	var wire answer
	if err := record.Unmarshal(in.Value, &wire); err != nil {
		return dialect.Output{}, err
	}
	if wire.Tree.Root == nil {
		return dialect.Output{}, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/tree/tree",
			Message: "an answer holds the tree of its search; send the file as ToolBench wrote it",
		}
	}
	w := walker{messages: []transcript.Message{{ID: "0", Role: transcript.RoleUser, Text: wire.Generation.Query}}}
	w.under(wire.Tree.Root, place{id: "0"})
	if w.damage != nil {
		return dialect.Output{}, w.damage
	}
	id := dialect.DeriveRunID("toolbench", append(w.pieces, wire.Generation.Query)...)
	meta := transcript.Meta{ID: id, Agent: "toolbench", Ended: true, EndReason: transcript.EndTurnLimit}
	if wire.Generation.Valid {
		meta.EndReason = transcript.EndCompleted
	}
	if wire.Win != nil { // it tells that an answer was given, not that it was right
		meta.Attributes = map[string]string{"win": strconv.FormatBool(*wire.Win), "finish_type": wire.Generation.Finish}
	}
	return dialect.Output{Fragments: []transcript.Fragment{{
		Meta: meta, First: transcript.Unplaced, Ended: true, Messages: w.messages,
	}}}, nil
}

// beginning is how many nodes tell a search from others for the same question: those of its first two or three calls.
const beginning = 6

// walker makes messages of a tree. A search goes into a child before it makes the next, so that the order of the walk is
// the order of time.
type walker struct {
	messages []transcript.Message
	pieces   []string // by which the run is known: how the search began
	nodes    int
	damage   error
}

// place is where the walk stands.
type place struct {
	id      string // of the message before
	thought *transcript.Message
	tool    string // that a call is being made of
}

func (w *walker) under(n *node, at place) {
	for i, child := range n.Children {
		if child == nil || w.damage != nil {
			continue
		}
		next := at
		if i > 0 {
			next.thought = nil // it belongs to the first child, the others are generations of their own
		}
		w.visit(child, next)
	}
	if len(n.Children) == 0 {
		w.close(at)
	}
}

func (w *walker) visit(n *node, at place) {
	if w.nodes++; w.nodes > record.MaxMessages/2 {
		w.damage = dialect.Reject{Reason: dialect.ReasonTooLarge, Pointer: "/tree", Message: "the tree has too many nodes; split it"}
		return
	}
	if w.nodes <= beginning {
		w.pieces = append(w.pieces, n.Type, n.Description.Text, n.Observation.Text)
	}
	switch n.Type {
	case "Thought":
		at = w.close(at)
		at.thought = &transcript.Message{Role: transcript.RoleAssistant, Text: n.Description.Object()}
	case "Action":
		at.tool = n.Description.Object()
	case "Action Input":
		if at.tool == "" {
			break
		}
		at = w.call(n, at)
	}
	w.under(n, at)
}

// close writes a thought that no call followed.
func (w *walker) close(at place) place {
	if at.thought == nil {
		return at
	}
	at.id = w.add(*at.thought, at.id)
	at.thought = nil
	return at
}

func (w *walker) call(n *node, at place) place {
	m := transcript.Message{Role: transcript.RoleAssistant}
	if at.thought != nil {
		m = *at.thought
	}
	number := strconv.Itoa(w.nodes)
	call := transcript.Call{ID: "call-" + number, Tool: transcript.Tool(at.tool), Arguments: n.Description.Object()}
	call.Unknown = n.Code != nil && *n.Code == unknownTool
	m.Calls = []transcript.Call{call}
	at.id = w.add(m, at.id)
	if n.Code != nil || n.Observation.Object() != "" {
		at.id = w.add(transcript.Message{Role: transcript.RoleTool, Results: []transcript.Result{{
			CallID: call.ID, Body: n.Observation.Object(), Flag: flagOf(n),
		}}}, at.id)
	}
	at.thought, at.tool = nil, ""
	return at
}

func (w *walker) add(m transcript.Message, parent string) string {
	m.ID, m.Parent, m.Seq = strconv.Itoa(len(w.messages)), parent, int64(len(w.messages))
	w.messages = append(w.messages, m)
	return m.ID
}

const unknownTool = 1

// begun is how an observation begins, cut or not.
var begun = regexp.MustCompile(`^\s*\{\s*"error":\s*"((?:[^"\\]|\\.)*)`)

func flagOf(n *node) transcript.Flag {
	if said := begun.FindStringSubmatch(n.Observation.Object()); said != nil && strings.TrimSpace(said[1]) != "" {
		return transcript.FlagError
	}
	switch {
	case n.Code == nil:
		return transcript.FlagUnset
	case *n.Code == 0 || *n.Code == 3 || *n.Code == 4:
		return transcript.FlagOK
	default:
		return transcript.FlagError
	}
}
