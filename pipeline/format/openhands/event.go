package openhands

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// event is an action or an observation.
type event struct {
	ID          int64          `json:"id"`
	Time        field.Time     `json:"timestamp"`
	Source      string         `json:"source"`
	Cause       *int64         `json:"cause"`
	Action      string         `json:"action"`
	Args        jsontext.Value `json:"args"`
	Observation string         `json:"observation"`
	Content     field.Raw      `json:"content"`
	Success     field.Truth    `json:"success"`
	Extras      extras         `json:"extras"`
	Call        *metadata      `json:"tool_call_metadata"`
}

type extras struct {
	State    string      `json:"agent_state"`
	ExitCode *int        `json:"exit_code"` // of versions up to 0.16
	Error    field.Truth `json:"error"`
	Metadata struct {
		ExitCode *int `json:"exit_code"`
	} `json:"metadata"`
}

// metadata says which response of the model an event comes from. It is written on the action and on its observation.
type metadata struct {
	Name     string `json:"function_name"`
	ID       string `json:"tool_call_id"`
	Response struct {
		ID      string       `json:"id"`
		Model   string       `json:"model"`
		Usage   *field.Usage `json:"usage"`
		Choices record.PartList[struct {
			Message struct {
				Calls record.PartList[struct {
					ID       string `json:"id"`
					Function struct {
						Arguments field.Raw `json:"arguments"`
					} `json:"function"`
				}] `json:"tool_calls"`
			} `json:"message"`
		}] `json:"choices"`
	} `json:"model_response"`
}

// reader makes messages of events in their order.
type reader struct {
	first    string // the first event as it was written
	messages []transcript.Message
	calls    map[int64]string // ids of calls by the event that made them
	turns    map[string]int   // messages by the response that they are of
	rows     bool             // the input holds rows, not events
	end      transcript.EndReason
}

func (r *reader) add(value []byte) error {
	var e event
	if err := record.Unmarshal(value, &e); err != nil {
		return err
	}
	if e.Action == "" && e.Observation == "" {
		return dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/action",
			Message: "an event is neither an action nor an observation; send the stream as OpenHands wrote it",
		}
	}
	if r.first == "" {
		r.first, r.calls, r.turns = record.Compact(value), map[int64]string{}, map[string]int{}
	}
	if e.Action != "" {
		return r.action(&e)
	}
	r.observe(&e)
	return nil
}

// action reads what the agent, the user or the program did. Changes of the agent's state and the program's own dealing
// with its memory are no words of anyone.
func (r *reader) action(e *event) error {
	var args struct {
		Content  field.Raw `json:"content"`
		Thought  field.Raw `json:"thought"`
		Final    field.Raw `json:"final_thought"`
		State    string    `json:"agent_state"`
		Response field.Raw `json:"response"`
	}
	if len(e.Args) > 0 {
		if err := record.Unmarshal(e.Args, &args); err != nil {
			return record.Refuse(err).Within(0, "/args")
		}
	}
	m := transcript.Message{Role: transcript.RoleAssistant, Time: e.Time.Time}
	switch e.Action {
	case "null", "change_agent_state", "recall", "condensation", "condensation_request", "agent_state_changed":
		return nil
	case "system":
		m.Role, m.Text = transcript.RoleSystem, args.Content.Object()
	case "message", "finish", "reject":
		m.Text = field.Lines(args.Content.Object(), args.Thought.Object(), args.Final.Object())
		switch e.Source {
		case "user":
			m.Role = transcript.RoleUser
		case "environment":
			m.Role = transcript.RoleHarness
		default:
			r.generated(&m, e)
		}
	default:
		m.Text = args.Thought.Object()
		call := transcript.Call{ID: r.callID(e), Tool: transcript.Tool(e.Action), Arguments: ownArguments(e.Args)}
		if e.Source == "user" {
			m.Role, m.Text, call.Actor = transcript.RoleUser, "", transcript.ByUser
		} else {
			r.generated(&m, e)
			e.Call.name(&call)
		}
		m.Calls = []transcript.Call{call}
	}
	r.say(m)
	return nil
}

// say adds a message. The actions of one response stand apart in the stream, each before its observation; they are one
// message here, with one usage.
func (r *reader) say(m transcript.Message) {
	if m.Generation == "" {
		r.messages = append(r.messages, m)
		return
	}
	at, known := r.turns[m.Generation]
	if !known {
		r.turns[m.Generation] = len(r.messages)
		r.messages = append(r.messages, m)
		return
	}
	first := &r.messages[at]
	first.Text = field.Lines(first.Text, m.Text)
	for _, call := range m.Calls {
		call.Time = m.Time
		first.Calls = append(first.Calls, call)
	}
}

// callID gives a call the provider's id, else one of its event.
func (r *reader) callID(e *event) string {
	id := "event-" + strconv.FormatInt(e.ID, 10)
	if e.Call != nil && e.Call.ID != "" {
		id = e.Call.ID
	}
	r.calls[e.ID] = id
	return id
}

// generated says which response of the model a message belongs to.
func (r *reader) generated(m *transcript.Message, e *event) {
	if e.Call == nil {
		return
	}
	m.Generation, m.Model, m.Usage = e.Call.Response.ID, e.Call.Response.Model, e.Call.Response.Usage.Tokens()
}

// name gives a call the name and arguments that the model wrote, where the response is there.
func (c *metadata) name(call *transcript.Call) {
	if c == nil || c.Name == "" {
		return
	}
	call.Tool = transcript.Tool(c.Name)
	for _, choice := range c.Response.Choices {
		for _, written := range choice.Message.Calls {
			if written.ID == c.ID {
				call.Arguments = written.Function.Arguments.Object()
				return
			}
		}
	}
}

// ownArguments leaves out of an action's arguments what the program keeps there for itself.
func ownArguments(args jsontext.Value) string {
	if args.Kind() != '{' {
		return ""
	}
	shape, err := record.ShapeOf(args)
	if err != nil {
		return string(args)
	}
	out := []byte{'{'}
	for _, member := range shape.First() {
		switch member.Name {
		case "thought", "blocking", "is_static", "hidden", "confirmation_state", "security_risk", "kernel_init_code",
			"include_extra", "translated_ipython_code", "impl_source", "file_text_hash", "return_axtree":
			continue
		}
		if member.Value.Kind() == 'n' {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, member.Name)
		out = append(append(out, ':'), member.Value...)
	}
	return record.Compact(append(out, '}'))
}

// observe reads what came back. What no call caused is the program's own word.
func (r *reader) observe(e *event) {
	switch e.Observation {
	case "null":
		return
	case "agent_state_changed":
		r.state(e.Extras.State)
		return
	}
	m := transcript.Message{Role: transcript.RoleHarness, Time: e.Time.Time}
	id, caused := "", false
	if e.Cause != nil {
		id, caused = r.calls[*e.Cause]
	}
	if !caused {
		m.Text = e.Content.Object()
		if m.Text != "" {
			r.messages = append(r.messages, m)
		}
		return
	}
	m.Role, m.Results = transcript.RoleTool, []transcript.Result{e.result(id)}
	r.messages = append(r.messages, m)
}

func (e *event) result(id string) transcript.Result {
	result := transcript.Result{CallID: id, Body: e.Content.Object()}
	if result.ExitCode = e.Extras.Metadata.ExitCode; result.ExitCode == nil {
		result.ExitCode = e.Extras.ExitCode
	}
	switch {
	case e.Observation == "user_rejected":
		result.Fate = transcript.FateRefused
	case result.ExitCode != nil && *result.ExitCode == -1:
		result.Fate = transcript.FateRunning
	case e.Observation == "error", e.Extras.Error.State == transcript.True,
		strings.HasPrefix(result.Body, "ERROR:") && (e.Observation == "edit" || e.Observation == "read"):
		result.Flag = transcript.FlagError
	case result.ExitCode == nil:
		result.Flag = field.Flag(e.Success)
	}
	return result
}

// state notes how the agent ended; it begins anew when the user speaks again.
func (r *reader) state(state string) {
	switch state {
	case "finished":
		r.end = transcript.EndCompleted
	case "error":
		r.end = transcript.EndError
	case "stopped", "rejected":
		r.end = transcript.EndCancelled
	default:
		r.end = ""
	}
}
