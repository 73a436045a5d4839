package format_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
)

// spoken is a message of a made-up conversation.
type spoken struct {
	role   string // user, assistant, tool
	text   string
	calls  []asked
	id     string // of the call that a tool answers
	tool   string
	failed bool
	in     int // tokens of an answer
	out    int
}

type asked struct {
	id, tool string
	city     string
}

// conversation makes up a conversation: questions, parallel calls, identical ones, failures, words beside calls.
func conversation(r *rand.Rand) []spoken {
	list := []spoken{{role: "user", text: "Question " + strconv.Itoa(r.IntN(1000))}}
	for turn := range 2 + r.IntN(6) {
		answer := spoken{role: "assistant", in: 10 + r.IntN(90), out: 1 + r.IntN(9)}
		for i := range r.IntN(4) {
			answer.calls = append(answer.calls, asked{fmt.Sprintf("c%d_%d", turn, i), "tool_" + strconv.Itoa(r.IntN(2)), "city " + strconv.Itoa(r.IntN(2))})
		}
		if len(answer.calls) == 0 || r.IntN(2) == 0 {
			answer.text = "Words " + strconv.Itoa(turn)
		}
		list = append(list, answer)
		for _, c := range answer.calls {
			failed := r.IntN(2) == 0
			body := `{"sky":"clear"}`
			if failed {
				body = `{"error":"no such city"}`
			}
			list = append(list, spoken{role: "tool", id: c.id, tool: c.tool, text: body, failed: failed})
		}
		if len(answer.calls) == 0 {
			list = append(list, spoken{role: "user", text: "Go on " + strconv.Itoa(turn)})
		}
	}
	return append(list, spoken{role: "assistant", text: "The end.", in: 99, out: 2})
}

type (
	object = map[string]any
	list   = []any
)

func (c asked) arguments() string { return `{"city":"` + c.city + `"}` }

// chatMessage writes a message in the words of OpenAI's chat completions.
func chatMessage(m spoken) object {
	switch m.role {
	case "tool":
		return object{"role": "tool", "tool_call_id": m.id, "content": m.text}
	case "user":
		return object{"role": "user", "content": m.text}
	}
	out := object{"role": "assistant", "content": m.text}
	var calls list
	for _, c := range m.calls {
		calls = append(calls, object{"id": c.id, "type": "function", "function": object{"name": c.tool, "arguments": c.arguments()}})
	}
	if calls != nil {
		out["tool_calls"] = calls
	}
	return out
}

func chatRequest(history []spoken, answer spoken, _ int) object {
	var messages list
	for _, m := range history {
		messages = append(messages, chatMessage(m))
	}
	return object{"request": object{"model": "m", "messages": messages}, "response": object{"object": "chat.completion",
		"choices": list{object{"index": 0, "message": chatMessage(answer)}}, "usage": object{"prompt_tokens": answer.in, "completion_tokens": answer.out}}}
}

// chunkedRequest streams the answer: names come whole, texts and arguments in two halves.
func chunkedRequest(history []spoken, answer spoken, n int) object {
	record := chatRequest(history, answer, n)
	chunk := func(delta object) object { return object{"choices": list{object{"index": 0, "delta": delta}}} }
	half := len(answer.text) / 2
	events := list{chunk(object{"role": "assistant", "content": answer.text[:half]}), chunk(object{"content": answer.text[half:]})}
	for i, c := range answer.calls {
		a := c.arguments()
		events = append(events, chunk(object{"tool_calls": list{object{"index": i, "id": c.id, "function": object{"name": c.tool, "arguments": a[:5]}}}}),
			chunk(object{"tool_calls": list{object{"index": i, "function": object{"arguments": a[5:]}}}}))
	}
	record["response"] = append(events, object{"choices": list{}, "usage": object{"prompt_tokens": answer.in, "completion_tokens": answer.out}})
	return record
}

// items writes a message as items of OpenAI's Responses.
func items(m spoken) list {
	switch m.role {
	case "tool":
		return list{object{"type": "function_call_output", "call_id": m.id, "output": m.text}}
	case "user":
		return list{object{"role": "user", "content": m.text}}
	}
	var out list
	if m.text != "" {
		out = append(out, object{"type": "message", "role": "assistant", "content": list{object{"type": "output_text", "text": m.text}}})
	}
	for _, c := range m.calls {
		out = append(out, object{"type": "function_call", "call_id": c.id, "name": c.tool, "arguments": c.arguments()})
	}
	return out
}

func responsesRequest(history []spoken, answer spoken, n int) object {
	var input list
	for _, m := range history {
		input = append(input, items(m)...)
	}
	return object{"request": object{"model": "m", "input": input}, "response": object{"id": "resp_" + strconv.Itoa(n), "object": "response",
		"output": items(answer), "usage": object{"input_tokens": answer.in, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": answer.out}}}
}

// chainedRequest goes on from the response before it, in place of repeating what was said.
func chainedRequest(history []spoken, answer spoken, n int) object {
	from, previous := 0, 0
	for i, m := range history {
		if m.role == "assistant" {
			from, previous = i+1, i
		}
	}
	record := responsesRequest(history[from:], answer, n)
	record["session_id"], record["timestamp"] = "s", 1_767_323_045+10*n
	if from > 0 {
		record["request"].(object)["previous_response_id"] = "resp_" + strconv.Itoa(previous)
	}
	return record
}

// blocks writes a message in the words of Anthropic.
func blocks(m spoken) object {
	switch m.role {
	case "tool":
		return object{"role": "user", "content": list{object{"type": "tool_result", "tool_use_id": m.id, "content": m.text, "is_error": m.failed}}}
	case "user":
		return object{"role": "user", "content": m.text}
	}
	content := list{}
	if m.text != "" {
		content = append(content, object{"type": "text", "text": m.text})
	}
	for _, c := range m.calls {
		content = append(content, object{"type": "tool_use", "id": c.id, "name": c.tool, "input": object{"city": c.city}})
	}
	return object{"role": "assistant", "content": content}
}

func anthropicRequest(history []spoken, answer spoken, _ int) object {
	var messages list
	for _, m := range history {
		messages = append(messages, blocks(m))
	}
	response := blocks(answer)
	response["type"], response["usage"] = "message", object{"input_tokens": answer.in, "output_tokens": answer.out}
	return object{"request": object{"model": "m", "max_tokens": 9, "messages": messages}, "response": response}
}

// parts writes a message in the words of Gemini, which has no ids.
func parts(m spoken) object {
	switch m.role {
	case "tool":
		return object{"role": "user", "parts": list{object{"functionResponse": object{"name": m.tool, "response": json.RawMessage(m.text)}}}}
	case "user":
		return object{"role": "user", "parts": list{object{"text": m.text}}}
	}
	content := list{}
	if m.text != "" {
		content = append(content, object{"text": m.text})
	}
	for _, c := range m.calls {
		content = append(content, object{"functionCall": object{"name": c.tool, "args": object{"city": c.city}}})
	}
	return object{"role": "model", "parts": content}
}

func geminiRequest(history []spoken, answer spoken, _ int) object {
	var contents list
	for _, m := range history {
		contents = append(contents, parts(m))
	}
	return object{"request": object{"model": "m", "contents": contents}, "response": object{"candidates": list{object{"index": 0, "content": parts(answer)}},
		"usageMetadata": object{"promptTokenCount": answer.in, "candidatesTokenCount": answer.out}}}
}

// converse writes a message in the words of Bedrock.
func converse(m spoken) object {
	switch m.role {
	case "tool":
		status := "success"
		if m.failed {
			status = "error"
		}
		return object{"role": "user", "content": list{object{"toolResult": object{"toolUseId": m.id, "status": status, "content": list{object{"text": m.text}}}}}}
	case "user":
		return object{"role": "user", "content": list{object{"text": m.text}}}
	}
	content := list{}
	if m.text != "" {
		content = append(content, object{"text": m.text})
	}
	for _, c := range m.calls {
		content = append(content, object{"toolUse": object{"toolUseId": c.id, "name": c.tool, "input": object{"city": c.city}}})
	}
	return object{"role": "assistant", "content": content}
}

func converseRequest(history []spoken, answer spoken, _ int) object {
	var messages list
	for _, m := range history {
		messages = append(messages, converse(m))
	}
	return object{"request": object{"modelId": "m", "messages": messages}, "response": object{"output": object{"message": converse(answer)},
		"stopReason": "end_turn", "usage": object{"inputTokens": answer.in, "outputTokens": answer.out, "totalTokens": answer.in + answer.out}}}
}

// TestEveryProtocol: a log of requests that each repeat the history gives the turns of the conversation itself, in the
// words of every interface, one record a request or all in one input, in any order and however often.
func TestEveryProtocol(t *testing.T) {
	for name, write := range map[string]func([]spoken, spoken, int) object{
		"chat": chatRequest, "chat in chunks": chunkedRequest, "responses": responsesRequest, "responses that are chained": chainedRequest,
		"anthropic": anthropicRequest, "gemini": geminiRequest, "converse": converseRequest,
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(40) {
				r := rand.New(rand.NewPCG(seed, 7))
				said := conversation(r)
				want := assembled(t, decodedRecord(t, wholeConversation(t, said)))["whole"].Threads[0].Turns
				var records [][]byte
				for i, m := range said {
					if m.role == "assistant" {
						records = append(records, marshalled(t, write(said[:i], m, i)))
					}
				}
				sent := slices.Concat(records, records[:r.IntN(len(records))])
				r.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
				var apart []dialect.Output
				for _, record := range sent {
					apart = append(apart, decodedRecord(t, record))
				}
				together := decodedRecord(t, joined(records))
				for _, outs := range [][]dialect.Output{apart, {together}, append(apart, together)} {
					runs := assembled(t, outs...)
					if len(runs) != 1 {
						t.Fatalf("seed %d: the requests give %d runs", seed, len(runs))
					}
					for _, run := range runs {
						sameTurns(t, run.Threads[0].Turns, want)
					}
				}
				if t.Failed() {
					t.Fatalf("seed %d: %+v", seed, said)
				}
			}
		})
	}
}

// wholeConversation writes the conversation itself, as an Errata record.
func wholeConversation(t *testing.T, said []spoken) []byte {
	var messages list
	for _, m := range said {
		message := chatMessage(m)
		if m.role == "assistant" {
			message["usage"] = object{"prompt_tokens": m.in, "completion_tokens": m.out}
		}
		messages = append(messages, message)
	}
	return marshalled(t, object{"schema": "errata.run/v1", "run_id": "whole", "provider": "openai", "messages": messages})
}

func marshalled(t *testing.T, v any) []byte {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func joined(records [][]byte) []byte {
	var out []byte
	for _, record := range records {
		out = append(append(out, record...), '\n')
	}
	return out
}

func decodedRecord(t *testing.T, value []byte) dialect.Output {
	t.Helper()
	out, _, err := format.Decode(dialect.Input{Value: value}, format.DefaultLimits())
	if err != nil || len(out.Rejects) > 0 {
		t.Fatalf("%v %v: %.500s", err, out.Rejects, value)
	}
	return out
}
