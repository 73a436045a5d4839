package ask_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
)

// Questions of one page are about one window, although a newer call came in between; the next page has the newer one.
func TestTogether(t *testing.T) {
	f := open(t)
	put := func(after time.Duration) {
		r := run(fmt.Sprint("r", after), after)
		r.Calls = []metrics.CallFact{call(after, "search", metrics.OutcomeOK)}
		f.put(r)
	}
	until := func(ctx context.Context) time.Duration {
		t.Helper()
		a, err := f.Loops(ctx, ask.Filters{})
		if err != nil {
			t.Fatal(err)
		}
		return a.Filters.To.Sub(t0)
	}
	put(0)
	page := ask.Together(t.Context())
	if got := until(page); got != time.Millisecond {
		t.Fatalf("the window ends %s after the first call", got)
	}
	put(time.Minute)
	if got := until(page); got != time.Millisecond {
		t.Errorf("a later question of the page has a window that ends %s after the first call", got)
	}
	if got := until(ask.Together(t.Context())); got != time.Minute+time.Millisecond {
		t.Errorf("the next page has a window that ends %s after the first call", got)
	}
	cancelled, cancel := context.WithCancel(ask.Together(t.Context()))
	given := context.WithoutCancel(cancelled)
	cancel()
	if _, err := f.Loops(cancelled, ask.Filters{}); err == nil {
		t.Error("a question that was given up has an answer")
	}
	if got := until(given); got != time.Minute+time.Millisecond {
		t.Errorf("after a failure the window ends %s after the first call", got)
	}
}
