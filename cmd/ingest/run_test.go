package main

import (
	"strings"
	"testing"
)

// A setting that cannot be is refused before anything connects, with the bounds that hold.
func TestRunUsage(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		code, _, errs := run(t, "", append([]string{"run"}, args...)...)
		if code != 2 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
			t.Errorf("%q exits %d and says %q, want 2 and one line with %q", args, code, errs, want)
		}
	}
	f("takes no arguments", "x")
	f("-max-nesting 15: give a number from 16 to 500", "-max-nesting", "15")
	f("-max-nesting 501", "-max-nesting", "501")
	f("-max-messages", "-max-messages", "0")
	f("-max-text", "-max-text", "0B")
	f("-memory", "-memory", "0B")
	f("-redact", "-redact", "missing.json")
}
