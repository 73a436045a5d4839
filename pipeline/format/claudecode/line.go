package claudecode

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/anthropic"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
)

// line is one line of a session.
type line struct {
	row
	Subtype           string     `json:"subtype"`
	SessionID         string     `json:"sessionId"`
	AgentID           string     `json:"agentId"`
	Version           string     `json:"version"`
	ParentUUID        string     `json:"parentUuid"`
	LogicalParentUUID string     `json:"logicalParentUuid"` // across a compaction, where parentUuid is null
	IsSidechain       bool       `json:"isSidechain"`       // it is of a sub-agent
	ForkedFrom        forkedAt   `json:"forkedFrom"`
	Content           field.Raw  `json:"content"` // of system lines
	Data              progress   `json:"data"`
	ParentToolUseID   string     `json:"parentToolUseID"` // of progress lines: the call that is under way
	Attachment        attachment `json:"attachment"`
}

// row is what lines and the messages within progress lines have in common.
type row struct {
	Type              string     `json:"type"`
	UUID              string     `json:"uuid"`
	RequestID         string     `json:"requestId"`
	Timestamp         field.Time `json:"timestamp"`
	Message           said       `json:"message"`
	Outcome           outcome    `json:"toolUseResult"`
	SourceToolUseID   string     `json:"sourceToolUseID"`
	IsMeta            bool       `json:"isMeta"`           // the program wrote it
	IsCompactSummary  bool       `json:"isCompactSummary"` // it sums up what stood before it
	IsAPIErrorMessage bool       `json:"isApiErrorMessage"`
	Origin            origin     `json:"origin"`
}

// forkedAt names the session that a line was copied from, and the line there.
type forkedAt struct {
	SessionID   string `json:"sessionId"`
	MessageUUID string `json:"messageUuid"`
}

// origin says who wrote a user message, in newer sessions.
type origin struct {
	Kind string `json:"kind"`
}

// said is a message of the provider's, where the line holds one.
type said struct {
	anthropic.Message
	present bool
}

// UnmarshalJSONFrom reads an object and steps over anything else.
func (s *said) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '{' {
		return decoder.SkipValue()
	}
	s.present = true
	return json.UnmarshalDecode(decoder, &s.Message)
}

// progress is what a progress line tells. That of a sub-agent holds the messages of it.
type progress struct {
	Type       string
	AgentID    string
	Message    row
	Normalized []row // what the sub-agent said so far, again and again; parts of it come nowhere else
}

// UnmarshalJSONFrom reads the object of a sub-agent and steps over anything else.
func (p *progress) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	value, err := decoder.ReadValue()
	if err != nil || value.Kind() != '{' {
		return err
	}
	var head struct {
		Type    field.Raw `json:"type"`
		AgentID field.Raw `json:"agentId"`
	}
	if err := json.Unmarshal(value, &head, decoder.Options()); err != nil {
		return err
	}
	p.Type, p.AgentID = head.Type.Text, head.AgentID.Text
	if p.Type != "agent_progress" {
		return nil
	}
	var whole struct {
		Message    row                  `json:"message"`
		Normalized record.PartList[row] `json:"normalizedMessages"`
	}
	if err := json.Unmarshal(value, &whole, decoder.Options()); err != nil {
		return err
	}
	p.Message, p.Normalized = whole.Message, whole.Normalized
	return nil
}

// outcome is what the program itself knows of a tool's result, beside what the model read. Every tool has a shape of
// its own, and any server's tool may have any.
type outcome struct {
	text        string
	interrupted bool
	agent       string // the sub-agent that the call ran
}

// UnmarshalJSONFrom reads the members that matter of an object, or a text.
func (o *outcome) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	switch decoder.PeekKind() {
	case '"':
		token, err := decoder.ReadToken()
		o.text = strings.TrimPrefix(token.String(), "Error: ")
		return err
	case '{':
	default:
		return decoder.SkipValue()
	}
	var known struct {
		Interrupted jsontext.Value `json:"interrupted"`
		AgentID     field.Raw      `json:"agentId"`
		Status      field.Raw      `json:"status"`
		Prompt      field.Raw      `json:"prompt"`
	}
	if err := json.UnmarshalDecode(decoder, &known); err != nil {
		return err
	}
	o.interrupted = known.Interrupted.Kind() == 't'
	if known.AgentID.Kind == '"' && known.Status.Kind == '"' && known.Prompt.Kind == '"' {
		o.agent = known.AgentID.Text
	}
	return nil
}

// rejected tells the program's own words for a person's no.
func (o *outcome) rejected() bool {
	return o.text == "User rejected tool use" || strings.HasPrefix(o.text, "The user doesn't want to proceed with this tool use")
}

// attachment is what the program put beside a message. Only what a person typed while the agent was at work is read.
type attachment struct {
	queued bool
	prompt anthropic.Content
	mode   string
	kind   string
}

// UnmarshalJSONFrom reads a queued prompt and steps over anything else.
func (a *attachment) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	value, err := decoder.ReadValue()
	if err != nil || value.Kind() != '{' {
		return err
	}
	var head struct {
		Type field.Raw `json:"type"`
	}
	if err := json.Unmarshal(value, &head, decoder.Options()); err != nil || head.Type.Text != "queued_command" {
		return err
	}
	var queued struct {
		Prompt anthropic.Content `json:"prompt"`
		Mode   string            `json:"commandMode"`
		Origin origin            `json:"origin"`
	}
	if err := json.Unmarshal(value, &queued, decoder.Options()); err != nil {
		return err
	}
	a.queued, a.prompt, a.mode, a.kind = true, queued.Prompt, queued.Mode, queued.Origin.Kind
	return nil
}
