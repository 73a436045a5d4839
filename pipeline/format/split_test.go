package format_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// lined is a dialect of lines that say their session, some of them not.
var lined = dialect.Dialect{
	Name: "lined",
	Unit: dialect.UnitWhole,
	RunOf: func(line []byte) transcript.RunID {
		var read struct {
			Session string `json:"s"`
		}
		if json.Unmarshal(line, &read) != nil {
			return ""
		}
		return transcript.RunID(read.Session)
	},
	Decode: func(dialect.Input) (dialect.Output, error) {
		return dialect.Output{Fragments: []transcript.Fragment{{Meta: transcript.Meta{ID: "decoded"}}}}, nil
	},
}

// TestSplitLines shows how lines are gathered into parts: by run, up to the size, each knowing its first line.
func TestSplitLines(t *testing.T) {
	f := func(name, text string, most int, want ...string) {
		t.Helper()
		parts, rejects := format.Split(dialect.Input{Value: []byte(text)}, &lined, most)
		if len(rejects) > 0 {
			t.Fatalf("%s: %v", name, rejects)
		}
		var got []string
		for _, part := range parts {
			headers := []string{}
			for _, header := range slices.Sorted(maps.Keys(part.Headers)) {
				if header != dialect.HeaderFormat {
					headers = append(headers, strings.TrimPrefix(header, "errata-")+"="+part.Headers[header])
				}
			}
			got = append(got, fmt.Sprintf("%s [%s] %s", part.Key, strings.Join(headers, " "), strings.ReplaceAll(string(part.Value), "\n", "|")))
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	f("one run", "{\"s\":\"A\"}\n{\"n\":1}\n", 100, `A [run-id=A] {"s":"A"}|{"n":1}|`)
	f("the first line does not say", "{\"n\":1}\n{\"s\":\"A\"}", 100, `A [run-id=A] {"n":1}|{"s":"A"}|`)
	f("two runs", "{\"s\":\"A\"}\n{\"s\":\"B\"}\n{\"s\":\"A\"}\n", 100,
		`A [ended=false run-id=A] {"s":"A"}|`, `B [first-line=2 run-id=B] {"s":"B"}|`, `A [first-line=3 run-id=A] {"s":"A"}|`)
	f("too large", "{\"s\":\"A\"}\n{\"n\":1}\n{\"n\":2}\n", 18,
		`A [ended=false run-id=A] {"s":"A"}|{"n":1}|`, `A [first-line=3 run-id=A] {"n":2}|`)
	f("a line larger than all", "{\"s\":\"A\"}\n{\"n\":\"xxxxxxxxxxxxx\"}\n", 5,
		`A [ended=false run-id=A] {"s":"A"}|`, `A [first-line=2 run-id=A] {"n":"xxxxxxxxxxxxx"}|`)
	f("an empty line keeps the numbers right", "{\"s\":\"A\"}\n\n{\"n\":1}\n", 100,
		`A [ended=false run-id=A] {"s":"A"}|`, `A [first-line=3 run-id=A] {"n":1}|`)
	f("damage travels along", "{\"s\":\"A\"}\n{\"s\":\n", 100, `A [run-id=A] {"s":"A"}|{"s":|`)
	f("no line says", "{\"n\":1}\n{\"n\":2}\n", 100, `decoded [run-id=decoded] {"n":1}|{"n":2}|`)
	f("one object is no line", "{\n\"s\": \"A\"}\n", 1, "decoded [] {|\"s\": \"A\"}|")
}
