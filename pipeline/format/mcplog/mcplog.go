// Package mcplog reads logs of the Model Context Protocol (modelcontextprotocol.io, JSON-RPC 2.0 messages, revision
// 2025-06-18): requests of tools/call and what came back, be it a result with isError or an error of the protocol. The
// messages stand bare, one a line, or each in a frame that says when, and of which session. A model is not seen in them:
// calls that were asked for before anything was answered are one turn, every other call is a turn of its own.
package mcplog

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/pipeline/format/session"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:   "mcp-log",
	Title:  "MCP JSON-RPC log",
	Source: "Model Context Protocol, JSON-RPC messages of tools/call",
	Unit:   dialect.UnitWhole,
	Detect: func(shape dialect.Shape) bool {
		return len(shape.Heads) > 0 && messageOf(shape.First()) != nil
	},
	Decode: piece.Decode(decode),
	Split:  piece.SplitWhole(decode),
}

// messageOf gives the JSON-RPC message that a line is, or that stands in its frame; nil where there is none.
func messageOf(m dialect.Members) dialect.Members {
	if m.Text("jsonrpc") == "2.0" {
		return m
	}
	for _, name := range []string{"message", "payload", "data", "msg", "body"} {
		if m.Kind(name) == '{' {
			if shape, _ := record.ShapeOf(m.Get(name)); shape.First().Text("jsonrpc") == "2.0" {
				return shape.First()
			}
		}
	}
	return nil
}

// reader gathers the sessions of an input.
type reader struct {
	forced   transcript.RunID // by a header
	sessions map[string]*talk
	order    []*talk
	count    int64
}

// talk is one session.
type talk struct {
	run      transcript.RunID
	first    string // text of the first message, by which a session without a name is known
	messages []transcript.Message
	asked    map[string]int  // calls under way, by the id of their request
	other    map[string]bool // ids of requests that are no calls
	turn     string          // the generation of calls that were asked for before anything was answered
}

func decode(in dialect.Input) (dialect.Output, error) {
	r := reader{forced: session.RunOr(in, ""), sessions: make(map[string]*talk)}
	rejects, err := session.Each(in, r.read)
	if err != nil {
		return dialect.Output{}, err
	}
	out := dialect.Output{Rejects: rejects}
	for _, t := range r.order {
		if len(t.messages) == 0 && len(rejects) > 0 {
			continue // what could be read says nothing: no run is made of it
		}
		if t.run == "" {
			t.run = dialect.DeriveRunID("mcp", t.first)
		}
		out.Fragments = append(out.Fragments, transcript.Fragment{Meta: transcript.Meta{ID: t.run}, First: transcript.Unplaced, Messages: t.messages})
	}
	return out, nil
}

func (r *reader) read(unit record.Record) error {
	shape, err := record.ShapeOf(unit.Value)
	if err != nil {
		return err
	}
	frame := shape.First()
	m := messageOf(frame)
	if m == nil {
		return dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/jsonrpc",
			Message: "this is no JSON-RPC 2.0 message, nor a frame around one; log the messages as they went over the wire",
		}
	}
	r.count++
	e := entry{m: m, id: string(m.Get("id")), at: timeOf(frame), seq: r.count}
	return r.session(frame, unit).read(&e)
}

// session gives the session of a message: what its frame says, else that of all messages which do not.
func (r *reader) session(frame dialect.Members, unit record.Record) *talk {
	name := string(r.forced)
	for _, member := range []string{"session_id", "sessionId", "run_id", "mcp_session_id", "mcp-session-id"} {
		if name == "" {
			name = frame.Text(member)
		}
	}
	t := r.sessions[name]
	if t == nil {
		t = &talk{run: transcript.RunID(name), first: record.Compact(unit.Value), asked: make(map[string]int), other: make(map[string]bool)}
		r.sessions[name] = t
		r.order = append(r.order, t)
	}
	return t
}

// entry is one message of the protocol.
type entry struct {
	m   dialect.Members
	id  string
	at  time.Time
	seq int64
}

// read adds what a message says of calls. A result is kept even where its call is not in the input, as messages may come
// one by one: it is told from those of other requests by its content.
func (t *talk) read(e *entry) error {
	switch method := e.m.Text("method"); {
	case method == "tools/call":
		return t.call(e)
	case method == "notifications/cancelled":
		return t.cancel(e)
	case method != "":
		if e.id != "" {
			t.other[e.id] = true
		}
		return nil
	case t.asked[e.id] == 0 && (e.id == "" || t.other[e.id] || !isResult(e.m)):
		return nil
	}
	result, err := resultOf(e.m)
	if err != nil {
		return err
	}
	t.answer(e, e.id, result)
	return nil
}

// isResult tells the result of a call, or an error of which it is not known what it answers.
func isResult(m dialect.Members) bool {
	if m.Kind("error") == '{' {
		return true
	}
	result, _ := record.ShapeOf(orEmpty(m.Get("result")))
	return result.First().Kind("content") == '[' && !result.First().Has("role")
}

func orEmpty(value jsontext.Value) jsontext.Value {
	if value.Kind() != '{' {
		return jsontext.Value("{}")
	}
	return value
}

// answer adds a result. What is asked for after it may be a reaction to it, hence is another turn.
func (t *talk) answer(e *entry, id string, result transcript.Result) {
	if t.asked[id]--; t.asked[id] <= 0 {
		delete(t.asked, id)
	}
	t.turn = ""
	result.CallID = id
	t.add(e, transcript.Message{Role: transcript.RoleTool, Results: []transcript.Result{result}}, "result", id, result.Body)
}

// cancel adds that a call was called off, to which the protocol gives no answer.
func (t *talk) cancel(e *entry) error {
	params, _ := record.ShapeOf(orEmpty(e.m.Get("params")))
	id := string(params.First().Get("requestId"))
	if t.asked[id] > 0 {
		t.answer(e, id, transcript.Result{Fate: transcript.FateCancelled, Body: params.First().Text("reason")})
	}
	return nil
}

// add adds a message under an id that is the same whenever it is sent.
func (t *talk) add(e *entry, m transcript.Message, pieces ...string) {
	m.Time, m.Seq = e.at, e.seq
	m.ID = string(dialect.DeriveRunID(pieces[0], append(pieces[1:], e.at.String(), string(e.m.Get("params")))...))
	for _, before := range t.messages[max(0, len(t.messages)-rivals):] {
		if before.ID == m.ID {
			m.ID += "-" + strconv.FormatInt(e.seq, 10) // the same once more, in a log without times
			break
		}
	}
	if m.Role == transcript.RoleAssistant {
		if t.turn == "" {
			t.turn = m.ID
		}
		m.Generation = t.turn
	}
	t.messages = append(t.messages, m)
}

// rivals is how many messages before one are looked at for its id.
const rivals = 64

func timeOf(frame dialect.Members) time.Time {
	for _, name := range []string{"timestamp", "time", "ts"} {
		var at field.Time
		if value := frame.Get(name); len(value) > 0 && record.Unmarshal(value, &at) == nil && !at.IsZero() {
			return at.Time
		}
	}
	return time.Time{}
}

func (t *talk) call(e *entry) error {
	var params struct {
		Name      string    `json:"name"`
		Arguments field.Raw `json:"arguments"`
	}
	if value := e.m.Get("params"); len(value) > 0 {
		if err := record.Unmarshal(value, &params); err != nil {
			return record.Refuse(err).Within(0, "/params")
		}
	}
	if params.Name == "" {
		return dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/params/name",
			Message: "a call names no tool; log the request as it went over the wire",
		}
	}
	call := transcript.Call{ID: e.id, Tool: transcript.Tool(params.Name), Arguments: params.Arguments.Object()}
	if call.Arguments == "" {
		call.Arguments = "{}"
	}
	t.add(e, transcript.Message{Role: transcript.RoleAssistant, Calls: []transcript.Call{call}}, "call", e.id)
	if e.id != "" {
		t.asked[e.id]++
	}
	return nil
}
