// Package whoandwhen reads the logs of Who&When: conversations of several agents on one task, of AG2 (a group chat with a
// terminal that runs the code in what is said) and of Magentic-One (an orchestrator and its agents).
//
// A call is the code of one message, all its blocks together, since the terminal runs them together and answers with one
// exit code in a message that begins with exitcode. Code that the terminal never came to is no call. What Magentic-One's
// surfers did stands only in their prose, so that their logs have calls only where its terminal answered.
package whoandwhen

import (
	"regexp"
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
	Name:      "whoandwhen",
	Title:     "Who&When failure log",
	Source:    "ag2ai/Agents_Failure_Attribution; ag2ai/ag2 (execute_code_blocks of the conversable agent), microsoft/autogen Magentic-One",
	Unit:      dialect.UnitObject,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.Split(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	return first.Kind("history") == '[' && first.Has("question", "mistake_agent", "mistake_step")
}

type log struct {
	ID        field.Raw      `json:"question_ID"`
	Question  string         `json:"question"`
	Correct   *bool          `json:"is_correct"`
	Corrected *bool          `json:"is_corrected"`
	History   jsontext.Value `json:"history"`
}

type said struct {
	Role    string    `json:"role"`
	Name    string    `json:"name"`
	Content field.Raw `json:"content"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	var wire log
	if err := record.Unmarshal(in.Value, &wire); err != nil {
		return dialect.Output{}, err
	}
	if wire.History.Kind() != '[' {
		return dialect.Output{}, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/history", Message: "a log has a history; send the file as it was published",
		}
	}
	var r reader
	if _, err := record.List(wire.History, r.read); err != nil {
		return dialect.Output{}, record.Refuse(err).Within(0, "/history")
	}
	success := wire.Correct
	if success == nil {
		success = wire.Corrected
	}
	return dialect.Output{Fragments: []transcript.Fragment{{
		Meta: transcript.Meta{
			ID: dialect.DeriveRunID("whoandwhen", append(dialect.Beginning(r.messages), wire.ID.Text, wire.Question)...), Agent: r.program(),
			Attributes: map[string]string{"question_id": wire.ID.Object()}, TaskSuccess: success, Ended: true,
		},
		Snapshot: true,
		Ended:    true,
		Messages: r.messages,
	}}}, nil
}

// reader reads a history in its order.
type reader struct {
	messages []transcript.Message
	count    int  // of messages
	named    bool // messages name their speaker, as AG2 has it
}

func (r *reader) program() string {
	if r.named {
		return "ag2"
	}
	return "magentic-one"
}

// terminals are the speakers that run code.
var terminals = map[string]bool{"Computer_terminal": true, "ComputerTerminal": true}

func (r *reader) read(m *said) (struct{}, error) {
	text := m.Content.Object()
	speaker := m.Name
	if speaker == "" {
		speaker = m.Role
	} else {
		r.named = true
	}
	r.count++
	out := transcript.Message{Role: transcript.RoleAssistant, Text: text}
	status, ran := statusOf(text)
	switch {
	case terminals[speaker] && ran && r.ask(speaker):
		out = transcript.Message{Role: transcript.RoleTool, Results: []transcript.Result{{
			CallID: "call-" + strconv.Itoa(r.count), Body: text, ExitCode: &status,
		}}}
	case terminals[speaker]:
		out.Role = transcript.RoleHarness
	case len(r.messages) == 0, m.Role == "human":
		out.Role = transcript.RoleUser
	}
	r.messages = append(r.messages, out)
	return struct{}{}, nil
}

var statusLine = regexp.MustCompile(`^\s*exitcode: (-?\d{1,6}) \(execution \w+\)|Unix exit code: (-?\d{1,6})`)

func statusOf(text string) (status int, ran bool) {
	found := statusLine.FindStringSubmatch(text[:min(len(text), 400)])
	if found == nil {
		return 0, false
	}
	status, err := strconv.Atoi(found[1] + found[2])
	return status, err == nil
}

// block is code in a message, with its language.
var block = regexp.MustCompile("(?s)```[ \\t]*([\\w+-]*)[ \\t]*\\r?\\n(.*?)\\r?\\n?```")

// ask makes the call that a terminal's message answers: the code of the last message that has some.
func (r *reader) ask(speaker string) bool {
	const most = 5 // messages that a terminal looks back
	for i := len(r.messages) - 1; i >= max(len(r.messages)-most, 0); i-- {
		m := &r.messages[i]
		if m.Role != transcript.RoleAssistant && i > 0 {
			continue
		}
		found := block.FindAllStringSubmatch(m.Text, record.MaxParts)
		if found == nil {
			continue
		}
		var code []string
		for _, b := range found {
			code = append(code, b[2])
		}
		out, _ := jsontext.AppendQuote([]byte(`{"language":`), found[0][1])
		out, _ = jsontext.AppendQuote(append(out, `,"code":`...), strings.Join(code, "\n"))
		m.Role = transcript.RoleAssistant // the task's own code was written by the agent that manages the others
		m.Calls = append(m.Calls, transcript.Call{
			ID: "call-" + strconv.Itoa(r.count), Tool: transcript.Tool(speaker), Arguments: string(append(out, '}')),
		})
		return true
	}
	return false
}
