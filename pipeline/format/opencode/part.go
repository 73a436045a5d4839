package opencode

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// part is one part of a message.
type part struct {
	ID        string  `json:"id"`
	SessionID string  `json:"sessionID"`
	MessageID string  `json:"messageID"`
	Type      string  `json:"type"`
	Text      string  `json:"text"`
	Synthetic bool    `json:"synthetic"`
	CallID    string  `json:"callID"`
	Tool      string  `json:"tool"`
	State     state   `json:"state"`
	Time      moments `json:"time"`
	Tokens    *tokens `json:"tokens"`
	Filename  string  `json:"filename"`
	Prompt    string  `json:"prompt"`
}

// state is how far a call has come, and what came of it.
type state struct {
	Status   string    `json:"status"`
	Input    field.Raw `json:"input"`
	Raw      string    `json:"raw"`
	Output   field.Raw `json:"output"`
	Error    string    `json:"error"`
	Metadata metadata  `json:"metadata"`
	Time     moments   `json:"time"`
}

// metadata is what the program knows of a call. Every tool has a shape of its own.
type metadata struct {
	exit        *int
	interrupted bool
	output      string
}

// UnmarshalJSONFrom reads the members that matter, and steps over anything else.
func (m *metadata) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	value, err := decoder.ReadValue()
	if err != nil || value.Kind() != '{' {
		return err
	}
	var known struct {
		Exit        field.Exit `json:"exit"`
		Interrupted field.Raw  `json:"interrupted"`
		Output      field.Raw  `json:"output"`
	}
	if err := record.Unmarshal(value, &known); err != nil {
		return err
	}
	m.exit = known.Exit.Status
	m.interrupted = known.Interrupted.Kind == 't'
	m.output = known.Output.Object()
	return nil
}

// tokens has the cache beside the input. Reasoning is within the output unless the total says otherwise.
type tokens struct {
	Total     field.Count `json:"total"`
	Input     field.Count `json:"input"`
	Output    field.Count `json:"output"`
	Reasoning field.Count `json:"reasoning"`
	Cache     cached      `json:"cache"`
}

type cached struct {
	Read  field.Count `json:"read"`
	Write field.Count `json:"write"`
}

func (t *tokens) usage() *transcript.Usage {
	if t == nil {
		return nil
	}
	u := transcript.Usage{Input: int64(t.Input), CacheRead: int64(t.Cache.Read), CacheWrite: int64(t.Cache.Write), Output: int64(t.Output)}
	if int64(t.Total) == u.Total()+int64(t.Reasoning) {
		u.Output += int64(t.Reasoning)
	}
	if u.Total() == 0 {
		return nil
	}
	return &u
}

// generation is what the parts of one message, or of one step of it, have in common.
type generation struct {
	id              string
	provider, model string
	assistant, user bool
	steps           int
}

// part adds one part.
func (r *reader) part(p *part, g *generation) {
	m := transcript.Message{ID: p.ID, Time: p.Time.Start.Time, Role: transcript.RoleHarness}
	if r.began.IsZero() {
		m.Parent = p.MessageID
	}
	if g.assistant {
		m.Role, m.Generation, m.Provider, m.Model = transcript.RoleAssistant, g.id, g.provider, g.model
	} else if g.user && !p.Synthetic {
		m.Role = transcript.RoleUser
	}
	switch p.Type {
	case "text":
		m.Text = p.Text
	case "reasoning":
		m.Reasoning = p.Text
	case "file":
		m.Text = "[file " + p.Filename + "]"
	case "subtask":
		m.Role, m.Text = transcript.RoleHarness, p.Prompt
	case "compaction":
		m.Role, m.Generation, m.Provider, m.Model, m.Text = transcript.RoleHarness, "", "", "", "[compaction]"
	case "step-finish":
		if m.Usage = p.Tokens.usage(); m.Usage == nil || m.Role != transcript.RoleAssistant {
			return
		}
	case "tool":
		r.tool(p, m)
		return
	default: // snapshots, patches, retries: nothing that the model said or read
		if r.began.IsZero() {
			r.add(transcript.Message{ID: p.ID, Parent: p.MessageID, Role: transcript.RoleHarness})
		}
		return
	}
	if m.ID != "" {
		r.add(m)
	}
}

// tool adds a call, and its result where it came.
func (r *reader) tool(p *part, m transcript.Message) {
	call := transcript.Call{ID: p.CallID, Tool: transcript.Tool(p.Tool), Arguments: p.State.Input.Object()}
	if call.Tool == "" {
		r.err = dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: "/tool", Message: "a call names no tool; send the session as OpenCode wrote it"}
		return
	}
	if p.State.Status == "pending" && p.State.Raw != "" {
		call.Arguments = p.State.Raw // the generation ended while it wrote them
	}
	if m.Time.IsZero() {
		m.Time = p.State.Time.Start.Time
	}
	result, came := p.result()
	if p.Tool == "invalid" {
		asked := p.asked()
		if asked != "" {
			call.Tool = transcript.Tool(asked)
		}
		call.Unknown = strings.Contains(p.State.Input.Text, "unavailable tool")
		if came && result.Fate == transcript.FateRan {
			result.Flag = transcript.FlagError
		}
	}
	m.Role, m.Calls = transcript.RoleAssistant, []transcript.Call{call}
	if m.ID == "" {
		m.ID = p.CallID
	}
	r.add(m)
	if came {
		r.add(transcript.Message{
			ID: m.ID + "/result", Parent: m.ID, Time: p.State.Time.End.Time, Role: transcript.RoleTool, Results: []transcript.Result{result},
		})
	}
}

// asked is the name of the tool that the model asked for, where the program put its own placeholder.
func (p *part) asked() string {
	var given struct {
		Tool field.Raw `json:"tool"`
	}
	if p.State.Input.Kind != '{' || record.Unmarshal([]byte(p.State.Input.Text), &given) != nil || given.Tool.Kind != '"' {
		return ""
	}
	return given.Tool.Text
}

// stopped reads the program's note at the end of a command's output that did not end by itself: it has no exit status.
func (p *part) stopped(result *transcript.Result) {
	const most = 600
	note := result.Body[max(0, len(result.Body)-most):]
	at := strings.LastIndex(note, "_metadata>\n")
	if at < 0 || !strings.HasSuffix(strings.TrimSpace(note), "_metadata>") {
		return
	}
	switch note = note[at:]; {
	case strings.Contains(note, "tool terminated command after exceeding timeout"):
		result.Flag = transcript.FlagError
	case strings.Contains(note, "User aborted the command"):
		result.Flag, result.Fate = transcript.FlagUnset, transcript.FateCancelled
	}
}

// result is what came back, nothing while the call is on its way.
func (p *part) result() (transcript.Result, bool) {
	result := transcript.Result{CallID: p.CallID, ExitCode: p.State.Metadata.exit}
	if p.CallID == "" {
		result.Tool = transcript.Tool(p.Tool)
	}
	switch p.State.Status {
	case "completed", "success":
		// Where there is an exit status, completed only says that the command ran.
		if result.Body = p.State.Output.Object(); result.ExitCode == nil || *result.ExitCode == 0 {
			result.Flag = transcript.FlagOK
		}
		p.stopped(&result)
	case "error":
		result.Flag, result.Body = transcript.FlagError, p.State.Error
		if p.State.Metadata.interrupted || strings.HasPrefix(result.Body, "Tool execution aborted") {
			result.Fate = transcript.FateCancelled
		}
		if p.State.Metadata.interrupted && p.State.Metadata.output != "" {
			result.Body = p.State.Metadata.output
		}
	default:
		return result, false
	}
	return result, true
}
