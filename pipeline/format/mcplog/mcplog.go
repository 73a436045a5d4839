// Package mcplog reads logs of the Model Context Protocol (modelcontextprotocol.io, JSON-RPC 2.0 messages, revision
// 2025-06-18): requests of tools/call and what came back, be it a result with isError or an error of the protocol. The
// messages stand bare, one a line, or each in a frame that says when, and of which session. A model is not seen in them,
// so that every call is a turn of its own.
package mcplog

import (
	"time"

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

type reader struct {
	run      transcript.RunID
	first    string // text of the first message, by which a session without a name is known
	messages []transcript.Message
	asked    map[string]int // calls under way, by the id of their request
}

func decode(in dialect.Input) (dialect.Output, error) {
	r := reader{run: session.RunOr(in, ""), asked: make(map[string]int)}
	rejects, err := session.Each(in, r.read)
	if err != nil {
		return dialect.Output{}, err
	}
	out := dialect.Output{Rejects: rejects}
	if r.first == "" {
		return out, nil
	}
	if r.run == "" {
		r.run = dialect.DeriveRunID("mcp", r.first)
	}
	out.Fragments = []transcript.Fragment{{Meta: transcript.Meta{ID: r.run}, Snapshot: true, Messages: r.messages}}
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
	if r.first == "" {
		r.first = string(unit.Value)
	}
	for _, name := range []string{"session_id", "sessionId", "run_id"} {
		if id := frame.Text(name); id != "" && r.run == "" {
			r.run = transcript.RunID(id)
		}
	}
	at := timeOf(frame)
	id := string(m.Get("id"))
	switch {
	case m.Text("method") == "tools/call":
		return r.call(m, id, at)
	case m.Has("method") || r.asked[id] == 0:
		return nil // other requests, notifications, and answers to those
	}
	if r.asked[id]--; r.asked[id] == 0 {
		delete(r.asked, id)
	}
	result, err := resultOf(m)
	if err != nil {
		return err
	}
	result.CallID = id
	r.messages = append(r.messages, transcript.Message{Role: transcript.RoleTool, Time: at, Results: []transcript.Result{result}})
	return nil
}

func timeOf(frame dialect.Members) time.Time {
	for _, name := range []string{"timestamp", "time", "ts"} {
		var at field.Time
		if value := frame.Get(name); len(value) > 0 && record.Unmarshal(value, &at) == nil && !at.IsZero() {
			return at.Time
		}
	}
	return time.Time{}
}

func (r *reader) call(m dialect.Members, id string, at time.Time) error {
	var params struct {
		Name      string    `json:"name"`
		Arguments field.Raw `json:"arguments"`
	}
	if value := m.Get("params"); len(value) > 0 {
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
	call := transcript.Call{ID: id, Tool: transcript.Tool(params.Name), Arguments: params.Arguments.Object()}
	if call.Arguments == "" {
		call.Arguments = "{}"
	}
	r.messages = append(r.messages, transcript.Message{Role: transcript.RoleAssistant, Time: at, Calls: []transcript.Call{call}})
	if id != "" {
		r.asked[id]++
	}
	return nil
}

// resultOf reads an answer: the texts of a result, its structured content where it has no text, or the error of the protocol.
func resultOf(m dialect.Members) (transcript.Result, error) {
	var result transcript.Result
	if value := m.Get("error"); value.Kind() == '{' {
		result.Flag, result.Body = transcript.FlagError, record.Compact(value)
		return result, nil
	}
	var wire struct {
		Content    record.PartList[block] `json:"content"`
		Structured field.Raw              `json:"structuredContent"`
		IsError    field.Truth            `json:"isError"`
	}
	value := m.Get("result")
	if value.Kind() != '{' {
		var raw field.Raw
		if len(value) == 0 {
			return result, nil
		}
		err := record.Unmarshal(value, &raw)
		result.Body = raw.Object()
		return result, err
	}
	if err := record.Unmarshal(value, &wire); err != nil {
		return result, record.Refuse(err).Within(0, "/result")
	}
	var texts []string
	for i := range wire.Content {
		if b := &wire.Content[i]; b.Type == "text" {
			texts = append(texts, b.Text)
		} else {
			texts = append(texts, "["+b.Type+"]")
		}
	}
	if result.Body = field.Lines(texts...); result.Body == "" {
		result.Body = wire.Structured.Object()
	}
	result.Flag = field.Flag(wire.IsError)
	return result, nil
}

type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}
