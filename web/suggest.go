package web

import (
	"context"
	"maps"
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

// suggest asks for the values of filters, where they are old.
func (q *request) suggest(a *asking) {
	if !q.s.suggestions.claim(q.s.cfg.Now()) {
		return
	}
	put(a, "suggestions", func(ctx context.Context) (ask.Answer[struct{}], error) {
		ctx, cancel := context.WithTimeout(ctx, suggestionsWithin)
		defer cancel()
		values := map[string]map[string]bool{}
		for _, by := range [][]string{places, {ask.ByCode}} {
			answer, err := q.s.cfg.Questions.Loops(ctx, ask.Filters{By: by})
			if err != nil {
				return ask.Answer[struct{}]{}, err
			}
			gatherValues(values, answer.Rows)
		}
		sorted := map[string][]string{}
		for name, set := range values {
			all := slices.Sorted(maps.Keys(set))
			sorted[name] = all[:min(len(all), mostSuggestions)]
		}
		q.s.suggestions.set(sorted)
		return ask.Answer[struct{}]{}, nil
	})
}

// gatherValues takes in the values of all rows. One that would not look like what it is, or is long, is no suggestion.
func gatherValues(values map[string]map[string]bool, rows []ask.Loops) {
	for _, row := range rows {
		for by, v := range row.By {
			if v == "" || len(v) > longestSuggestion || ui.Visible(v) != v {
				continue
			}
			if values[by] == nil {
				values[by] = map[string]bool{}
			}
			values[by][v] = true
		}
	}
}
