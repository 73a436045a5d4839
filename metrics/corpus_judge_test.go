package metrics

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"errata/transcript"
)

// corpusResults finds what looks like a tool result anywhere in a file of JSON or JSON lines: enough to look at codes,
// not a decoder.
func corpusResults(t *testing.T, pattern string) []transcript.Result {
	t.Helper()
	root := os.Getenv("ERRATA_CORPUS")
	if root == "" {
		t.Skip("ERRATA_CORPUS is not set to the folder of real transcripts")
	}
	files, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(files) == 0 {
		t.Skipf("nothing under %s", pattern)
	}
	var found []transcript.Result
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(bufio.NewReader(f))
		for {
			var value any
			if d.Decode(&value) != nil {
				break
			}
			gather(value, &found)
		}
		f.Close()
	}
	return found
}

func gather(value any, found *[]transcript.Result) {
	switch v := value.(type) {
	case []any:
		for _, inner := range v {
			gather(inner, found)
		}
	case map[string]any:
		isError := v["is_error"] == true || v["error"] == true
		if v["role"] == "tool" || v["type"] == "tool_result" {
			r := transcript.Result{Body: contentText(v["content"])}
			if isError {
				r.Flag = transcript.FlagError
			}
			*found = append(*found, r)
			return
		}
		for _, inner := range v {
			gather(inner, found)
		}
	}
}

func contentText(content any) string {
	switch c := content.(type) {
	case string:
		return c
	case []any:
		var texts []string
		for _, block := range c {
			if m, ok := block.(map[string]any); ok {
				texts = append(texts, contentText(m["text"]))
			}
		}
		return strings.Join(texts, "\n")
	}
	return ""
}

// TestCorpusCodes holds that the codes mined from real results do not carry values that differ from call to call.
func TestCorpusCodes(t *testing.T) {
	rules := DefaultRules()
	for _, pattern := range []string{"tau-bench/*.json", "tau2-bench/*.json", "claude-code-*/*.jsonl"} {
		t.Run(strings.Split(pattern, "/")[0], func(t *testing.T) {
			results := corpusResults(t, pattern)
			codes, by, bodies := map[transcript.Code]int{}, map[string]int{}, map[string]bool{}
			for i := range results {
				j := rules.Judge(transcript.Call{}, &results[i])
				by[string(j.Outcome)+" "+j.Rule]++
				if j.Outcome == OutcomeError {
					codes[j.Folded]++
					bodies[results[i].Body] = true
				}
			}
			t.Logf("%d results, %d distinct error bodies, %d codes, rules %v", len(results), len(bodies), len(codes), by)
			var names []string
			for code := range codes {
				names = append(names, string(code))
			}
			sort.Strings(names)
			for _, name := range names {
				t.Logf("%5d %s", codes[transcript.Code(name)], name)
				body, _, _ := strings.Cut(strings.TrimPrefix(name, "~"), "_")
				if len(name) < slugLength-8 && strings.ContainsAny(body, "0123456789") {
					t.Errorf("code %s carries a number", name)
				}
			}
		})
	}
}
