package claudecode_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"errata/metrics"
	"errata/pipeline/assemble"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// TestFacts holds what is mined of the cases against what was counted in them by hand.
func TestFacts(t *testing.T) {
	f := func(name string, want ...string) {
		t.Helper()
		value := input(t, name)
		if got := facts(t, value); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		// A session that was resumed into a second file holds the same lines again.
		if got := facts(t, value, value); !slices.Equal(got, want) {
			t.Errorf("%s, twice:\n%s", name, strings.Join(got, "\n"))
		}
	}
	f("session",
		`"": 3 turns, 1 user messages`,
		"1.0 mcp__desk__update_ticket error switched",
		"1.1 Read cancelled ",
		"2.0 Bash ok ",
		"tokens 11+355+50+191",
	)
	f("person",
		`"": 3 turns, 6 user messages`,
		"1.0 Bash refused ",
		"2.0 Bash cancelled ",
		"tokens 2010+900+950+69",
	)
	f("subagents",
		`"": 3 turns, 1 user messages`,
		`"a70" of toolu_A: 1 turns, 0 user messages`,
		`"b81" of toolu_B: 1 turns, 0 user messages`,
		`"sidechain": 1 turns, 1 user messages`,
		"1.0 Task ok ",
		"2.0 Task ok ",
		"a70 1.0 Read error ended",
		"tokens 25+60+30+123",
	)
}

// TestRewind: a person goes back to before a failed call and asks for the same again. What was abandoned is counted,
// and what comes on the other branch is no repetition of it.
func TestRewind(t *testing.T) {
	line := func(uuid, parent, rest string) string {
		return fmt.Sprintf(`{"uuid":%q,"parentUuid":%s,"sessionId":"s","isSidechain":false,%s}`+"\n", uuid, parent, rest)
	}
	user := func(second int, content string) string {
		return fmt.Sprintf(`"type":"user","timestamp":"2026-03-02T10:00:%02dZ","message":{"role":"user","content":%s}`, second, content)
	}
	call := func(second int, id string) string {
		return fmt.Sprintf(`"type":"assistant","timestamp":"2026-03-02T10:00:%02dZ","requestId":"q","message":{"id":"m%s","role":"assistant","model":"claude-opus-4-6","content":[{"type":"tool_use","id":%q,"name":"Run","input":{"x":1}}],"usage":{"input_tokens":2,"output_tokens":3}}`, second, id, id)
	}
	failed := func(id string) string {
		return fmt.Sprintf(`[{"type":"tool_result","tool_use_id":%q,"is_error":true,"content":"busy"}]`, id)
	}
	session := line("u1", "null", user(1, `"Run it."`)) +
		line("a1", `"u1"`, call(2, "c1")) +
		line("r1", `"a1"`, user(3, failed("c1"))) +
		line("u2", "null", user(4, `"Run it, please."`)) +
		line("a2", `"u2"`, call(5, "c2")) +
		line("r2", `"a2"`, user(6, failed("c2"))) +
		line("a3", `"r2"`, call(7, "c3")) +
		line("u3", `"a1"`, user(8, `"Wait."`))
	want := []string{
		`"": 3 turns, 3 user messages`,
		"1.0 Run error user",
		"2.0 Run error repeat",
		"3.0 Run pending ",
		"tokens 6+0+0+9",
	}
	if got := facts(t, []byte(session)); !slices.Equal(got, want) {
		t.Errorf("it gives\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func input(t *testing.T, name string) []byte {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	return archive.Files[0].Data
}

// facts says of the run of some files what its figures rest on.
func facts(t *testing.T, files ...[]byte) []string {
	t.Helper()
	assembler, err := assemble.New(assemble.DefaultConfig(), noRuns{})
	if err != nil {
		t.Fatal(err)
	}
	var run transcript.Run
	for _, value := range files {
		out, _, err := format.Decode(dialect.Input{Value: value}, format.DefaultLimits())
		if err != nil {
			t.Fatal(err)
		}
		batch, err := assembler.Batch(context.Background(), []assemble.Arrival{{Fragments: out.Fragments, Time: time.Unix(1_800_000_000, 0)}})
		if err != nil {
			t.Fatal(err)
		}
		for _, changed := range batch.Changed {
			run = changed.Run
		}
	}
	return describe(run)
}

func describe(run transcript.Run) []string {
	run.Meta.Ended = true
	facts := metrics.Mine(run, metrics.Env{})
	var lines []string
	for i := range run.Threads {
		thread := &run.Threads[i]
		users := 0
		for j := range thread.Messages {
			if thread.Messages[j].Role == transcript.RoleUser {
				users++
			}
		}
		of := ""
		if thread.ParentCall != "" {
			of = " of " + thread.ParentCall
		}
		lines = append(lines, fmt.Sprintf("%q%s: %d turns, %d user messages", thread.ID, of, len(thread.Turns), users))
	}
	for _, c := range facts.Calls {
		lines = append(lines, strings.TrimPrefix(fmt.Sprintf("%s %d.%d %s %s %s", c.Thread, c.Turn, c.Index, c.Tool, c.Outcome, c.Label), " "))
	}
	u := facts.Run.Usage
	return append(lines, fmt.Sprintf("tokens %d+%d+%d+%d", u.Input, u.CacheRead, u.CacheWrite, u.Output))
}

// noRuns is a store with nothing in it.
type noRuns struct{}

func (noRuns) Load(context.Context, []transcript.RunID) (map[transcript.RunID][]transcript.Row, error) {
	return nil, nil
}
