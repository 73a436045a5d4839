package record_test

import (
	"fmt"
	"strings"
	"testing"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
)

// TestEach shows what becomes of containers, whole and damaged.
func TestEach(t *testing.T) {
	f := func(name string, container dialect.Container, text string, want ...string) {
		t.Helper()
		var got []string
		for r, err := range record.Each([]byte(text), container) {
			if err != nil {
				reject := record.Refuse(err)
				got = append(got, fmt.Sprintf("reject line %d byte %d: %s", reject.Line, reject.Offset, reject.Reason))
				continue
			}
			shown := fmt.Sprintf("%d line %d byte %d %s%s", r.Index, r.Line, r.Offset, r.Pointer, r.Value)
			if r.Salvaged {
				shown += " salvaged"
			}
			got = append(got, shown)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	f("array", dialect.Array, ` [ {"a":1}, 2 ]`, `0 line 0 byte 3 /0{"a":1}`, `1 line 0 byte 12 /12`)
	f("array that ends early", dialect.Array, `[{"a":1},{"b"`, `0 line 0 byte 1 /0{"a":1}`, `reject line 0 byte 13: malformed_json`)
	f("array and more", dialect.Array, `[1] x`, `0 line 0 byte 1 /01`, `reject line 0 byte 4: malformed_json`)
	f("lines", dialect.Lines, "{\"a\":1}\r\n\n {\"b\":2}", `0 line 1 byte 0 {"a":1}`, `1 line 3 byte 1 {"b":2}`)
	f("two on a line", dialect.Lines, "{}{}\n[]", `0 line 1 byte 0 {}`, `1 line 1 byte 2 {}`, `2 line 2 byte 0 []`)
	f("a line that is cut", dialect.Lines, "{\"a\":\n{\"b\":2}\n", `reject line 1 byte 5: malformed_json`, `1 line 2 byte 0 {"b":2}`)
	f("spliced in a string", dialect.Lines, `{"t":"a{"t":"b","n":{"x":1}}`+"\n{}", `reject line 1 byte 9: malformed_json`, `1 line 1 byte 7 {"t":"b","n":{"x":1}} salvaged`, `2 line 2 byte 0 {}`)
	f("spliced after a key", dialect.Lines, `{"t":{"t":"b","n":1}`+"\n{}", `reject line 1 byte 20: malformed_json`, `1 line 1 byte 5 {"t":"b","n":1} salvaged`, `2 line 2 byte 0 {}`)
	f("values over lines", dialect.Lines, "{\n \"a\": 1\n}\n\n{\n}\n", "0 line 1 byte 0 {\n \"a\": 1\n}", "1 line 5 byte 0 {\n}")
	deep := strings.Repeat("[", record.MaxDepth+1) + strings.Repeat("]", record.MaxDepth+1)
	f("too deep", dialect.Lines, "{}\n"+deep+"\n{}", `0 line 1 byte 0 {}`, `reject line 2 byte 500: too_deep`, `2 line 3 byte 0 {}`)
}

func TestCheckDepth(t *testing.T) {
	f := func(text string, deep bool) {
		t.Helper()
		if err := record.CheckDepth([]byte(text)); (err != nil) != deep {
			t.Errorf("%.40s…: %v", text, err)
		}
	}
	f(strings.Repeat("[", record.MaxDepth), false)
	f(strings.Repeat("[", record.MaxDepth+1), true)
	f(strings.Repeat("[]", record.MaxDepth+1), false)
	f(`"`+strings.Repeat("[", record.MaxDepth+1)+`"`, false)
	f(`"\"`+strings.Repeat("{", record.MaxDepth+1), false)
	f(`"\\"`+strings.Repeat("{", record.MaxDepth+1), true)
}

// TestLiberties shows what is read that RFC 8259 does not allow or leaves open.
func TestLiberties(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		var got struct {
			Text string `json:"text"`
		}
		if err := record.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got.Text != want {
			t.Errorf("%q is %q, want %q", text, got.Text, want)
		}
	}
	f("{\"text\":\"a\xffb\"}", "a\uFFFDb")
	f(`{"text":"a\ud800b"}`, "a\uFFFDb")
	f(`{"text":"\ud83d\ude00"}`, "😀")
	f(`{"text":"first","text":"last"}`, "last")
	f(`{"text":null}`, "")
}

func TestShape(t *testing.T) {
	f := func(text string, container dialect.Container, names ...string) {
		t.Helper()
		shape, _ := record.ShapeOf([]byte(text))
		var got []string
		for _, head := range shape.Heads {
			for _, member := range head {
				got = append(got, member.Name)
			}
		}
		if shape.Container != container || strings.Join(got, " ") != strings.Join(names, " ") {
			t.Errorf("%q: container %d with %q, want %d with %q", text, shape.Container, got, container, names)
		}
	}
	f(`{"a":1,"b":[2]}`, dialect.One, "a", "b")
	f(` [{"a":1},{"b":2}]`, dialect.Array, "a", "b")
	f("{\"a\":1}\n{\"b\":2}\n", dialect.Lines, "a", "b")
	f("{\"a\":1,\"tr\n{\"b\":2}\n", dialect.Lines, "a", "b")
	f(`{"a":1,"b":`, dialect.One, "a")
	f(`[1,2]`, dialect.Array)
	f(``, dialect.One)
}
