package metrics

import (
	"fmt"
	"strings"
	"testing"

	"errata/transcript"
)

// Leaves beyond max_leaves are not compared, and the setting moves the bound.
func TestMaxLeaves(t *testing.T) {
	wide := func(last string) string {
		var b strings.Builder
		for i := range 300 {
			fmt.Fprintf(&b, `"k%03d":%d,`, i, i)
		}
		return "{" + b.String() + `"z":"` + last + `"}`
	}
	f := func(rules string, seen bool) {
		t.Helper()
		r, err := ParseRules([]byte(rules))
		if err != nil {
			t.Fatal(err)
		}
		leaves := func(last string) []transcript.Leaf {
			return sortedLeaves(transcript.Canonical(wide(last)), r.MaxLeaves)
		}
		changed := false
		for _, d := range differences(leaves("a"), leaves("b")) {
			changed = changed || d.pointer == "/z"
		}
		if changed != seen {
			t.Errorf("rules %s: the last of 301 leaves is seen to change: %v, want %v", rules, changed, seen)
		}
		_, before := r.Identity(transcript.Call{Tool: "t", Arguments: wide("a")})
		_, after := r.Identity(transcript.Call{Tool: "t", Arguments: wide("b")})
		if before == after {
			t.Errorf("rules %s: two calls that differ in the last leaf are one: identity takes every leaf", rules)
		}
	}
	f(`{}`, false)
	f(`{"max_leaves":301}`, true)
	f(`{"max_leaves":300}`, false)
}
