package web

import (
	"context"
	"sync"

	"errata/metrics/ask"
	"errata/web/ui"
)

// before gives the filters of the stretch of time before the one that is shown, as long as it. Where all time is shown there is
// none before. The window is settled by the newest call, which only the database knows, so that it is asked once a page.
type before func() (ask.Filters, bool, error)

func (q *request) before() before {
	settle := sync.OnceValues(func() (ask.Filters, error) {
		settled, err := q.s.cfg.Questions.Simulated(q.Context(), q.filters)
		return settled.Filters, err
	})
	return func() (ask.Filters, bool, error) {
		settled, err := settle()
		if err != nil || q.filters.All || settled.From.IsZero() {
			return ask.Filters{}, false, err
		}
		f := q.filters
		f.Last = 0
		f.From, f.To, f.AsOf = settled.From.Add(-settled.To.Sub(settled.From)), settled.From, settled.AsOf
		return f, true, nil
	}
}

// prior puts a question about the time before. Where there is none it has no rows. Its filters are left out: they are not those
// of the page.
func prior[T any](a *asking, name string, window before, question func(context.Context, ask.Filters) (ask.Answer[T], error), by ...string) *reply[T] {
	return put(a, name, func(ctx context.Context) (ask.Answer[T], error) {
		f, ok, err := window()
		if err != nil || !ok {
			return ask.Answer[T]{}, err
		}
		f.By = by
		answer, err := question(ctx, f)
		answer.Filters = ask.Filters{}
		return answer, err
	})
}

// beforeText says what a figure was in the time before, "" where it is not known.
func beforeText(value string, more ...string) string {
	if value == "" || value == ui.Unknown {
		return ""
	}
	text := "before: " + value
	for _, m := range more {
		if m != "" {
			text += ", " + m
		}
	}
	return text
}
