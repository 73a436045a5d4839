package metrics

import (
	"regexp"
	"strings"
	"testing"
)

// FuzzMatcher holds every pattern with a cheap look before it to what the pattern alone says.
func FuzzMatcher(f *testing.F) {
	for _, seed := range []string{
		"", "User denied", "the user declined.", "Exit code: 1", "[exit status -1]", "<returncode>2</returncode>", "Wall time: 0.3 seconds",
		"ERROR: uncaught x", "Kelvin \u212A exit code 5", "\xff", "\u017Fibling tool call failed", "attempt 3 of 5", "see http://a/b", "a@b.cz",
		"at 12:30, 2026-01-02T03:04:05Z", `"x" 'y' ‘z’ «w»`, "`q'", "0xff feedfacefeedface deadbeefdeadbeefdead", `C:\temp\x`, "src/a.go:12", "ticket T-88",
		"#12 took 3ms", "１２x x١٢", "$5.00%", "[... cut]", "File \"x\", line 3", "java.lang.NullPointerException: x", "goroutine 5 [",
		"  at foo.bar (x)", "see /usr/lib/x", "main.go:5", "TypeError: no",
	} {
		f.Add(seed)
	}
	rules := DefaultRules()
	all := []matcher{openings, exitLine, labelledLine}
	for _, list := range [][]matcher{rules.exitLines, rules.refusals, rules.cancellations, rules.unknownTools} {
		all = append(all, list...)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i := range all {
			if m := &all[i]; m.matches(text) != m.pattern.MatchString(text) || m.without(text) != m.pattern.ReplaceAllString(text, "") {
				t.Errorf("%q differs on %q", m.pattern, text)
			}
		}
		for i := range volatileParts {
			part := &volatileParts[i]
			if part.replace(text) != part.pattern.ReplaceAllString(text, part.placeholder) {
				t.Errorf("%q differs on %q", part.pattern, text)
			}
		}
		for i := range internals {
			if internals[i].may(text) != true && internals[i].pattern.MatchString(text) {
				t.Errorf("%q matches %q", internals[i].pattern, text)
			}
		}
		status, ok := rules.statusOf(text)
		wantStatus, want := statusByPatterns(rules, text)
		if status != wantStatus || ok != want {
			t.Errorf("status of %q: %d, %v, want %d, %v", text, status, ok, wantStatus, want)
		}
	})
}

// statusByPatterns is statusOf without its cheap look.
func statusByPatterns(r *Rules, line string) (status int, ok bool) {
	if line = strings.TrimSpace(line); line == "" || len(line) > 200 {
		return 0, false
	}
	for i := range r.exitLines {
		if groups := r.exitLines[i].pattern.FindStringSubmatch(line); groups != nil {
			return atoi(groups[1])
		}
	}
	return 0, false
}

func TestMatcherBegins(t *testing.T) {
	f := func(pattern, begins string) {
		t.Helper()
		m := newMatcher(regexp.MustCompile(pattern))
		if m.begins == nil {
			if begins != "any" {
				t.Errorf("%s may begin with anything, want %s", pattern, begins)
			}
			return
		}
		var got []byte
		for i := range 128 {
			if m.begins[i] {
				got = append(got, byte(i))
			}
		}
		if string(got) != begins {
			t.Errorf("%s begins with %q, want %q", pattern, got, begins)
		}
	}
	f(`^abc`, "a")
	f(`(?i)^abc`, "Aa")
	f(`^(?:the )?user`, "tu")
	f(`^a|^b`, "ab")
	f(`^[ab]*c`, "abc")
	f(`^a{0,2}b`, "ab")
	f(`^\[?x`, "[x")
	f(`abc`, "any")
	f(`(?m)^a`, "any")
	f(`^a*`, "any")
	f(`a|^b`, "any")
}
