package format_test

import (
	"testing"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// TestNamesOfFiles: some programs name a session by its file and folders only. What is read of the name is in the records
// that are sent, which have none.
func TestNamesOfFiles(t *testing.T) {
	f := func(path, value string, run transcript.RunID, thread transcript.ThreadID) {
		t.Helper()
		input := dialect.Input{Value: []byte(value), Path: path}
		out, d, err := format.Decode(input, format.DefaultLimits())
		if err != nil || len(out.Fragments) != 1 {
			t.Fatalf("%s: %+v, %v", path, out, err)
		}
		if got := out.Fragments[0]; got.Meta.ID != run || got.Thread != thread {
			t.Errorf("%s: run %q, thread %q, want %q, %q", path, got.Meta.ID, got.Thread, run, thread)
		}
		if spoke := out.Fragments[0].Messages[0].Role == transcript.RoleUser; spoke != (thread == "") {
			t.Errorf("%s: a person spoke: %v", path, spoke)
		}
		parts, rejects := format.Split(input, d, 1<<20)
		if len(parts) != 1 || len(rejects) > 0 {
			t.Fatalf("%s: %d parts, %v", path, len(parts), rejects)
		}
		sent, _, err := format.Decode(dialect.Input{Value: parts[0].Value, Key: parts[0].Key, Headers: parts[0].Headers}, format.DefaultLimits())
		if err != nil || len(sent.Fragments) != 1 || sent.Fragments[0].Meta.ID != run || sent.Fragments[0].Thread != thread || parts[0].Key != string(run) {
			t.Errorf("%s: sent it is %+v, %v", path, sent, err)
		}
	}
	cursor := `{"role":"user","message":{"content":[{"type":"text","text":"Look."}]}}` + "\n"
	f("/home/a/.cursor/projects/p/agent-transcripts/0a-1/0a-1.jsonl", cursor, "0a-1", "")
	f("/home/a/.cursor/projects/p/agent-transcripts/0a-2.jsonl", cursor, "0a-2", "")
	f("/home/a/.cursor/projects/p/agent-transcripts/0a-1/subagents/0b-2.jsonl", cursor, "0a-1", "0b-2")
	f(`C:\Users\a\.cursor\projects\p\agent-transcripts\0a-3.jsonl`, cursor, "0a-3", "")
	grok := `{"type":"user","content":[{"type":"text","text":"Look."}],"prompt_index":0}` + "\n"
	f("/home/a/.grok/sessions/%2Fw/019f6851-7ec4-7ef0-97d3-03f3eee38755/chat_history.jsonl", grok, "019f6851-7ec4-7ef0-97d3-03f3eee38755", "")
	step := `{"step_index":0,"source":"USER_EXPLICIT","type":"USER_INPUT","status":"DONE","created_at":"2026-03-01T10:00:00Z","content":"Look."}` + "\n"
	f("/home/a/.gemini/antigravity-cli/brain/77-1/.system_generated/logs/transcript.jsonl", step, "77-1", "")
	kimi := `{"type":"metadata","protocol_version":"1.4","created_at":1772359200000}` + "\n" +
		`{"type":"context.append_message","message":{"role":"user","content":"Look.","origin":{"kind":"user"}},"time":1772359201000}` + "\n"
	f("/home/a/.kimi-code/sessions/wd_p/session_1b-2/agents/main/wire.jsonl", kimi, "session_1b-2", "")
	f("/home/a/.kimi-code/sessions/wd_p/session_1b-2/agents/agent-0/wire.jsonl", kimi, "session_1b-2", "agent-0")
}
