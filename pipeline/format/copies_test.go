package format_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"errata/pipeline/format/dialect"
)

// The tests of copies send sessions together with those that were resumed, forked or compacted from them, in either order
// and twice. Calls, errors and tokens were counted by hand in what was said, wherever it is repeated.

// countedOnce compares files of one dialect with what was counted.
func countedOnce(t *testing.T, dialectName string) func(name string, want counted, files ...string) {
	return func(name string, want counted, files ...string) {
		t.Helper()
		reversed := slices.Clone(files)
		slices.Reverse(reversed)
		for _, order := range [][]string{files, reversed, append(slices.Clone(files), files...)} {
			var outs []dialect.Output
			for _, file := range order {
				outs = append(outs, decodedAs(t, dialectName, file))
			}
			got := countRuns(assembled(t, outs...))
			got.endings = nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
		}
	}
}

func TestCopiesClaudeCode(t *testing.T) {
	f := countedOnce(t, "claude-code")
	claude := func(session, uuid, parent, rest string) string {
		return fmt.Sprintf(`{"uuid":%q,"parentUuid":%q,"sessionId":%q,"isSidechain":false,%s}`+"\n", uuid, parent, session, rest)
	}
	said := func(at, text string) string {
		return fmt.Sprintf(`"type":"user","timestamp":"2026-03-02T10:00:%sZ","message":{"role":"user","content":%q}`, at, text)
	}
	asked := func(at, id string) string {
		return fmt.Sprintf(`"type":"assistant","requestId":"q%s","timestamp":"2026-03-02T10:00:%sZ","message":{"id":"m%s","role":"assistant","model":"claude-opus-4-6","content":[{"type":"tool_use","id":%q,"name":"Run","input":{}}],"usage":{"input_tokens":2,"output_tokens":3}}`, id, at, id, id)
	}
	failed := func(at, id string) string {
		return fmt.Sprintf(`"type":"user","timestamp":"2026-03-02T10:00:%sZ","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"is_error":true,"content":"busy"}]}`, at, id)
	}
	begun := claude("s1", "u1", "", said("01", "Run it.")) + claude("s1", "a1", "u1", asked("02", "c1")) + claude("s1", "r1", "a1", failed("03", "c1"))
	resumed := claude("s2", "u2", "r1", said("10", "Go on.")) + claude("s2", "a2", "u2", asked("11", "c2"))
	f("resumed into a file that begins with the old one's rows", counted{runs: 2, calls: 2, errors: 1, tokens: 10}, begun, begun+resumed)
	copied := strings.ReplaceAll(strings.ReplaceAll(begun, `"sessionId":"s1"`, `"sessionId":"s3","forkedFrom":{"sessionId":"s1"}`), `"uuid":"`, `"uuid":"copy-`)
	f("forked, rows under new ids", counted{runs: 2, calls: 2, errors: 1, tokens: 10},
		begun, copied+claude("s3", "a3", "copy-r1", asked("12", "c3")))
	compacted := claude("s1", "b1", "", `"type":"system","subtype":"compact_boundary","logicalParentUuid":"r1","timestamp":"2026-03-02T10:00:20Z","content":"Conversation compacted"`) +
		claude("s1", "k1", "b1", `"isCompactSummary":true,`+said("20", "This session is being continued from a previous conversation.")) + claude("s1", "a4", "k1", asked("21", "c4"))
	f("compacted", counted{runs: 1, calls: 2, errors: 1, tokens: 10}, begun, begun+compacted)

}

func TestCopiesCodex(t *testing.T) {
	f := countedOnce(t, "codex")
	meta := func(id, from string) string {
		return fmt.Sprintf(`{"timestamp":"2026-05-02T09:00:00Z","type":"session_meta","payload":{"id":%q%s,"cli_version":"0.142.0","source":"cli","model_provider":"openai"}}`+"\n", id, from)
	}
	item := func(payload string) string {
		return `{"timestamp":"2026-05-02T09:00:01Z","type":"response_item","payload":` + payload + "}\n"
	}
	message := item(`{"type":"message","role":"user","content":[{"type":"input_text","text":"Close it."}]}`)
	call := func(id, status string) string {
		return item(fmt.Sprintf(`{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"x\"}","call_id":%q}`, id)) +
			item(fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":"Process exited with code %s\nOutput:\nx\n"}`, id, status))
	}
	tokens := func(total, last int) string {
		return fmt.Sprintf(`{"timestamp":"2026-05-02T09:00:02Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%d,"total_tokens":%d},"last_token_usage":{"input_tokens":%d,"total_tokens":%d}}}}`+"\n", total, total, last, last)
	}
	rollout := message + call("c1", "1") + tokens(100, 100)
	f("resumed into a longer file", counted{runs: 1, calls: 2, errors: 1, tokens: 150},
		meta("0190-a", "")+rollout, meta("0190-a", "")+rollout+tokens(100, 100)+call("c2", "0")+tokens(150, 50))
	f("forked", counted{runs: 2, calls: 2, errors: 1, tokens: 150},
		meta("0190-a", "")+rollout, meta("0190-b", `,"forked_from_id":"0190-a"`)+meta("0190-a", "")+rollout+
			`{"timestamp":"2026-05-02T09:00:09Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Otherwise."}]}}`+"\n"+
			strings.ReplaceAll(call("c2", "0")+tokens(150, 50), "09:00:0", "09:00:1"))
	f("compacted", counted{runs: 1, calls: 2, errors: 1, tokens: 150},
		meta("0190-a", "")+rollout+`{"timestamp":"2026-05-02T09:00:03Z","type":"compacted","payload":{"message":"Closed.","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Close it."}]}]}}`+"\n"+
			call("c2", "0")+tokens(150, 50))

}

func TestCopiesGeminiCLI(t *testing.T) {
	f := countedOnce(t, "gemini-cli")
	chat := `{"sessionId":"g-1","projectHash":"a","startTime":"2026-05-01T09:00:00Z","lastUpdated":"2026-05-01T09:00:00Z","kind":"main"}` + "\n"
	user := `{"id":"u1","timestamp":"2026-05-01T09:00:01Z","type":"user","content":"List."}`
	answer := func(id string) string {
		return fmt.Sprintf(`{"id":%q,"timestamp":"2026-05-01T09:00:02Z","type":"gemini","content":"","model":"gemini-3-pro","tokens":{"input":40,"output":10,"total":50},"toolCalls":[{"id":"c-%s","name":"ls","args":{},"status":"error","result":[{"functionResponse":{"id":"c-%s","name":"ls","response":{"error":"no"}}}]}]}`, id, id, id)
	}
	f("resumed, its messages set anew, and rewound", counted{runs: 1, calls: 2, errors: 2, tokens: 100},
		chat+user+"\n"+answer("g1")+"\n",
		chat+user+"\n"+answer("g1")+"\n"+`{"$set":{"messages":[`+user+","+answer("g1")+`]}}`+"\n"+`{"$rewindTo":"g1"}`+"\n"+answer("g2")+"\n")
	f("in the old form and in the new one", counted{runs: 1, calls: 1, errors: 1, tokens: 50},
		`{"sessionId":"g-1","projectHash":"a","startTime":"2026-05-01T09:00:00Z","lastUpdated":"2026-05-01T09:00:00Z","messages":[`+user+","+answer("g1")+`]}`, chat+user+"\n"+answer("g1")+"\n")

}

func TestCopiesPi(t *testing.T) {
	f := countedOnce(t, "pi")
	entry := func(id, parent, at, message string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-05-01T%sZ","message":%s}`+"\n", id, parent, at, message)
	}
	tried := func(id, parent, at string) string {
		return entry("a"+id, parent, at, fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":%q,"name":"bash","arguments":{}}],"provider":"p","model":"m","usage":{"input":4,"output":1,"cacheRead":0,"cacheWrite":0}}`, id)) +
			entry("r"+id, `"a`+id+`"`, at, fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":"bash","content":[{"type":"text","text":"no"}],"isError":true}`, id))
	}
	head := func(id, at, source string) string {
		return fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-05-01T%sZ","cwd":"/w"%s}`+"\n", id, at, source)
	}
	work := entry("u1", "null", "09:00:01", `{"role":"user","content":"Run."}`) + tried("c1", `"u1"`, "09:00:02")
	f("branched", counted{runs: 2, calls: 2, errors: 2, tokens: 10},
		head("p-1", "09:00:00", "")+work, head("p-2", "10:00:00", `,"parentSession":"/s/2026-05-01T09-00-00Z_p-1.jsonl"`)+work+tried("c2", `"rc1"`, "10:00:01"))
	f("compacted", counted{runs: 1, calls: 2, errors: 2, tokens: 10}, head("p-1", "09:00:00", "")+work,
		head("p-1", "09:00:00", "")+work+`{"type":"compaction","id":"k1","parentId":"rc1","timestamp":"2026-05-01T09:00:05Z","summary":"Ran.","firstKeptEntryId":"u1","tokensBefore":9}`+"\n"+tried("c2", `"k1"`, "09:00:06"))

}

func TestCopiesOpenCode(t *testing.T) {
	f := countedOnce(t, "opencode")
	opencode := func(id string, began int, messages ...string) string {
		return fmt.Sprintf(`{"info":{"id":%q,"version":"1","projectID":"p","directory":"/w","time":{"created":%d}},"messages":[%s]}`, id, began, strings.Join(messages, ","))
	}
	did := func(session, id string, at int, callID string) string {
		return fmt.Sprintf(`{"info":{"id":"msg_%s","sessionID":%q,"role":"assistant","time":{"created":%d},"modelID":"m","providerID":"p","tokens":{"input":4,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}},"parts":[{"id":"prt_%s","sessionID":%q,"messageID":"msg_%s","type":"tool","callID":%q,"tool":"bash","state":{"status":"error","input":{},"error":"no","time":{"start":%d,"end":%d}}},{"id":"prt_%s_f","sessionID":%q,"messageID":"msg_%s","type":"step-finish","tokens":{"input":4,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}}]}`,
			id, session, at, id, session, id, callID, at+1, at+2, id, session, id)
	}
	const hour = 3_600_000
	const noon = 1_772_366_400_000
	first := did("ses_1", "1", noon+1000, "c1")
	f("exported again, and forked", counted{runs: 2, calls: 3, errors: 3, tokens: 15},
		opencode("ses_1", noon, first), opencode("ses_1", noon, first, did("ses_1", "2", noon+2000, "c2")),
		opencode("ses_2", noon+hour, did("ses_2", "9", noon+1000, "c1"), did("ses_2", "8", noon+hour+1000, "c3")))
	stored := `{"id":"msg_1","sessionID":"ses_1","role":"assistant","time":{"created":1772366401000},"modelID":"m","providerID":"p","tokens":{"input":4,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}}` + "\n" +
		`{"id":"prt_1","sessionID":"ses_1","messageID":"msg_1","type":"tool","callID":"c1","tool":"bash","state":{"status":"error","input":{},"error":"no","time":{"start":1772366401001,"end":1772366401002}}}`
	f("exported and stored", counted{runs: 1, calls: 1, errors: 1, tokens: 5}, opencode("ses_1", noon, first), stored)
}
