package qwen

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/field"
	"errata/pipeline/format/gemini"
	"errata/pipeline/format/geminicli"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// usage has the cache within the prompt. Thoughts stand beside the candidates, or within them where the total says so:
// behind an interface of OpenAI's kind the candidates are all that was written.
type usage struct {
	Prompt     field.Count `json:"promptTokenCount"`
	Candidates field.Count `json:"candidatesTokenCount"`
	Cached     field.Count `json:"cachedContentTokenCount"`
	Thoughts   field.Count `json:"thoughtsTokenCount"`
	Tools      field.Count `json:"toolUsePromptTokenCount"`
	Total      field.Count `json:"totalTokenCount"`
}

func (u *usage) tokens() *transcript.Usage {
	if u == nil {
		return nil
	}
	if u.Total > 0 && u.Total <= u.Prompt+u.Tools+u.Candidates {
		u.Thoughts = 0
	}
	cached := min(u.Cached, u.Prompt)
	tokens := transcript.Usage{
		Input: int64(u.Prompt - cached + u.Tools), CacheRead: int64(cached), Output: int64(u.Candidates + u.Thoughts),
	}
	if tokens.Total() == 0 {
		return nil
	}
	return &tokens
}

// outcome is what the program knows of a result beside what the model read.
type outcome struct {
	Status    string
	ErrorType string
}

// UnmarshalJSONFrom reads the members that matter, and steps over anything else.
func (o *outcome) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	value, err := decoder.ReadValue()
	if err != nil || value.Kind() != '{' {
		return err
	}
	var known struct {
		Status    field.Raw `json:"status"`
		ErrorType field.Raw `json:"errorType"`
	}
	if err := record.Unmarshal(value, &known); err != nil {
		return err
	}
	if known.Status.Kind == '"' {
		o.Status = known.Status.Text
	}
	if known.ErrorType.Kind == '"' {
		o.ErrorType = known.ErrorType.Text
	}
	return nil
}

// convert brings a line to the common words. One that says nothing to the model becomes an empty message: others follow
// it by its uuid.
func (l *line) convert() (transcript.Message, error) {
	m := transcript.Message{Role: transcript.RoleHarness}
	switch l.Type {
	case "user", "assistant", "tool_result":
		if l.Message.Kind() != '{' {
			break
		}
		list := append(append(jsontext.Value{'['}, l.Message...), ']')
		read, err := gemini.Decode(list)
		if err != nil {
			reject := record.Refuse(err)
			reject.Pointer = strings.TrimPrefix(reject.Pointer, "/0")
			reject.Offset = 0 // within a copy
			return m, reject.Within(0, "/message")
		}
		m = read[0]
	}
	m.ID, m.Generation, m.Time, m.Usage = l.UUID, "", l.Time.Time, nil
	if l.ForkedFrom.MessageUUID == "" {
		m.Parent = l.Parent
	} else {
		m.ID = l.ForkedFrom.MessageUUID
	}
	switch {
	case m.Role == transcript.RoleAssistant:
		m.Generation, m.Model, m.Usage = m.ID, l.Model, l.Usage.tokens()
	case l.Type == "tool_result" && len(m.Results) > 0:
		m.Role = transcript.RoleTool
		l.settle(m.Results)
	case m.Role == transcript.RoleUser && !l.byPerson():
		m.Role = transcript.RoleHarness
	}
	return m, nil
}

// byPerson tells what a person wrote from notices, timers, hooks and the prompts of sub-agents.
func (l *line) byPerson() bool {
	if l.Sidechain || l.Type != "user" {
		return false
	}
	if l.Provenance != "" {
		return l.Provenance == "real_user"
	}
	return l.Subtype == "" || l.Subtype == "mid_turn_user_message"
}

// settle adds what the program knows of the result that a line holds.
func (l *line) settle(results []transcript.Result) {
	if len(results) != 1 {
		return
	}
	result := &results[0]
	switch l.Outcome.Status {
	case "success":
		if result.Flag == transcript.FlagUnset {
			result.Flag = transcript.FlagOK
		}
		if geminicli.TimedOut(result.Body) {
			result.Flag = transcript.FlagError
		}
	case "error":
		result.Flag = transcript.FlagError
	case "cancelled":
		result.Fate = transcript.FateCancelled
		if strings.Contains(result.Body, "did not allow tool call") {
			result.Fate = transcript.FateRefused
		}
	}
}
