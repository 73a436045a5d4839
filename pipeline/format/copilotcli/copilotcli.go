// Package copilotcli reads the events that GitHub Copilot CLI keeps of a session (events.jsonl of a session's state). The
// program documents no schema; what is read here was learnt from sessions that people published. Events stand in the
// order in which they came; a call and its result are joined by the id of the call. The events of a sub-agent name the
// call that runs it. The program counts what a generation wrote, but not what it read, so that no usage is taken from it.
package copilotcli

import (
	"regexp"
	"strconv"
	"strings"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/pipeline/format/session"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "copilot-cli",
	Title:     "GitHub Copilot CLI session",
	Source:    "GitHub Copilot CLI, events of its sessions",
	Unit:      dialect.UnitWhole,
	Detect:    detect,
	Decode:    piece.Decode(decode),
	Split:     piece.SplitWhole(decode),
	WholeRuns: true,
}

func detect(shape dialect.Shape) bool {
	return shape.Any(func(m dialect.Members) bool {
		switch m.Text("type") {
		case "session.start", "session.resume", "user.message", "assistant.message", "assistant.turn_start", "tool.execution_start", "tool.execution_complete":
			return m.Kind("data") == '{' && m.Has("id", "timestamp")
		}
		return false
	})
}

type event struct {
	Type string    `json:"type"`
	Time field.Raw `json:"timestamp"`
	Data data      `json:"data"`
}

type data struct {
	SessionID  string                   `json:"sessionId"`
	Version    field.Raw                `json:"copilotVersion"`
	Selected   field.Raw                `json:"selectedModel"`
	Model      field.Raw                `json:"model"`
	Content    field.Raw                `json:"content"`
	Source     field.Raw                `json:"source"`
	MessageID  field.Raw                `json:"messageId"`
	APICall    field.Raw                `json:"apiCallId"`
	Reasoning  field.Raw                `json:"reasoningText"`
	Requests   record.PartList[request] `json:"toolRequests"`
	CallID     string                   `json:"toolCallId"`
	ParentCall string                   `json:"parentToolCallId"`
	Success    *bool                    `json:"success"`
	Result     answer                   `json:"result"`
	Error      answer                   `json:"error"`
}

type request struct {
	ID        string    `json:"toolCallId"`
	Name      string    `json:"name"`
	Arguments field.Raw `json:"arguments"`
}

// answer is a result, an error, or what a person answered to a question for permission.
type answer struct {
	Content field.Raw `json:"content"`
	Message field.Raw `json:"message"`
	Code    field.Raw `json:"code"`
	Kind    field.Raw `json:"kind"`
}

type reader struct {
	run     string
	meta    transcript.Meta
	threads []*transcript.Fragment
	denied  map[string]bool // calls that a person did not permit
}

func decode(in dialect.Input) (dialect.Output, error) {
	r := reader{denied: make(map[string]bool)}
	rejects, err := session.Each(in, r.read)
	if err != nil {
		return dialect.Output{}, err
	}
	out := dialect.Output{Rejects: rejects}
	run := session.RunOr(in, r.run)
	if run == "" {
		if len(r.threads) > 0 {
			out.Rejects = append(out.Rejects, session.Nameless())
		}
		return out, nil
	}
	if len(r.threads) == 0 {
		r.thread("")
	}
	for _, f := range r.threads {
		f.Meta = r.meta
		f.Meta.ID, f.Meta.Agent = run, "copilot-cli"
		out.Fragments = append(out.Fragments, *f)
	}
	return out, nil
}

// thread gives the fragment of a sub-agent, "" of the agent itself.
func (r *reader) thread(call string) *transcript.Fragment {
	for _, f := range r.threads {
		if f.ParentCall == call {
			return f
		}
	}
	f := &transcript.Fragment{Thread: transcript.ThreadID(call), ParentCall: call, Snapshot: true}
	r.threads = append(r.threads, f)
	return f
}

func (r *reader) read(unit record.Record) error {
	var e event
	if err := record.Unmarshal(unit.Value, &e); err != nil {
		return err
	}
	d := &e.Data
	m := transcript.Message{Role: transcript.RoleHarness}
	m.Time, _ = field.ParseTime(e.Time.Text)
	switch e.Type {
	case "":
		return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/type", Message: "the event does not say its type; send the file as the program wrote it"}
	case "session.start":
		if d.SessionID == "" {
			return session.Nameless()
		}
		r.run, r.meta.AgentVersion, r.meta.Model = d.SessionID, d.Version.Object(), d.Selected.Object()
		return nil
	case "permission.completed":
		r.denied[d.CallID] = strings.HasPrefix(d.Result.Kind.Text, "denied") && strings.Contains(d.Result.Kind.Text, "user")
		return nil
	case "system.message":
		m.Role, m.Text = transcript.RoleSystem, d.Content.Object()
	case "user.message":
		m.Role, m.Text = transcript.RoleUser, d.Content.Object()
		if source := d.Source.Object(); d.ParentCall != "" || source != "" && source != "user" {
			m.Role = transcript.RoleHarness
		}
	case "abort":
		m.Role, m.Text = transcript.RoleUser, "[aborted]"
	case "system.notification":
		m.Text = d.Content.Object()
	case "assistant.message":
		if err := d.assistant(&m); err != nil {
			return err
		}
	case "tool.execution_complete":
		m.Role, m.Results = transcript.RoleTool, []transcript.Result{r.result(d)}
	default:
		return nil // hooks, beginnings and ends of turns, settings
	}
	f := r.thread(d.ParentCall)
	f.Messages = append(f.Messages, m)
	return nil
}

// assistant reads what the model said. Messages of one call of the provider's interface are one generation.
func (d *data) assistant(m *transcript.Message) error {
	m.Role, m.Text, m.Reasoning, m.Model = transcript.RoleAssistant, d.Content.Object(), d.Reasoning.Object(), d.Model.Object()
	if m.Generation = d.APICall.Object(); m.Generation == "" {
		m.Generation = d.MessageID.Object()
	}
	for i := range d.Requests {
		request := &d.Requests[i]
		if request.Name == "" {
			return dialect.Reject{
				Reason: dialect.ReasonMissingField, Pointer: "/data/toolRequests/" + strconv.Itoa(i) + "/name",
				Message: "a call names no tool; give the name that the model wrote",
			}
		}
		m.Calls = append(m.Calls, transcript.Call{ID: request.ID, Tool: transcript.Tool(request.Name), Arguments: request.Arguments.Object()})
	}
	return nil
}

// shellEnd is the line by which the program ends the output of a command.
var shellEnd = regexp.MustCompile(`<(?:shellId: \S+ completed|command \S+ exited|exited) with exit code (-?\d+)>\s*$`)

func (r *reader) result(d *data) transcript.Result {
	result := transcript.Result{CallID: d.CallID, Body: d.Result.Content.Object()}
	if result.Body == "" {
		result.Body = d.Error.Message.Object()
	}
	if d.Success != nil {
		result.Flag = transcript.FlagError
		if *d.Success {
			result.Flag = transcript.FlagOK
		}
	}
	tail := result.Body[max(len(result.Body)-200, 0):]
	if end := shellEnd.FindStringSubmatch(tail); end != nil {
		if status, err := strconv.Atoi(end[1]); err == nil {
			result.ExitCode = &status
		}
	}
	if code := d.Error.Code.Object(); r.denied[d.CallID] || code == "rejected" {
		result.Fate = transcript.FateRefused
	}
	return result
}
