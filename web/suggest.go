package web

import (
	"context"
	"slices"
	"sync"
	"time"

	"errata/metrics/ask"
	"errata/web/ui"
)

// suggestions are the values that filters are likely to be given, as they were a short while ago. They are kept between
// pages, since asking for them takes as long as asking for figures.
type suggestions struct {
	mu     sync.Mutex
	at     time.Time
	values map[string][]string
}

// Bounds of suggestions.
const (
	suggestionsFor    = 5 * time.Minute // how long they are kept
	suggestionsWithin = 3 * time.Second // how long a page waits for them
	mostSuggestions   = 200             // of each filter
	longestSuggestion = 100             // bytes
)

// of are the values of one filter that are not chosen yet.
func (s *suggestions) of(name string, chosen []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.values[name]), func(v string) bool { return slices.Contains(chosen, v) })
}

// claim says whether they are to be asked for anew, and lets only the first who asks do so.
func (s *suggestions) claim(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.at.IsZero() && now.Sub(s.at) < suggestionsFor {
		return false
	}
	s.at = now
	return true
}

func (s *suggestions) set(values map[string][]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values = values
}

// suggest asks for the values of filters, where they are old. A page without suggestions is a page all the same: where the
// question fails they stay as they were.
func (q *request) suggest(a *asking) {
	if !q.s.suggestions.claim(q.s.cfg.Now()) {
		return
	}
	a.group.Go(func() error {
		ctx, cancel := context.WithTimeout(a.ctx, suggestionsWithin)
		defer cancel()
		start := time.Now()
		answer, err := q.s.cfg.Questions.Values(ctx, ask.Filters{})
		q.s.counters.question("values", time.Since(start), err)
		if err != nil || len(answer.Rows) != 1 {
			return nil
		}
		v := answer.Rows[0]
		q.s.suggestions.set(map[string][]string{
			ask.ByTool: suggested(v.Tool), ask.ByCode: suggested(v.Code), ask.ByVariant: suggested(v.Variant), ask.ByModel: suggested(v.Model), ask.ByAgent: suggested(v.Agent),
		})
		return nil
	})
}

// suggested are the values that may be chosen by sight. One that would not look like what it is, or is long, is none.
func suggested(values []string) []string {
	var kept []string
	for _, v := range values {
		if v != "" && len(v) <= longestSuggestion && ui.Visible(v) == v && len(kept) < mostSuggestions {
			kept = append(kept, v)
		}
	}
	return kept
}
