package geminicli

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/field"
	"errata/pipeline/format/gemini"
	"errata/pipeline/format/record"
	"errata/transcript"
)

type message struct {
	ID        string                    `json:"id"`
	Time      field.Time                `json:"timestamp"`
	Type      string                    `json:"type"`
	Content   jsontext.Value            `json:"content"`
	Model     string                    `json:"model"`
	Thoughts  record.PartList[thought]  `json:"thoughts"`
	Tokens    *tokens                   `json:"tokens"`
	ToolCalls record.PartList[toolCall] `json:"toolCalls"`
	parent    *message
}

type thought struct {
	Subject     string `json:"subject"`
	Description string `json:"description"`
}

// tokens has the cached input within the input; thoughts and the input of tools stand beside.
type tokens struct {
	Input    field.Count `json:"input"`
	Output   field.Count `json:"output"`
	Cached   field.Count `json:"cached"`
	Thoughts field.Count `json:"thoughts"`
	Tool     field.Count `json:"tool"`
}

type toolCall struct {
	ID     string         `json:"id"`
	Name   string         `json:"name"`
	Args   field.Raw      `json:"args"`
	Result jsontext.Value `json:"result"`
	Status string         `json:"status"`
	Time   field.Time     `json:"timestamp"`
}

// last is the id of the last message that a recorded one becomes.
func (m *message) last() string {
	if len(m.results()) > 0 && m.ID != "" {
		return m.ID + "/results"
	}
	return m.ID
}

// convert gives the message, and the results of its calls as one that follows it.
func (m *message) convert(seq int64) []transcript.Message {
	out := transcript.Message{ID: m.ID, Seq: seq, Time: m.Time.Time, Role: transcript.RoleHarness}
	if m.parent != nil {
		out.Parent = m.parent.last()
	}
	out.Text = m.text()
	switch m.Type {
	case "user":
		out.Role = transcript.RoleUser
		if field.Injected(out.Text) {
			out.Role = transcript.RoleHarness
		}
		return []transcript.Message{out}
	case "gemini":
	default:
		// A person stopped the program: that is a word of theirs.
		if strings.HasPrefix(out.Text, "Request cancelled") {
			out.Role = transcript.RoleUser
		}
		return []transcript.Message{out}
	}
	out.Role, out.Model, out.Usage = transcript.RoleAssistant, m.Model, m.Tokens.usage()
	var thoughts []string
	for _, t := range m.Thoughts {
		thoughts = append(thoughts, t.Subject, t.Description)
	}
	out.Reasoning = field.Lines(thoughts...)
	for i := range m.ToolCalls {
		if call := &m.ToolCalls[i]; call.Name != "" {
			out.Calls = append(out.Calls, transcript.Call{ID: call.ID, Tool: transcript.Tool(call.Name), Arguments: call.Args.Object()})
		}
	}
	results := m.results()
	if len(results) == 0 {
		return []transcript.Message{out}
	}
	back := transcript.Message{Role: transcript.RoleTool, Seq: seq + 1, Time: m.Time.Time, Parent: m.ID, Results: results}
	if m.ID != "" {
		back.ID = m.last()
	}
	return []transcript.Message{out, back}
}

// text reads the content: a text, or parts.
func (m *message) text() string {
	if len(m.Content) == 0 || m.Content.Kind() == 'n' {
		return ""
	}
	content := append(append(jsontext.Value(`[{"role":"user","parts":`), m.Content...), `}]`...)
	read, err := gemini.Decode(content)
	if err != nil || len(read) == 0 {
		return string(m.Content)
	}
	return read[0].Text
}

func (t *tokens) usage() *transcript.Usage {
	if t == nil {
		return nil
	}
	cached := min(t.Cached, t.Input)
	usage := transcript.Usage{Input: int64(t.Input - cached + t.Tool), CacheRead: int64(cached), Output: int64(t.Output + t.Thoughts)}
	if usage.Total() == 0 {
		return nil
	}
	return &usage
}

// results reads the results that the calls have so far.
func (m *message) results() []transcript.Result {
	var results []transcript.Result
	for i := range m.ToolCalls {
		if call := &m.ToolCalls[i]; call.Name != "" {
			if result, known := call.result(); known {
				results = append(results, result)
			}
		}
	}
	return results
}

// result reads what came back of a call, nothing while it is on its way.
func (c *toolCall) result() (transcript.Result, bool) {
	result := transcript.Result{CallID: c.ID, Time: c.Time.Time}
	if c.ID == "" {
		result.Tool = transcript.Tool(c.Name)
	}
	body, failed := responseOf(c.Result)
	result.Body = body
	switch c.Status {
	case "success":
		result.Flag = transcript.FlagOK
	case "error":
		result.Flag = transcript.FlagError
	case "cancelled":
		result.Fate = transcript.FateCancelled
		if strings.Contains(body, "did not allow tool call") {
			result.Fate = transcript.FateRefused
		}
	case "":
		if body == "" {
			return result, false
		}
	default: // validating, scheduled, executing, awaiting_approval
		return result, false
	}
	failed = failed || TimedOut(body)
	if failed && result.Fate == transcript.FateRan {
		result.Flag = transcript.FlagError
	}
	return result, true
}

// TimedOut tells the words by which the program, and others that began as it, say that they stopped a command. Its status is
// then that of a success.
func TimedOut(body string) bool {
	return strings.HasPrefix(body, "Command was automatically cancelled because it exceeded the timeout of ") ||
		strings.HasPrefix(body, "Command timed out after ")
}

// responseOf reads the parts of a result: the body of its function response, or its text.
func responseOf(value jsontext.Value) (body string, failed bool) {
	if len(value) == 0 || value.Kind() == 'n' {
		return "", false
	}
	read, err := gemini.Decode(append(append(jsontext.Value(`[{"role":"user","parts":`), value...), `}]`...))
	if err != nil || len(read) == 0 {
		var raw field.Raw
		_ = record.Unmarshal(value, &raw) // what cannot be read as parts is kept as it is
		return raw.Object(), false
	}
	bodies := make([]string, 0, len(read[0].Results)+1)
	for _, result := range read[0].Results {
		bodies = append(bodies, result.Body)
		failed = failed || result.Flag == transcript.FlagError
	}
	return field.Lines(append(bodies, read[0].Text)...), failed
}
