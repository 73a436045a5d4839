package web_test

import (
	"strings"
	"testing"
)

// A number that runs can be asked for by leads to them, and the list says in words what it was asked for.
func TestNumbersLeadToTheirRuns(t *testing.T) {
	leads := func(target string, links ...string) {
		t.Helper()
		page := get(t, "full", target).Body.String()
		for _, link := range links {
			if !strings.Contains(page, `href="/runs?`+link+`"`) {
				t.Errorf("%s does not lead to /runs?%s", target, link)
			}
		}
	}
	leads("/loops", "pattern=idle_repeat", "pattern=stuck_streak", "pattern=cycle", "outcome=refused", "outcome=cancelled", "outcome=pending", "obeyed=false")
	leads("/recovery", "reason=turn_limit", "ending=abandoned&amp;sort=-abandoned", "ending=abandoned&amp;from=2026-10-20T00%3A00%3A00Z&amp;to=2026-10-21T00%3A00%3A00Z")
	leads("/codes/~invalid_status", "code=~invalid_status&amp;waste=serial", "code=~invalid_status&amp;finding=no_code", "code=~invalid_status&amp;helper=get_ticket&amp;tool=update_ticket")
	page := get(t, "full", "/runs?reason=turn_limit&outcome=refused&finding=no_code&obeyed=false&streak_min=3").Body.String()
	chips := strings.Join(texts(t, page, ".chip"), " | ")
	for _, want := range []string{"given up = Ran into its turn limit", "call = was refused", "finding = no_code", "did what was asked = no", "failures in a row ≥ 3"} {
		if !strings.Contains(chips, want) {
			t.Errorf("the chips are %q, want %q among them", chips, want)
		}
	}
	if bad := get(t, "full", "/runs?streak_min=x"); bad.Code != 400 {
		t.Errorf("a parameter that is no number: status %d", bad.Code)
	}
}
