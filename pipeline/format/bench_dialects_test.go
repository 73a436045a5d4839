package format_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/pipeline/format/otlp/wiretest"
)

// BenchmarkDialects measures every dialect on all of its fixtures, and on the public transcripts that it claims where
// ERRATA_CORPUS says where they are: what it reads in a second, in bytes and in calls, on one core.
func BenchmarkDialects(b *testing.B) {
	inputs := map[string][]dialect.Input{}
	for _, f := range append(ownFixtures(b), corpusFixtures(b)...) {
		if d, err := format.Detect(f.input); err == nil {
			inputs[d.Name] = append(inputs[d.Name], f.input)
		}
	}
	for _, d := range format.Dialects() {
		b.Run(d.Name, func(b *testing.B) { measure(b, inputs[d.Name]...) })
	}
}

// BenchmarkLarge measures what comes as a stream or grows with a conversation, at two sizes: bytes take as long in the
// larger one, but where a format itself repeats every history.
func BenchmarkLarge(b *testing.B) {
	for name, make := range map[string]func(b *testing.B, n int) []byte{
		"otlp-json":     func(_ *testing.B, n int) []byte { return spansRequest(n) },
		"otlp-protobuf": func(b *testing.B, n int) []byte { return wiretest.Protobuf(b, spansRequest(n)) },
		"mcp-log":       func(_ *testing.B, n int) []byte { return mcpLog(n) },
		"gateway-log":   func(_ *testing.B, n int) []byte { return gatewayLog(n / 10) },
		"langsmith":     func(_ *testing.B, n int) []byte { return langsmithRuns(n) },
		"phoenix":       func(_ *testing.B, n int) []byte { return phoenixSpans(n) },
		"claude-stream": func(_ *testing.B, n int) []byte { return claudeStream(n) },
		"answers":       func(_ *testing.B, n int) []byte { return answersFile(n) },
		"langfuse":      func(_ *testing.B, n int) []byte { return langfuseTrace(n) },
	} {
		for _, n := range []int{500, 4000} {
			b.Run(fmt.Sprintf("%s-%d", name, n), func(b *testing.B) { measure(b, dialect.Input{Value: make(b, n)}) })
		}
	}
}

// measure decodes inputs again and again.
func measure(b *testing.B, inputs ...dialect.Input) {
	size, calls := 0, 0
	for _, in := range inputs {
		size += len(in.Value)
		out, _, err := format.Decode(in, format.Limits{})
		if err != nil && len(inputs) == 1 {
			b.Fatal(err)
		}
		for _, f := range out.Fragments {
			for i := range f.Messages {
				calls += len(f.Messages[i].Calls)
			}
		}
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, in := range inputs {
			_, _, _ = format.Decode(in, format.Limits{})
		}
	}
	b.ReportMetric(float64(calls)*float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

// spansRequest is a request of so many generations, each with a call and the span of its tool, in traces of ten.
func spansRequest(n int) []byte {
	var spans []string
	for i := range n {
		at := 1_767_323_045_000_000_000 + int64(i)*1_000_000_000
		spans = append(spans, fmt.Sprintf(`{"traceId":"%032x","spanId":"%016x","name":"chat","kind":3,"startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.request.model","value":{"stringValue":"gpt-5"}},{"key":"gen_ai.usage.input_tokens","value":{"intValue":"100"}},{"key":"gen_ai.usage.output_tokens","value":{"intValue":"20"}},{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Find number %d of those that are asked for here.\"}]}]"}},{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c%d\",\"name\":\"find\",\"arguments\":{\"n\":%d}}]}]"}}]}`,
			i/10+1, 2*i+1, at, at+1_000_000, i, i, i),
			fmt.Sprintf(`{"traceId":"%032x","spanId":"%016x","parentSpanId":"%016x","name":"execute_tool find","kind":1,"startTimeUnixNano":"%d","endTimeUnixNano":"%d","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"find"}},{"key":"gen_ai.tool.call.id","value":{"stringValue":"c%d"}},{"key":"gen_ai.tool.call.result","value":{"stringValue":"{\"rows\":[{\"id\":%d,\"name\":\"a name that is somewhat long\"}]}"}}]}`,
				i/10+1, 2*i+2, 2*i+1, at+2_000_000, at+3_000_000, i, i))
	}
	return []byte(`{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"desk"}}]},"scopeSpans":[{"spans":[` + strings.Join(spans, ",") + `]}]}]}`)
}

func mcpLog(n int) []byte {
	var out bytes.Buffer
	for i := range n {
		fmt.Fprintf(&out, `{"ts":%d,"sessionId":"s","message":{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"find","arguments":{"n":%d}}}}`+"\n", 1_767_323_045+i, i, i)
		fmt.Fprintf(&out, `{"ts":%d,"sessionId":"s","message":{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"{\"rows\":[{\"id\":%d,\"name\":\"a name that is somewhat long\"}]}"}]}}}`+"\n", 1_767_323_045+i, i, i)
	}
	return out.Bytes()
}

// gatewayLog is a conversation of so many requests, each of which repeats it.
func gatewayLog(n int) []byte {
	said := []spoken{{role: "user", text: "Find them all."}}
	var out []byte
	for i := range n {
		answer := spoken{role: "assistant", calls: []asked{{fmt.Sprintf("c%d", i), "find", fmt.Sprintf("city number %d", i)}}, in: 100, out: 20}
		record, _ := json.Marshal(chatRequest(said, answer, i)) // made of texts and numbers, hence cannot fail
		out = append(append(out, record...), '\n')
		said = append(said, answer, spoken{role: "tool", id: fmt.Sprintf("c%d", i), text: `{"rows":[{"id":1,"name":"a name that is somewhat long"}]}`})
	}
	return out
}

func langsmithRuns(n int) []byte {
	var out bytes.Buffer
	for i := range n {
		fmt.Fprintf(&out, `{"id":"m%d","trace_id":"t%d","parent_run_id":null,"name":"ChatOpenAI","run_type":"llm","start_time":"2026-01-02T03:04:01","end_time":"2026-01-02T03:04:02","inputs":{"messages":[[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"Find number %d.","type":"human"}}]]},"outputs":{"generations":[[{"text":"","message":{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"","type":"ai","tool_calls":[{"name":"find","args":{"n":%d},"id":"c%d","type":"tool_call"}],"usage_metadata":{"input_tokens":100,"output_tokens":20}}}}]]}}`+"\n", i, i/10, i, i, i)
		fmt.Fprintf(&out, `{"id":"u%d","trace_id":"t%d","parent_run_id":"m%d","name":"find","run_type":"tool","start_time":"2026-01-02T03:04:03","end_time":"2026-01-02T03:04:04","inputs":{"input":"{'n': %d}"},"outputs":{"output":{"lc":1,"type":"constructor","id":["langchain","schema","messages","ToolMessage"],"kwargs":{"content":"a name that is somewhat long","type":"tool","tool_call_id":"c%d","status":"success"}}}}`+"\n", i, i/10, i, i, i)
	}
	return out.Bytes()
}

func phoenixSpans(n int) []byte {
	var spans []string
	for i := range n {
		spans = append(spans, fmt.Sprintf(`{"name":"ChatOpenAI","context":{"trace_id":"t%d","span_id":"m%d"},"span_kind":"LLM","parent_id":null,"start_time":"2026-01-02T03:04:01+00:00","end_time":"2026-01-02T03:04:02+00:00","status_code":"OK","attributes":{"llm.model_name":"gpt-5","llm.token_count.prompt":100,"llm.token_count.completion":20,"llm.input_messages.0.message.role":"user","llm.input_messages.0.message.content":"Find number %d.","llm.output_messages.0.message.role":"assistant","llm.output_messages.0.message.tool_calls.0.tool_call.id":"c%d","llm.output_messages.0.message.tool_calls.0.tool_call.function.name":"find","llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments":"{\"n\":%d}"}}`, i/10, i, i, i, i))
	}
	return []byte(`{"data":[` + strings.Join(spans, ",") + `],"next_cursor":null}`)
}

func claudeStream(n int) []byte {
	var out bytes.Buffer
	for i := range n {
		fmt.Fprintf(&out, `{"type":"assistant","message":{"id":"msg_%d","type":"message","role":"assistant","model":"claude","content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"find %d"}}],"usage":{"input_tokens":100,"output_tokens":20}},"parent_tool_use_id":null,"session_id":"s","uuid":"a%d"}`+"\n", i, i, i, i)
		fmt.Fprintf(&out, `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"a name that is somewhat long"}]},"parent_tool_use_id":null,"session_id":"s","uuid":"b%d"}`+"\n", i, i)
	}
	return out.Bytes()
}

func answersFile(n int) []byte {
	var out bytes.Buffer
	for i := range n {
		fmt.Fprintf(&out, `{"method":"generateContentStream","response":[{"candidates":[{"content":{"parts":[{"text":"I look."},{"functionCall":{"name":"find","args":{"n":%d}}}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":20}}]}`+"\n", i)
	}
	return out.Bytes()
}

func langfuseTrace(n int) []byte {
	var observations []string
	for i := range n {
		observations = append(observations, fmt.Sprintf(`{"id":"m%d","traceId":"t","type":"GENERATION","name":"response","startTime":"2026-01-02T03:04:05Z","endTime":"2026-01-02T03:04:06Z","input":[{"role":"user","content":"Find number %d."}],"output":{"role":"assistant","tool_calls":[{"id":"c%d","function":{"name":"find","arguments":"{\"n\":%d}"}}]}}`, i, i, i, i),
			fmt.Sprintf(`{"id":"u%d","traceId":"t","type":"TOOL","name":"find","startTime":"2026-01-02T03:04:07Z","endTime":"2026-01-02T03:04:08Z","input":{"n":%d},"output":"a name that is somewhat long"}`, i, i))
	}
	return []byte(`{"id":"t","name":"x","timestamp":"2026-01-02T03:04:05Z","observations":[` + strings.Join(observations, ",") + `]}`)
}
