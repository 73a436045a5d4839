package codex

import (
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/field"
	"errata/transcript"
)

// line is one line of a rollout. The first versions wrote the payload of items without a frame around it.
type line struct {
	Timestamp  field.Time     `json:"timestamp"`
	Type       string         `json:"type"`
	Payload    jsontext.Value `json:"payload"`
	RecordType string         `json:"record_type"`
}

// sessionMeta opens a session. Each copy of another session's items begins with that session's own.
type sessionMeta struct {
	ID        string    `json:"id"`
	SessionID string    `json:"session_id"` // of the session that a sub-agent's thread is of
	Forked    string    `json:"forked_from_id"`
	Version   string    `json:"cli_version"`
	Provider  string    `json:"model_provider"`
	Source    spawnedBy `json:"source"`
}

// spawnedBy says which thread started this one, where a person did not.
type spawnedBy struct {
	parent   string
	subagent bool
}

// UnmarshalJSONFrom reads the source of a session, which is a word unless it is a sub-agent's.
func (s *spawnedBy) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	value, err := decoder.ReadValue()
	if err != nil || value.Kind() != '{' {
		return err
	}
	var object struct {
		Subagent jsontext.Value `json:"subagent"`
	}
	if err := unmarshal(value, &object); err != nil {
		return err
	}
	s.subagent = len(object.Subagent) > 0 && object.Subagent.Kind() != 'n'
	if object.Subagent.Kind() != '{' {
		return nil
	}
	var spawn struct {
		Spawn struct {
			Parent string `json:"parent_thread_id"`
		} `json:"thread_spawn"`
	}
	if err := unmarshal(object.Subagent, &spawn); err != nil {
		return err
	}
	s.parent = spawn.Spawn.Parent
	return nil
}

// turnContext says with which model the program goes on.
type turnContext struct {
	Model string `json:"model"`
}

// compacted is the summary that took the place of the conversation so far.
type compacted struct {
	Message string `json:"message"`
}

// event is what the program tells beside the conversation. Few of its kinds matter.
type event struct {
	Type    string         `json:"type"`
	CallID  string         `json:"call_id"`
	Reason  field.Raw      `json:"reason"`
	Success *bool          `json:"success"`
	Result  jsontext.Value `json:"result"`
	Info    *tokenInfo     `json:"info"`
}

// tokenInfo counts tokens, all of the session and those of the last generation.
type tokenInfo struct {
	Total *tokens `json:"total_token_usage"`
	Last  *tokens `json:"last_token_usage"`
}

// tokens has the cached input within the input and the reasoning within the output.
type tokens struct {
	Input  field.Count `json:"input_tokens"`
	Cached field.Count `json:"cached_input_tokens"`
	Output field.Count `json:"output_tokens"`
}

// since gives what was used since an earlier count, nothing where the count did not grow.
func (t tokens) since(before tokens) tokens {
	return tokens{Input: t.Input - before.Input, Cached: max(t.Cached-before.Cached, 0), Output: t.Output - before.Output}
}

// usage brings the count to four disjoint kinds; nil where nothing was used.
func (t tokens) usage() *transcript.Usage {
	cached := min(t.Cached, t.Input)
	usage := transcript.Usage{Input: int64(t.Input - cached), CacheRead: int64(cached), Output: int64(t.Output)}
	if usage.Total() <= 0 {
		return nil
	}
	return &usage
}
