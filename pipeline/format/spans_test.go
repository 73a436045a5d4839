package format_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/otlp/wiretest"
)

// TestEveryKindOfSpan: the spans of a conversation, of which every one that is a generation repeats the history, give the
// turns of the conversation itself: in either encoding and in other frames, together or each in a record of its own, in
// any order and however often.
func TestEveryKindOfSpan(t *testing.T) {
	for name, write := range map[string]func(t *testing.T, spans []madeSpan) []byte{
		"otlp in JSON":     otlpJSON,
		"otlp in protobuf": func(t *testing.T, spans []madeSpan) []byte { return wiretest.Protobuf(t, otlpJSON(t, spans)) },
		"openinference":    phoenixPage,
		"langsmith":        langsmithPage,
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(25) {
				r := rand.New(rand.NewPCG(seed, 9))
				said := conversation(r)
				want := assembled(t, decodedRecord(t, wholeConversation(t, said)))["whole"].Threads[0].Turns
				spans := spansOf(said)
				var apart []dialect.Output
				order := slices.Concat(r.Perm(len(spans)), r.Perm(len(spans)))
				for _, i := range order {
					apart = append(apart, decodedRecord(t, write(t, spans[i:i+1])))
				}
				for _, outs := range [][]dialect.Output{{decodedRecord(t, write(t, spans))}, apart} {
					runs := assembled(t, outs...)
					if len(runs) != 1 {
						t.Fatalf("seed %d: the spans give %d runs", seed, len(runs))
					}
					for _, run := range runs {
						turns := run.Threads[0].Turns
						for i := range turns {
							for j := range turns[i].Calls {
								if result := turns[i].Calls[j].Result; result != nil {
									result.ErrorType = "" // which spans alone tell
								}
							}
						}
						sameTurns(t, turns, want)
					}
				}
				if t.Failed() {
					t.Fatalf("seed %d: %+v", seed, said)
				}
			}
		})
	}
}

// madeSpan is a generation with what it read, or the execution of a tool.
type madeSpan struct {
	at      int // seconds from the beginning
	history []spoken
	answer  spoken
	call    asked // of a tool
}

// spansOf gives the spans of a conversation in the order of time.
func spansOf(said []spoken) []madeSpan {
	var out []madeSpan
	calls := map[string]asked{}
	for i, m := range said {
		switch m.role {
		case "assistant":
			out = append(out, madeSpan{at: 10 * i, history: said[:i], answer: m})
			for _, c := range m.calls {
				calls[c.id] = c
			}
		case "tool":
			out = append(out, madeSpan{at: 10 * i, answer: m, call: calls[m.id]})
		}
	}
	return out
}

func nano(seconds int) string {
	return strconv.FormatInt((1_767_323_045+int64(seconds))*1_000_000_000, 10)
}

func attribute(name string, value any) object {
	if n, isCount := value.(int); isCount {
		return object{"key": name, "value": object{"intValue": strconv.Itoa(n)}}
	}
	return object{"key": name, "value": object{"stringValue": value}}
}

func text(v any) string {
	out, _ := json.Marshal(v) // made of texts, numbers and maps of them, hence cannot fail
	return string(out)
}

// conventional writes a message with the parts of the current conventions.
func conventional(m spoken) object {
	switch m.role {
	case "tool":
		return object{"role": "tool", "parts": list{object{"type": "tool_call_response", "id": m.id, "response": m.text}}}
	case "user":
		return object{"role": "user", "parts": list{object{"type": "text", "content": m.text}}}
	}
	content := list{}
	if m.text != "" {
		content = append(content, object{"type": "text", "content": m.text})
	}
	for _, c := range m.calls {
		content = append(content, object{"type": "tool_call", "id": c.id, "name": c.tool, "arguments": object{"city": c.city}})
	}
	return object{"role": "assistant", "parts": content}
}

func otlpJSON(_ *testing.T, spans []madeSpan) []byte {
	var out list
	for _, s := range spans {
		span := object{"traceId": "5b8efff798038103d269b633813fc60c", "spanId": fmt.Sprintf("%016x", s.at+1), "name": "x", "startTimeUnixNano": nano(s.at), "endTimeUnixNano": nano(s.at + 5)}
		if s.call.id != "" {
			span["attributes"] = list{attribute("gen_ai.operation.name", "execute_tool"), attribute("gen_ai.tool.name", s.call.tool),
				attribute("gen_ai.tool.call.id", s.call.id), attribute("gen_ai.tool.call.arguments", `{ "city": "`+s.call.city+`" }`), attribute("gen_ai.tool.call.result", s.answer.text)}
			if s.answer.failed {
				span["status"] = object{"code": 2}
			}
		} else {
			var history list
			for _, m := range s.history {
				history = append(history, conventional(m))
			}
			span["attributes"] = list{attribute("gen_ai.operation.name", "chat"), attribute("gen_ai.usage.input_tokens", s.answer.in), attribute("gen_ai.usage.output_tokens", s.answer.out),
				attribute("gen_ai.input.messages", text(history)), attribute("gen_ai.output.messages", text(list{conventional(s.answer)}))}
		}
		out = append(out, span)
	}
	return []byte(text(object{"resourceSpans": list{object{"scopeSpans": list{object{"spans": out}}}}}))
}

func clock(seconds int) string {
	return fmt.Sprintf("2026-01-02T%02d:%02d:%02d+00:00", 3+seconds/3600, seconds/60%60, seconds%60)
}

// inferred writes a message in OpenInference's attributes.
func inferred(into object, prefix string, m spoken) {
	into[prefix+".message.role"] = m.role
	if m.role == "tool" {
		into[prefix+".message.tool_call_id"] = m.id
	}
	if m.text != "" {
		into[prefix+".message.content"] = m.text
	}
	for i, c := range m.calls {
		call := fmt.Sprintf("%s.message.tool_calls.%d.tool_call.", prefix, i)
		into[call+"id"], into[call+"function.name"], into[call+"function.arguments"] = c.id, c.tool, c.arguments()
	}
}

func phoenixPage(_ *testing.T, spans []madeSpan) []byte {
	var out list
	for _, s := range spans {
		attributes := object{}
		span := object{"name": "x", "context": object{"trace_id": "t", "span_id": strconv.Itoa(s.at)}, "parent_id": nil, "start_time": clock(s.at), "end_time": clock(s.at + 5), "attributes": attributes}
		if s.call.id != "" {
			span["span_kind"] = "TOOL"
			attributes["tool.name"], attributes["tool.id"], attributes["input.value"], attributes["output.value"] = s.call.tool, s.call.id, `{'city': '`+s.call.city+`'}`, s.answer.text
		} else {
			span["span_kind"] = "LLM"
			attributes["llm.token_count.prompt"], attributes["llm.token_count.completion"] = s.answer.in, s.answer.out
			for i, m := range s.history {
				inferred(attributes, fmt.Sprintf("llm.input_messages.%d", i), m)
			}
			inferred(attributes, "llm.output_messages.0", s.answer)
		}
		out = append(out, span)
	}
	return []byte(text(object{"data": out, "next_cursor": nil}))
}

// chained writes a message as LangChain serialises it.
func chained(m spoken) object {
	kind := map[string]string{"user": "human", "assistant": "ai", "tool": "tool"}[m.role]
	kwargs := object{"content": m.text, "type": kind}
	if m.role == "tool" {
		kwargs["tool_call_id"], kwargs["status"] = m.id, map[bool]string{true: "error", false: "success"}[m.failed]
	}
	var calls list
	for _, c := range m.calls {
		calls = append(calls, object{"id": c.id, "name": c.tool, "args": object{"city": c.city}, "type": "tool_call"})
	}
	if calls != nil {
		kwargs["tool_calls"] = calls
	}
	return object{"lc": 1, "type": "constructor", "id": list{"langchain", "schema", "messages", kind}, "kwargs": kwargs}
}

func langsmithPage(_ *testing.T, spans []madeSpan) []byte {
	var out list
	for _, s := range spans {
		run := object{"id": "run-" + strconv.Itoa(s.at), "trace_id": "t", "parent_run_id": "root", "name": "ChatX", "start_time": clock(s.at), "end_time": clock(s.at + 5)}
		if s.call.id != "" {
			run["run_type"], run["name"], run["inputs"] = "tool", s.call.tool, object{"input": `{'city': '` + s.call.city + `'}`}
			run["outputs"] = object{"output": chained(s.answer)}
		} else {
			var history list
			for _, m := range s.history {
				history = append(history, chained(m))
			}
			answer := chained(s.answer)
			answer["kwargs"].(object)["usage_metadata"] = object{"input_tokens": s.answer.in, "output_tokens": s.answer.out}
			run["run_type"], run["inputs"], run["outputs"] = "llm", object{"messages": list{history}}, object{"generations": list{list{object{"text": s.answer.text, "message": answer}}}}
		}
		out = append(out, run)
	}
	return []byte(text(object{"runs": out}))
}
