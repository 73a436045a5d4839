package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"errata/pipeline/feed"
)

// What is beyond a limit is rejected with its reason and the number to change, or cut with its length and hash kept, and
// what stands beside it is stored.
func TestLimits(t *testing.T) {
	message := func(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }
	run := func(id string, messages ...string) string {
		return fmt.Sprintf(`{"schema":"errata.run/v1","run_id":%q,"messages":[%s]}`, id, strings.Join(messages, ","))
	}
	many := make([]string, 6)
	for i := range many {
		many[i] = message(fmt.Sprint("m", i))
	}
	leaves := make([]string, 5000)
	for i := range leaves {
		leaves[i] = fmt.Sprintf(`"k%d":%d`, i, i)
	}
	w := newWorld(t)
	w.cfg.Decode.Bytes = 100_000
	w.cfg.Assemble.Limits.Messages, w.cfg.Assemble.Limits.Text = 5, 60_000
	w.cfg.Assemble.MaxBytes = 1 // no run stays in memory
	values := []string{
		run("plain", message("a"), message("b")),
		run("large", message(strings.Repeat("x", 100_000))),
		run("messages", many...),
		run("deep", strings.Repeat("[", 600)+strings.Repeat("]", 600)),
		run("text", message("begin "+strings.Repeat("x", 70_000))),
		run("result", `{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"t","arguments":"{}"}}]}`,
			fmt.Sprintf(`{"role":"tool","tool_call_id":"1","content":%q}`, strings.Repeat("y", 70_000))),
		run("leaves", fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"t","arguments":%q}}]}`, "{"+strings.Join(leaves, ",")+"}")),
	}
	records := make([]feed.Record, len(values))
	for i, value := range values {
		records[i] = feed.Record{Offset: int64(i), Value: []byte(value), Time: time.Unix(1_790_000_000, 0).UTC()}
	}
	w.handle(w.pipeline(), records)

	rejects := w.rows("SELECT concat(toString(offset), ' ', reason, ' ', message) FROM rejects FINAL ORDER BY offset")
	for i, want := range []string{"1 too_large", "2 too_large", "3 too_deep"} {
		if len(rejects) != 3 || !strings.HasPrefix(rejects[i], want) {
			t.Fatalf("rejects %q, want %q", rejects, want)
		}
	}
	for i, mend := range []string{"ERRATA_MAX_RECORD", "5", "500"} {
		if !strings.Contains(rejects[i], mend) {
			t.Errorf("%q does not say %q", rejects[i], mend)
		}
	}
	if runs := strings.Join(w.rows("SELECT run_id FROM runs FINAL ORDER BY run_id"), " "); runs != "leaves messages plain result text" {
		t.Errorf("stored: %s", runs)
	}
	f := func(id, want string) {
		t.Helper()
		if got := strings.Join(w.rows("SELECT content FROM transcripts FINAL WHERE kind = 'message' AND run_id = '"+id+"' ORDER BY position"), ""); !strings.Contains(got, want) || len(got) > 62_000 {
			t.Errorf("%s: %d bytes are stored, without %q", id, len(got), want)
		}
	}
	f("text", "[cut, 70006 bytes, ")
	f("result", `"body_length":70000,"body_hash":"`)
	if n := w.rows("SELECT toString(count()) FROM transcripts FINAL WHERE kind = 'message' AND run_id = 'messages'"); n[0] != "5" {
		t.Errorf("%s messages are stored, want 5", n[0])
	}
}

// A bound of nesting lower than the built-in one refuses what is deeper: a line of its own, and good lines beside it keep
// their numbers and go through.
func TestNestingLimit(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + "0" + strings.Repeat("]", n) }
	run := func(id, extra string) string {
		return fmt.Sprintf(`{"schema":"errata.run/v1","run_id":%q,"messages":[{"role":"user","content":"a"}],"labels":{"x":%s}}`, id, extra)
	}
	call := func(arguments string) string {
		return fmt.Sprintf(`{"schema":"errata.run/v1","run_id":"arguments","messages":[{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"t","arguments":%q}}]}]}`, arguments)
	}
	w := newWorld(t)
	w.cfg.Decode.Depth = 20
	var records []feed.Record
	for i, value := range []string{
		run("whole", nested(40)),
		run("first", `"y"`) + "\n" + run("second", nested(40)) + "\n{no json\n" + run("third", `"y"`),
		call(nested(40)), // a string holds it: no nesting of the record
	} {
		records = append(records, feed.Record{Offset: int64(i), Value: []byte(value), Time: time.Unix(1_790_000_000, 0).UTC()})
	}
	w.handle(w.pipeline(), records)
	got := strings.Join(w.rows("SELECT concat(toString(offset), ' ', reason, ' ', message) FROM rejects FINAL ORDER BY offset, part"), "\n")
	for _, want := range []string{"0 too_deep byte", "1 malformed_json line 3", "1 too_deep line 2", "deeper than 20 levels; raise ERRATA_MAX_NESTING"} {
		if !strings.Contains(got, want) {
			t.Errorf("rejects\n%s\nlack %q", got, want)
		}
	}
	if runs := strings.Join(w.rows("SELECT run_id FROM runs FINAL ORDER BY run_id"), " "); runs != "arguments first third" {
		t.Errorf("stored: %s", runs)
	}
}
