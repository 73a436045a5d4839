// Package antigravity reads the transcripts that the command line of Antigravity keeps: JSON lines, one for each step of the
// conversation. The program documents no schema; what is read here was learnt from transcripts that people published.
//
// A step of the planner holds calls without ids. What came of each is a step of its own, named by its kind and not by the
// tool; it belongs to the oldest unanswered call of a tool of that kind in the step of the planner before it. A step that no call stands for is counted as a
// result without one. Long fields were cut by the program.
package antigravity

import (
	"strconv"
	"strings"
	"time"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/pipeline/format/session"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "antigravity",
	Title:     "Antigravity transcript",
	Source:    "Antigravity's command line, brain/ID/.system_generated/logs/transcript.jsonl",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.SplitNamed(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	return shape.First().Has("step_index", "source", "type", "status")
}

// line is one step.
type line struct {
	Index    field.Count           `json:"step_index"`
	Source   string                `json:"source"`
	Type     string                `json:"type"`
	Status   string                `json:"status"`
	Created  field.Time            `json:"created_at"`
	Content  field.Raw             `json:"content"`
	Thinking field.Raw             `json:"thinking"`
	Error    field.Raw             `json:"error"`
	Calls    record.PartList[call] `json:"tool_calls"`
}

type call struct {
	Name string `json:"name"`
	Args args   `json:"args"`
}

// open is a call without a result.
type open struct {
	id   string
	kind string
}

type reader struct {
	first    string // what the first step says, and when
	began    time.Time
	model    string
	messages []transcript.Message
	open     []open
}

func decode(in dialect.Input) (dialect.Output, error) {
	var r reader
	rejects, err := session.Each(in, r.read)
	if err != nil {
		return dialect.Output{}, err
	}
	id := session.Folder(in.Path, "brain")
	run := session.RunOr(in, id)
	if run == "" && !r.began.IsZero() {
		run = dialect.DeriveRunID("antigravity", r.began.Format(time.RFC3339Nano), r.first)
	}
	if run == "" {
		if len(r.messages) > 0 || len(rejects) == 0 {
			rejects = append(rejects, session.Nameless())
		}
		return dialect.Output{Rejects: rejects}, nil
	}
	return dialect.Output{Rejects: rejects, Fragments: []transcript.Fragment{{
		Meta: transcript.Meta{ID: run, Agent: "antigravity", Model: r.model}, Snapshot: true, Messages: r.messages,
	}}}, nil
}

func (r *reader) read(unit record.Record) error {
	var l line
	if err := record.Unmarshal(unit.Value, &l); err != nil {
		return err
	}
	if l.Type == "" {
		return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/type", Message: "the step does not say its type; send the transcript as Antigravity wrote it"}
	}
	m := transcript.Message{Time: l.Created.Time, Role: transcript.RoleHarness, Text: l.Content.Object()}
	if r.began.IsZero() && len(r.messages) == 0 {
		r.began, r.first = m.Time, m.Text
	}
	switch {
	case l.Type == "USER_INPUT":
		r.open = nil
		if model := chosen(m.Text); model != "" {
			r.model = model
		}
		if m.Text = request(m.Text); l.Source == "USER_EXPLICIT" {
			m.Role = transcript.RoleUser
		}
	case l.Type == "PLANNER_RESPONSE":
		m.Role, m.Reasoning = transcript.RoleAssistant, l.Thinking.Object()
		return r.planned(&l, m)
	case l.Source == "MODEL":
		r.came(&l, m)
		return nil
	}
	r.messages = append(r.messages, m)
	return nil
}

// planned adds a message of the model's. Calls get ids of the step that they stand in.
func (r *reader) planned(l *line, m transcript.Message) error {
	r.open = nil
	for i := range l.Calls {
		c := &l.Calls[i]
		if c.Name == "" {
			return dialect.Reject{
				Reason: dialect.ReasonMissingField, Pointer: "/tool_calls/" + strconv.Itoa(i) + "/name",
				Message: "a call names no tool; give the name that the model wrote",
			}
		}
		id := strconv.Itoa(len(r.messages)) + "/" + strconv.Itoa(i)
		m.Calls = append(m.Calls, transcript.Call{ID: id, Tool: transcript.Tool(c.Name), Arguments: c.Args.text})
		r.open = append(r.open, open{id, kindOf(c.Name)})
	}
	r.messages = append(r.messages, m)
	return nil
}

// came adds what came of a call.
func (r *reader) came(l *line, m transcript.Message) {
	result := transcript.Result{Body: m.Text, Tool: transcript.Tool(strings.ToLower(l.Type)), ExitCode: exitOf(m.Text)}
	if message := l.Error.Object(); message != "" {
		result.Body, result.Flag = field.Lines(message, m.Text), transcript.FlagError
	}
	switch strings.ToUpper(l.Status) {
	case "ERROR", "FAILED", "INVALID":
		result.Flag = transcript.FlagError
	case "CANCELED", "CANCELLED", "INTERRUPTED":
		result.Fate = transcript.FateCancelled
	case "RUNNING", "PENDING", "WAITING", "GENERATING":
		result.Fate = transcript.FateRunning
	}
	m.Role, m.Text = transcript.RoleTool, ""
	if at := r.answers(l.Type); at >= 0 {
		result.CallID, result.Tool = r.open[at].id, ""
		if result.Fate != transcript.FateRunning {
			r.open = append(r.open[:at:at], r.open[at+1:]...)
		}
	} else {
		result.CallID = "step " + strconv.Itoa(len(r.messages)) // of no call
	}
	m.Results = []transcript.Result{result}
	r.messages = append(r.messages, m)
}

// answers finds the open call that a step of a kind answers: the oldest of a tool of that kind, else the oldest of a tool
// whose kind is not known. -1: none.
func (r *reader) answers(kind string) int {
	const most = 256 // more calls at once than any planner makes
	unknown := -1
	for i := range r.open[:min(len(r.open), most)] {
		switch {
		case r.open[i].kind == kind:
			return i
		case r.open[i].kind == "" && unknown < 0:
			unknown = i
		}
	}
	return unknown
}
