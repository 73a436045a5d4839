package kimi

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// event is what happened in a step.
type event struct {
	Type       string    `json:"type"`
	UUID       string    `json:"uuid"`
	StepUUID   string    `json:"stepUuid"`
	ParentUUID string    `json:"parentUuid"`
	Part       block     `json:"part"`
	CallID     string    `json:"toolCallId"`
	Name       string    `json:"name"`
	Args       field.Raw `json:"args"`
	Result     returned  `json:"result"`
	Usage      tokens    `json:"usage"`
}

// block is a part of a message.
type block struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Think string `json:"think"`
}

// content is a text or parts.
type content struct{ text, thoughts string }

// UnmarshalJSONFrom reads the content.
func (c *content) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '[' {
		var raw field.Raw
		err := raw.UnmarshalJSONFrom(decoder)
		c.text = raw.Object()
		return err
	}
	blocks, err := record.Parts[block](decoder)
	if err != nil {
		return err
	}
	var texts, thoughts []string
	for i := range blocks {
		switch blocks[i].Type {
		case "text":
			texts = append(texts, blocks[i].Text)
		case "think":
			thoughts = append(thoughts, blocks[i].Think)
		default:
			texts = append(texts, "["+blocks[i].Type+"]")
		}
	}
	c.text, c.thoughts = field.Lines(texts...), field.Lines(thoughts...)
	return nil
}

// returned is what a tool gave back. The model reads the note after the output, the message only people.
type returned struct {
	Output content     `json:"output"`
	Note   field.Raw   `json:"note"`
	Failed field.Truth `json:"isError"`
}

// UnmarshalJSONFrom reads an object, and steps over the result of anything else.
func (r *returned) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '{' {
		return decoder.SkipValue()
	}
	type plain returned
	return json.UnmarshalDecode(decoder, (*plain)(r))
}

// UnmarshalJSONFrom reads the decision, and steps over the results of other records.
func (a *approval) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '{' {
		return decoder.SkipValue()
	}
	var wire struct {
		Decision field.Raw `json:"decision"`
	}
	err := json.UnmarshalDecode(decoder, &wire)
	a.Decision = wire.Decision.Object()
	return err
}

// tokens are disjoint.
type tokens struct {
	Input      field.Count `json:"inputOther"`
	Output     field.Count `json:"output"`
	CacheRead  field.Count `json:"inputCacheRead"`
	CacheWrite field.Count `json:"inputCacheCreation"`
}

func (t tokens) usage() *transcript.Usage {
	u := transcript.Usage{Input: int64(t.Input), CacheRead: int64(t.CacheRead), CacheWrite: int64(t.CacheWrite), Output: int64(t.Output)}
	if u.Total() == 0 {
		return nil
	}
	return &u
}

// said is a message of the context.
type said struct {
	Role    string                `json:"role"`
	Content content               `json:"content"`
	Calls   record.PartList[call] `json:"toolCalls"`
	CallID  string                `json:"toolCallId"`
	Failed  field.Truth           `json:"isError"`
	Origin  origin                `json:"origin"`
}

type origin struct {
	Kind    string `json:"kind"`
	Phase   string `json:"phase"`
	Trigger string `json:"trigger"`
}

// call is one of a message that came whole, as older programs and imports write them.
type call struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Arguments field.Raw `json:"arguments"`
	Function  struct {
		Name      string    `json:"name"`
		Arguments field.Raw `json:"arguments"`
	} `json:"function"`
}

// byPerson tells what a person wrote from what the program put in.
func (o origin) byPerson() bool {
	switch o.Kind {
	case "", "user", "plugin_command":
		return true
	case "skill_activation":
		return o.Trigger == "user-slash"
	case "shell_command":
		return o.Phase == "input"
	}
	return false
}

// message adds a message of the context.
func (r *reader) message(l *line, index int) error {
	m := transcript.Message{ID: name("message", index), Time: l.Time.Time, Role: transcript.RoleHarness, Text: l.Message.Content.text}
	switch l.Message.Role {
	case "user":
		if l.Message.Origin.byPerson() && !field.Injected(m.Text) {
			m.Role = transcript.RoleUser
			r.users = append(r.users, len(r.messages))
		}
	case "assistant":
		m.Role, m.Generation, m.Reasoning = transcript.RoleAssistant, m.ID, l.Message.Content.thoughts
		for _, c := range l.Message.Calls {
			tool, arguments := c.Function.Name, c.Function.Arguments.Object()
			if tool == "" {
				tool, arguments = c.Name, c.Arguments.Object()
			}
			if tool == "" {
				return nameless("/message/toolCalls")
			}
			m.Calls = append(m.Calls, transcript.Call{ID: c.ID, Tool: transcript.Tool(tool), Arguments: arguments})
		}
	case "tool":
		m.Role, m.Text = transcript.RoleTool, ""
		m.Results = []transcript.Result{{CallID: l.Message.CallID, Body: l.Message.Content.text, Flag: field.Flag(l.Message.Failed)}}
	case "system":
		m.Role = transcript.RoleSystem
	}
	r.add(m, index)
	return nil
}

func nameless(pointer string) error {
	return dialect.Reject{Reason: dialect.ReasonMissingField, Pointer: pointer, Message: "a call names no tool; give the name that the model wrote"}
}

// event adds what happened in a step: one generation, whose calls come back while it is under way.
func (r *reader) event(l *line, index int) error {
	e := &l.Event
	switch e.Type {
	case "step.begin":
		r.begun[e.UUID] = l.Time.Time
	case "content.part":
		r.step(e.StepUUID, l, index)
		at := r.steps[e.StepUUID]
		r.texts[at], r.thoughts[at] = append(r.texts[at], e.Part.Text), append(r.thoughts[at], e.Part.Think)
	case "tool.call":
		if e.Name == "" {
			return nameless("/event/name")
		}
		m := r.step(e.StepUUID, l, index)
		if len(m.Calls) == record.MaxParts {
			return dialect.Reject{Reason: dialect.ReasonTooLarge, Pointer: "/event", Message: "the step has more calls than any generation; mend the program that wrote the log"}
		}
		m.Calls = append(m.Calls, transcript.Call{ID: e.CallID, Tool: transcript.Tool(e.Name), Arguments: e.Args.Object(), Time: l.Time.Time})
		r.asked[e.UUID] = e.StepUUID
	case "tool.result":
		r.result(l, index)
	case "step.end":
		m := r.step(e.UUID, l, index)
		if m.Usage = e.Usage.usage(); m.Model == "" {
			m.Model = r.model
		}
	}
	return nil
}

// step gives the message of a step, a new one when the first of it comes: requests that fail are no generations.
func (r *reader) step(uuid string, l *line, index int) *transcript.Message {
	at, known := r.steps[uuid]
	if !known {
		at = len(r.messages)
		r.steps[uuid] = at
		id := uuid
		if id == "" {
			id = name("step", index)
		}
		at, known := r.begun[uuid]
		if !known {
			at = l.Time.Time
		}
		r.add(transcript.Message{ID: id, Generation: id, Time: at, Role: transcript.RoleAssistant, Model: r.model}, index)
	}
	return &r.messages[at]
}

// finish joins what came in parts.
func (r *reader) finish() {
	for at, texts := range r.texts {
		r.messages[at].Text = field.Lines(texts...)
	}
	for at, thoughts := range r.thoughts {
		r.messages[at].Reasoning = field.Lines(thoughts...)
	}
}

func (r *reader) result(l *line, index int) {
	e := &l.Event
	body := e.Result.Output.text
	if note := e.Result.Note.Object(); note != "" {
		body = field.Lines(body, note)
	}
	result := transcript.Result{CallID: e.CallID, Body: body, Flag: field.Flag(e.Result.Failed)}
	if fates := r.fates[e.CallID]; len(fates) > 0 {
		result.Fate = fates[0]
		r.fates[e.CallID] = fates[1:]
	}
	if result.Flag == transcript.FlagError && strings.HasPrefix(body, "The user manually interrupted ") {
		result.Fate = transcript.FateCancelled
	}
	id := e.ParentUUID
	if step := r.asked[id]; step != "" {
		id = step + "/" + id
	}
	r.add(transcript.Message{ID: id + "/result", Time: l.Time.Time, Role: transcript.RoleTool, Results: []transcript.Result{result}}, index)
}
