package web

import (
	"time"

	"errata/metrics/ask"
)

// grain is how finely a chart over time is drawn.
type grain struct {
	by     string // the dimension that rows are grouped by
	head   string // at the head of a column
	layout string // how the API names a stretch
	shown  string // how a page names it
	step   time.Duration
}

const day = 24 * time.Hour

// grain gives days, or what shows a short stretch of time: hours up to four days, minutes up to three hours. Whoever watches a
// cutover looks at the last hours, of which days would make one point.
func (q *request) grain() grain {
	switch long := q.length(); {
	case long <= 3*time.Hour:
		return grain{by: ask.ByMinute, head: "Minute", layout: time.RFC3339, shown: "01-02 15:04", step: time.Minute}
	case long <= 4*day:
		return grain{by: ask.ByHour, head: "Hour", layout: time.RFC3339, shown: "2006-01-02 15:04", step: time.Hour}
	}
	return grain{by: ask.ByDay, head: "Day", layout: time.DateOnly, shown: time.DateOnly, step: day}
}

// length is how much time the page is asked for, as far as the address alone says it.
func (q *request) length() time.Duration {
	f := q.filters
	switch {
	case !f.From.IsZero() && !f.To.IsZero():
		return f.To.Sub(f.From)
	case f.All || !f.From.IsZero():
		return ask.Window // it may be long, and days are always right
	case f.Last > 0:
		return f.Last
	}
	return ask.Window
}

// starts is when the stretch of a row begins.
func (g grain) starts(row ask.Loops) (time.Time, error) { return time.Parse(g.layout, row.By[g.by]) }

// name is how a page names the stretch that a time lies in.
func (g grain) name(t time.Time) string { return t.UTC().Truncate(g.step).Format(g.shown) }

// every puts empty stretches where there are none. Rows come in order of time.
func (g grain) every(rows []ask.Loops) (all []ask.Loops, starts []time.Time) {
	for _, row := range rows {
		at, err := g.starts(row)
		if err != nil {
			continue
		}
		for n := len(starts); n > 0 && starts[n-1].Add(g.step).Before(at) && n < mostPoints; n = len(starts) {
			next := starts[n-1].Add(g.step)
			all, starts = append(all, ask.Loops{By: ask.Group{g.by: next.Format(g.layout)}}), append(starts, next)
		}
		all, starts = append(all, row), append(starts, at)
	}
	return all, starts
}

// mostPoints is how many stretches a chart fills up.
const mostPoints = 3660
