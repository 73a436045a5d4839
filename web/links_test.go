package web_test

import (
	"strings"
	"testing"
)

// Every panel of figures leads to the same as a file, for programs, and to the query behind it.
func TestPanelsLeadToTheirData(t *testing.T) {
	f := func(target string, panels ...string) {
		t.Helper()
		page := get(t, "full", target).Body.String()
		for _, panel := range panels {
			if got := strings.Join(texts(t, page, "#"+panel+" .links a"), " "); !strings.Contains(got, "CSV JSON SQL") {
				t.Errorf("%s: #%s leads to %q", target, panel, got)
			}
		}
	}
	f("/", "now", "trend", "codes")
	f("/loops", "total", "trend", "next", "by-tool", "by-code", "by-variant", "other")
	f("/recovery", "shares", "never-trend", "within3-trend", "distribution", "curve", "quantiles", "reasons", "by-code", "by-tool")
	f("/codes", "total", "trend", "codes")
	f("/codes/~invalid_status", "total", "trend", "next", "where", "kinds", "effects", "findings", "coupling", "waste", "aliases")
	f("/compare?a=bare-v1&b=structured-v2", "rows", "trust", "trend")
	f("/shadow", "total", "agreement", "pairs")
}
