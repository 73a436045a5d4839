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

// The page of loops leads to the verdict about the newest cutover, over the 28 days however short a time is looked at, and puts
// it in where scripts run. A page that looks at a time of its own compares within it.
func TestLoopsIncludeTheVerdict(t *testing.T) {
	f := func(target, want string) {
		t.Helper()
		page := get(t, "full", target).Body.String()
		if got := texts(t, page, "#since h2"); want != "" && (len(got) != 1 || got[0] != "What did “structured errors” change?") {
			t.Errorf("%s: %q", target, got)
		}
		if has := strings.Contains(page, `data-include="`+want+`" data-part="#verdict"`); has != (want != "") {
			t.Errorf("%s does not include %s", target, want)
		}
	}
	f("/loops", "/compare?cutover=2026-10-22T12%3A00%3A00Z")
	f("/loops?last=1h&tool=x&variant=y", "/compare?cutover=2026-10-22T12%3A00%3A00Z&amp;tool=x")
	f("/loops?from=2026-10-20T00:00:00Z&to=2026-10-24T00:00:00Z", "/compare?cutover=2026-10-22T12%3A00%3A00Z&amp;from=2026-10-20T00%3A00%3A00Z&amp;to=2026-10-24T00%3A00%3A00Z")
	f("/loops?from=2026-10-25T00:00:00Z", "")
	f("/loops?as_of=2026-10-28T00:00:00Z", "")
	if down := texts(t, get(t, "down", "/loops").Body.String(), "#since"); len(down) != 0 {
		t.Error("a cutover that is not known is shown")
	}
}
