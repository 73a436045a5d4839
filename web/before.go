package web

import (
	"context"
	"sync"

	"errata/metrics/ask"
	"errata/web/ui"
)

// before gives the filters of the stretch of time before the one that is shown, as long as it, and whether there is anything
// in it: where all time is shown there is no time before, and where nothing was stored of it no question need be put.
type before func() (ask.Filters, bool, error)

func (q *request) before(a *asking, settle settled) before {
	var once sync.Once
	var f ask.Filters
	var any bool
	var err error
	return func() (ask.Filters, bool, error) {
		once.Do(func() { f, any, err = q.windowBefore(a, settle) })
		return f, any, err
	}
}

func (q *request) windowBefore(a *asking, settle settled) (ask.Filters, bool, error) {
	now, err := settle()
	if err != nil || q.filters.All || now.Filters.From.IsZero() {
		return ask.Filters{}, false, err
	}
	f, window := q.filters, now.Filters
	f.Last = 0
	f.From, f.To, f.AsOf = window.From.Add(-window.To.Sub(window.From)), window.From, window.AsOf
	then, err := a.s.simulated(a.ctx, f)
	return f, err == nil && len(then.Rows) == 1 && then.Rows[0].Runs > 0, err
}

// settled gives the window of the page as the newest call settles it, with how many of its runs are simulated. Only the
// database knows the newest call, so that it is asked once a page.
type settled func() (ask.Answer[ask.Simulated], error)

func (q *request) settle(a *asking) settled {
	return sync.OnceValues(func() (ask.Answer[ask.Simulated], error) { return a.s.simulated(a.ctx, q.filters) })
}

func (s *Server) simulated(ctx context.Context, f ask.Filters) (ask.Answer[ask.Simulated], error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.PanelTimeout)
	defer cancel()
	return s.cfg.Questions.Simulated(ctx, f)
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
