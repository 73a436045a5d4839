package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
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

// With a registry of codes the contract is looked at, and broken once it is said where and the exit code is 1. Without one
// the same transcript is fine.
func TestCheckCodes(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "codes.json", `{"schema":"errata.codes/v1","codes":[{"code":"INVALID_STATUS","retryable":false,"next_action":"fix_arguments"}]}`)
	write(t, dir, "wrong.json", `{"schema":"errata.codes/v1","codes":[{"code":"A","next_action":"dance"}]}`)
	said := func(body string) string {
		return envelope("a", `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"update","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"1","content":`+body+`},
			{"role":"assistant","tool_calls":[{"id":"2","function":{"name":"update","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"2","content":`+body+`}`)
	}
	f := func(codes, body string, want int, wants ...string) {
		t.Helper()
		args := []string{"check", "-"}
		if codes != "" {
			args = []string{"check", "-codes", filepath.Join(dir, codes), "-"}
		}
		code, out, errs := run(t, said(body), args...)
		if code != want {
			t.Errorf("%s: exit code %d, want %d: %s%s", body, code, want, out, errs)
		}
		for _, text := range wants {
			if !strings.Contains(out+errs, text) {
				t.Errorf("%s: it says\n%s%s\nwant in it\n%s", body, out, errs, text)
			}
		}
	}
	const (
		good  = `"{\"error\":{\"code\":\"INVALID_STATUS\",\"message\":\"Not a status.\",\"retryable\":false,\"field\":\"status\"}}"`
		other = `"{\"error\":{\"code\":\"NO_STATUS\",\"message\":\"Not a status.\",\"retryable\":false,\"field\":\"status\"}}"`
		again = `"{\"error\":{\"code\":\"INVALID_STATUS\",\"message\":\"Not a status.\",\"retryable\":true,\"field\":\"status\"}}"`
	)
	f("codes.json", good, 0)
	f("codes.json", other, 1, "-: contract: code_not_registered, 2 times, first in run a, turn 1, update, code no_status\n")
	f("codes.json", again, 1, "contract: retryable_contradiction")
	f("", other, 0)
	f("", again, 0)
	f("wrong.json", good, 2, "codes[0] (A) has the next_action", "use one of retry")
	f("none.json", good, 2, "-codes")
}

func TestCheckForcedFormat(t *testing.T) {
	if code, out, _ := run(t, `{"a":1}`, "check", "-format", "errata", "-"); code != 1 || !strings.Contains(out, "missing_field") {
		t.Errorf("exit code %d, want 1 and a reject: %s", code, out)
	}
	if code, _, errs := run(t, "", "check", "-format", "word", "-"); code != 2 || !strings.Contains(errs, "taubench") {
		t.Errorf("exit code %d, want 2 and the formats: %s", code, errs)
	}
}

// TestCheckTable: folders below the one named are sources; an archive holds many files, without its journal.
func TestCheckTable(t *testing.T) {
	dir := t.TempDir()
	failed := `{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"1","content":"no","error":true}`
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for name, text := range map[string]string{
		"b.json":         envelope("b", failed),
		"in/c.json":      envelope("c", "7"),
		"_journal/d.txt": envelope("d", failed),
		"notes.txt":      "nothing",
	} {
		file, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"one", "two"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "one/a.json", envelope("a", failed))
	write(t, dir, "two/logs.zip", packed.String())
	write(t, dir, "two/broken.zip", packed.String()[:packed.Len()-40])
	_, out, _ := run(t, "", "check", dir)
	for _, want := range []string{
		"one     1      0        1     1      1       0        flag 1\n",
		"two     3      1        1     1      1       2        flag 1; unsupported 1, wrong_type 1\n",
		"logs.zip/in/c.json: at /messages/0",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("it says\n%s\nwant in it\n%s", out, want)
		}
	}
}
