package ask_test

import (
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
)

func TestStrips(t *testing.T) {
	f := open(t)
	one, other := run("it's", time.Minute), run("other", time.Minute)
	for i, outcome := range []metrics.Outcome{metrics.OutcomeOK, metrics.OutcomeError, metrics.OutcomeRefused, metrics.OutcomeCancelled, metrics.OutcomePending} {
		one.Calls = append(one.Calls, call(time.Duration(i)*time.Second, "edit", outcome))
	}
	other.Calls = append(other.Calls, call(0, "edit", metrics.OutcomeOK))
	f.put(one, other)
	a, err := f.Strips(t.Context(), []string{"it's", "unknown"}, 4)
	if err != nil {
		t.Fatal(err)
	}
	same(t, a.Rows, []ask.Strip{{RunID: "it's", Outcomes: "oerc"}})
}
