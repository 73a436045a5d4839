package otlp_test

import (
	"context"
	"encoding/json"
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
		if got := facts(t, decoded(t, input(t, name), "")); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	f("current",
		"conv-1: 3 turns, 1 user messages, tokens 200+250+0+38",
		"1.0 update_ticket error switched",
		"2.0 get_ticket ok ",
	)
	f("no-content",
		"trace-00000000000000000000000000000abc: 1 turns, 0 user messages, tokens 7+0+0+1",
		"trace-5b8efff798038103d269b633813fc60c: 2 turns, 0 user messages, tokens 220+0+0+25",
		"1.0 search error switched",
		"1.1 search ok ",
		"2.0 fetch cancelled ",
	)
	f("message-events",
		"trace-00000000000000000000000000000aba: 2 turns, 1 user messages, tokens 120+0+0+16",
		"1.0 weather error replied",
	)
	f("indexed",
		"trace-5b8efff798038103d269b633813fc60c: 2 turns, 1 user messages, tokens 80+10+0+18",
		"1.0 add error replied",
		"1.1 add ok ",
	)
	f("agents",
		"trace-5b8efff798038103d269b633813fc60c: 6 turns, 2 user messages, tokens 125+0+0+12",
		"1.0 ask_finder ok ",
		"3.0 find error repeat",
		"4.0 find ok ",
	)
	f("nested",
		"trace-5b8efff798038103d269b633813fc60c: 3 turns, 1 user messages, tokens 260+60+0+19",
		"1.0 list error repeat",
		"2.0 list ok ",
	)
}

// TestSpanBySpan sends every span in a request of its own, last ones first, as a collector may: the figures are the same.
func TestSpanBySpan(t *testing.T) {
	for _, name := range []string{"current", "message-events", "indexed"} {
		whole := input(t, name)
		var outs []dialect.Output
		for _, single := range spans(t, whole) {
			outs = append(outs, decoded(t, single, "r")...)
		}
		slices.Reverse(outs)
		want, got := facts(t, decoded(t, whole, "r")), facts(t, outs)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// TestOwnWords: a tool's span that writes the arguments down in its own way, with white space or as Python prints them,
// is of the call in the message all the same, also where the two come apart.
func TestOwnWords(t *testing.T) {
	whole := input(t, "current")
	want := facts(t, decoded(t, whole, "r"))
	for _, words := range [][2]string{{`{\"id\":`, `{ \"id\" : `}, {`{\"id\":\"T-8841\"}`, `{'id': 'T-8841'}`}} {
		var outs []dialect.Output
		for _, single := range spans(t, whole) {
			if strings.Contains(string(single), "execute_tool") {
				single = []byte(strings.ReplaceAll(string(single), words[0], words[1]))
			}
			outs = append(outs, decoded(t, single, "r")...)
		}
		if got := facts(t, outs); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", words[1], strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// spans gives a request for each span of a request.
func spans(t *testing.T, whole []byte) [][]byte {
	var request struct {
		ResourceSpans []map[string]any `json:"resourceSpans"`
	}
	if err := json.Unmarshal(whole, &request); err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for _, member := range []string{"scopeSpans", "instrumentationLibrarySpans"} {
		scopes, _ := request.ResourceSpans[0][member].([]any)
		for _, scope := range scopes {
			for _, span := range scope.(map[string]any)["spans"].([]any) {
				single, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{member: []any{map[string]any{"spans": []any{span}}}}}})
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, single)
			}
		}
	}
	return out
}

func input(t *testing.T, name string) []byte {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	return archive.Files[0].Data
}

func decoded(t *testing.T, value []byte, run string) []dialect.Output {
	t.Helper()
	headers := map[string]string{}
	if run != "" {
		headers[dialect.HeaderRun] = run
	}
	out, _, err := format.Decode(dialect.Input{Value: value, Headers: headers}, format.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return []dialect.Output{out}
}

// facts says of every run what its figures rest on.
func facts(t *testing.T, outs []dialect.Output) []string {
	t.Helper()
	assembler, err := assemble.New(assemble.DefaultConfig(), noRuns{})
	if err != nil {
		t.Fatal(err)
	}
	runs := map[transcript.RunID]transcript.Run{}
	for _, out := range outs {
		batch, err := assembler.Batch(context.Background(), []assemble.Arrival{{Fragments: out.Fragments, Time: time.Unix(1_800_000_000, 0)}})
		if err != nil {
			t.Fatal(err)
		}
		for _, changed := range batch.Changed {
			runs[changed.Run.Meta.ID] = changed.Run
		}
	}
	var lines []string
	for _, id := range sortedKeys(runs) {
		lines = append(lines, describe(runs[id])...)
	}
	return lines
}

func describe(run transcript.Run) []string {
	run.Meta.Ended = true
	facts := metrics.Mine(run, metrics.Env{})
	users := 0
	for _, thread := range run.Threads {
		for i := range thread.Messages {
			if thread.Messages[i].Role == transcript.RoleUser {
				users++
			}
		}
	}
	u := facts.Run.Usage
	lines := []string{fmt.Sprintf("%s: %d turns, %d user messages, tokens %d+%d+%d+%d", run.Meta.ID, facts.Run.Turns, users, u.Input, u.CacheRead, u.CacheWrite, u.Output)}
	for _, c := range facts.Calls {
		lines = append(lines, fmt.Sprintf("%d.%d %s %s %s", c.Turn, c.Index, c.Tool, c.Outcome, c.Label))
	}
	return lines
}

func sortedKeys(runs map[transcript.RunID]transcript.Run) []transcript.RunID {
	var ids []transcript.RunID
	for id := range runs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// noRuns is a store with nothing in it.
type noRuns struct{}

func (noRuns) Load(context.Context, []transcript.RunID) (map[transcript.RunID][]transcript.Row, error) {
	return nil, nil
}
