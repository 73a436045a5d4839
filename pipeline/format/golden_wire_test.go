package format_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"errata/metrics"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// TestGoldenWire holds what was logged between programs, models and tools against what was counted by hand: cases of this
// repository, where the public transcripts hold too few of a kind, and public ones, counted by a few lines of another
// language that know nothing of this program. It looks at each run by itself.
func TestGoldenWire(t *testing.T) {
	endings := func(pairs ...any) map[metrics.Ending]int {
		out := map[metrics.Ending]int{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i].(metrics.Ending)] = pairs[i+1].(int)
		}
		return out
	}
	own := func(path string, want counted) {
		t.Helper()
		c := readCase(t, path+".txtar")
		golden(t, path, c.input, want)
	}
	none := endings()

	// Gateways: one story in four forms, in which the agent tries once and says that it failed, and two of their own.
	gaveUp := func(n int) map[metrics.Ending]int { return endings(metrics.EndingAbandoned, n) }
	own("gatewaylog/testdata/chat", counted{runs: 1, calls: 2, errors: 1, tokens: 275, endings: gaveUp(1)})
	own("gatewaylog/testdata/blocks", counted{runs: 1, calls: 1, errors: 1, tokens: 255, endings: gaveUp(1)})
	own("gatewaylog/testdata/contents", counted{runs: 1, calls: 1, errors: 1, tokens: 275, endings: gaveUp(1)})
	own("gatewaylog/testdata/responses", counted{runs: 1, calls: 3, errors: 3, tokens: 455, endings: gaveUp(3)})
	own("gatewaylog/testdata/converse", counted{runs: 1, calls: 3, errors: 1, tokens: 311})
	own("gatewaylog/testdata/failed", counted{runs: 1, tokens: 19, endings: none})

	// MCP: what was called off is no error, and an error of the protocol is one.
	own("mcplog/testdata/calls", counted{runs: 1, calls: 4, errors: 2})
	own("mcplog/testdata/sessions", counted{runs: 2, calls: 4, errors: 1, endings: endings(metrics.EndingRecovered, 1)})
	own("mcplog/testdata/bare", counted{runs: 1, calls: 3, errors: 2})

	// Spans, in both encodings and other frames.
	own("otlp/testdata/current", counted{runs: 1, calls: 2, errors: 1, tokens: 488})
	own("otlp/testdata/protobuf", counted{runs: 1, calls: 2, errors: 1, tokens: 488})
	own("otlp/testdata/logs", counted{runs: 1, calls: 1, errors: 1, tokens: 97})
	own("phoenix/testdata/page", counted{runs: 1, calls: 2, errors: 2, tokens: 156})
	own("phoenix/testdata/printed", counted{runs: 1, calls: 1, errors: 1, tokens: 15})
	own("phoenix/testdata/attributes", counted{runs: 1, tokens: 9, endings: none})
	own("langsmith/testdata/graph", counted{runs: 1, calls: 2, errors: 2, tokens: 306})
	own("langsmith/testdata/tree", counted{runs: 1, calls: 2, errors: 1, tokens: 25})
	own("claudestream/testdata/stream", counted{runs: 1, calls: 3, errors: 1, tokens: 164})
	own("claudestream/testdata/sdk", counted{runs: 1, calls: 1, tokens: 11, endings: none})
	own("answers/testdata/recorded", counted{runs: 1, calls: 2, tokens: 148, endings: none})
	own("answers/testdata/response", counted{runs: 1, calls: 1, tokens: 54, endings: none})

	root := os.Getenv("ERRATA_CORPUS")
	if root == "" {
		t.Skip("ERRATA_CORPUS is not set: the public transcripts are not looked at")
	}
	public := func(path string, want counted) {
		t.Helper()
		value, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Log(err)
			return
		}
		golden(t, path, dialect.Input{Value: value}, want)
	}
	contrib, inference := "otel-python-contrib/", "openinference/"
	public(contrib+"test_converse_tool_call_with_content.yaml", counted{runs: 1, calls: 2, tokens: 1217, endings: none})
	public(contrib+"test_converse_stream_tool_call_parsing_errors.yaml", counted{runs: 1, calls: 2, tokens: 842, endings: none})
	public(contrib+"test_invoke_model_with_response_stream_with_content_tool_call_anthropic.claude_.yaml", counted{runs: 1, calls: 2, tokens: 1275, endings: none})
	public(inference+"openinference__instrumentation__bedrock__cassettes__TestConverseStream.test_invoke_tool_response_message.yaml", counted{runs: 1, calls: 1, tokens: 466, endings: none})

	responses := "gemini-cli-responses/"
	public(responses+"browser-agent.interaction.responses", counted{runs: 1, calls: 4, tokens: 940, endings: none})
	public(responses+"hooks-system.after-tool-context.responses", counted{runs: 1, calls: 1, tokens: 25754, endings: none})
	public(responses+"policy-headless-shell-denied.responses", counted{runs: 1, calls: 1, tokens: 16460, endings: none})
	public(inference+"cassettes__test_instrumentor__test_query_task_subagent_spans.yaml", counted{runs: 1, calls: 2, tokens: 47253, endings: none})
	public(inference+"cassettes__test_instrumentor__test_query_tool_spans_from_messages.yaml", counted{runs: 1, calls: 1, tokens: 34332, endings: none})
	public(inference+"cassettes__test_instrumentor__test_query_real_agent_span.yaml", counted{runs: 1, tokens: 17028, endings: none})
	public("langfuse-traces/claude-agent-2025-12-22.chatml.json", counted{runs: 1, calls: 2, endings: none})
	public("langfuse-traces/pydantic-ai-tools-2025-12-04.chatml.json", counted{runs: 1, calls: 4, endings: none})
	public("langfuse-traces/langgraph-python-2025-08-22.chatml.json", counted{runs: 1, calls: 1, endings: none})
	public(inference+"openinference_client_span_tool_calls.json", counted{runs: 1, calls: 1, tokens: 149, endings: none})
}

// golden compares what is mined of an input with what was counted. What was not counted is not compared.
func golden(t *testing.T, name string, input dialect.Input, want counted) {
	t.Helper()
	out, _, err := format.Decode(input, format.Limits{})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for i := range out.Fragments {
		out.Fragments[i].Meta.Ended, out.Fragments[i].Ended = true, out.Fragments[i].Thread == transcript.ThreadID("") || out.Fragments[i].Ended
	}
	got := countRuns(assembled(t, out))
	if want.tokens == 0 {
		got.tokens = 0
	}
	if want.endings == nil {
		got.endings = nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v, want %+v", name, got, want)
	}
}
