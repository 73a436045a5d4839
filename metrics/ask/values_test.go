package ask_test

import (
	"testing"
	"time"

	"errata/metrics/ask"
)

func TestValues(t *testing.T) {
	f := open(t)
	one, old := run("one", time.Minute), run("old", time.Minute)
	one.Calls = append(one.Calls, call(0, "look", "ok"), failed(time.Second, "edit", "bad", "repeat"))
	old.Run.Started, old.Run.LastActivity = t0.Add(-60*aDay), t0.Add(-60*aDay)
	gone := call(-60*aDay, "gone", "ok")
	old.Calls = append(old.Calls, gone)
	f.put(one, old)
	a, err := f.Values(t.Context(), ask.Filters{})
	same(t, only(t, a, err), ask.Values{Tool: []string{"edit", "look"}, Code: []string{"bad"}, Variant: []string{"plain"}, Model: []string{"gpt"}, Agent: []string{"bot"}})
}
