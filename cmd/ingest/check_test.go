package main

import (
	"strings"
	"testing"
)

// TestCheck: each file gets its line, each reject its place, what is no transcript a word, and all of them a sum.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "good.json", envelope("a",
		`{"role":"user","content":"go"},
		 {"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},
		 {"role":"tool","tool_call_id":"1","content":"no","error":true},
		 {"role":"assistant","content":"sorry"}`))
	write(t, dir, "mixed.jsonl", envelope("b", "")+"\n"+envelope("c", "7")+"\n"+envelope("d", "")+"\n")
	write(t, dir, "notes.txt", "nothing here")
	write(t, dir, "other.json", `{"colour":"red"}`)
	code, out, errs := run(t, "", "check", dir)
	if code != 1 || errs != "" {
		t.Errorf("exit code %d, want 1; %q", code, errs)
	}
	wants := []string{
		"errata        1 runs      2 turns      1 calls     1 errors     1 episodes    0 rejects  ",
		"errata        2 runs      0 turns      0 calls     0 errors     0 episodes    1 rejects  ",
		"mixed.jsonl: line 2, at /messages/0, byte ",
		"notes.txt: no JSON",
		"other.json: JSON of no known format",
		"total         3 runs      2 turns      1 calls     1 errors     1 episodes    1 rejects  in 2 files, 2 skipped",
	}
	for _, want := range wants {
		if !strings.Contains(out, want) {
			t.Errorf("it says\n%s\nwant in it\n%s", out, want)
		}
	}
}

func TestCheckExitCodes(t *testing.T) {
	f := func(name, text string, want int) {
		t.Helper()
		if code, out, errs := run(t, text, "check", "-"); code != want {
			t.Errorf("%s: exit code %d, want %d: %s%s", name, code, want, out, errs)
		}
	}
	f("a good record", envelope("a", ""), 0)
	f("no transcript", "hello", 0)
	f("JSON that is no transcript", `{"a":1}`, 0)
	f("nothing", "", 0)
	f("a record that is cut", `{"schema":"errata.run/v1","run_id":"a","mess`, 1)
	f("a record of the wrong type", envelope("a", `"x"`), 1)
	f("nesting without end", strings.Repeat("[", 10_000), 1)
}

func TestCheckForcedFormat(t *testing.T) {
	if code, out, _ := run(t, `{"a":1}`, "check", "-format", "errata", "-"); code != 1 || !strings.Contains(out, "missing_field") {
		t.Errorf("exit code %d, want 1 and a reject: %s", code, out)
	}
	if code, _, errs := run(t, "", "check", "-format", "word", "-"); code != 2 || !strings.Contains(errs, "taubench") {
		t.Errorf("exit code %d, want 2 and the formats: %s", code, errs)
	}
}
