// Package answers reads responses of models that were recorded without their requests: the files that Gemini CLI records
// and replays in its tests (one line for each response, with the method that was called), and single HTTP responses with
// their status, headers and body. What tools gave back stands in requests, so that no call has a result: calls and tokens
// are counted, and there is no error rate.
package answers

import (
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/exchange"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/pipeline/format/session"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:      "answers",
	Title:     "Responses of models, without requests",
	Source:    "google-gemini/gemini-cli, fake and recorded responses (packages/core, fakeContentGenerator); recorded HTTP responses",
	Unit:      dialect.UnitWhole,
	Detect:    func(shape dialect.Shape) bool { return bodyOf(shape.First()) != nil },
	Decode:    piece.Decode(decode),
	Split:     piece.SplitWhole(decode),
	WholeRuns: true,
}

// bodyOf gives the response of a record, nil where it is none.
func bodyOf(m dialect.Members) jsontext.Value {
	switch {
	case m.Kind("method") == '"' && m.Has("response") && !m.Has("request") && !m.Has("messages"):
		if kind := m.Kind("response"); kind == '[' || kind == '{' {
			return m.Get("response")
		}
	case m.Kind("status") == '0' && m.Kind("headers") == '{' && m.Kind("body") == '"' && !m.Has("request"):
		return m.Get("body")
	}
	return nil
}

func decode(in dialect.Input) (dialect.Output, error) {
	var messages []transcript.Message
	var name []string
	provider := ""
	rejects, err := session.Each(in, func(unit record.Record) error {
		shape, err := record.ShapeOf(unit.Value)
		if err != nil {
			return err
		}
		body := bodyOf(shape.First())
		if body == nil {
			return dialect.Reject{
				Reason: dialect.ReasonMissingField, Pointer: "/response",
				Message: "the record holds no response; send the responses as they were recorded",
			}
		}
		answer, err := exchange.ReadAnswer(body)
		if err != nil {
			return record.Refuse(err).Within(0, "/response")
		}
		if len(messages)+len(answer.Messages) > record.MaxMessages {
			return dialect.Reject{Reason: dialect.ReasonTooLarge, Message: "there are more responses than a run can have; send them in parts"}
		}
		if name == nil {
			name = []string{answer.ID, record.Compact(body)}
		}
		if answer.Provider != "" {
			provider = answer.Provider
		}
		messages = append(messages, answer.Messages...)
		return nil
	})
	if err != nil {
		return dialect.Output{}, err
	}
	out := dialect.Output{Rejects: rejects}
	if len(messages) == 0 {
		if len(rejects) == 0 {
			out.Rejects = append(out.Rejects, dialect.Reject{
				Reason: dialect.ReasonUnsupported, Message: "none of the responses is of a model whose interface is known",
			})
		}
		return out, nil
	}
	run := session.RunOr(in, string(dialect.DeriveRunID("answers", name...)))
	out.Fragments = []transcript.Fragment{{Meta: transcript.Meta{ID: run, Provider: provider}, Snapshot: true, Messages: messages}}
	return out, nil
}
