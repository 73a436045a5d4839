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
	axis   string // how the axis of a chart names it, where room is short
	step   time.Duration
}

const day = 24 * time.Hour

// grain gives days, or what shows a short stretch of time: hours up to four days, minutes up to three hours. Whoever watches a
// cutover looks at the last hours, of which days would make one point.
func (q *request) grain() grain {
	switch long := q.length(); {
	case long <= 3*time.Hour:
		return grain{by: ask.ByMinute, head: "Minute", layout: time.RFC3339, shown: "01-02 15:04", axis: "15:04", step: time.Minute}
	case long <= 4*day:
		return grain{by: ask.ByHour, head: "Hour", layout: time.RFC3339, shown: "2006-01-02 15:04", axis: "Jan 2 15:04", step: time.Hour}
	}
	return grain{by: ask.ByDay, head: "Day", layout: time.DateOnly, shown: time.DateOnly, axis: "Jan 2", step: day}
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

// name is how a page names the stretch that a time lies in.
func (g grain) name(t time.Time) string { return t.UTC().Truncate(g.step).Format(g.shown) }

// places are the names of stretches on an axis. They are unique: what would come round again is named in full.
func (g grain) places(starts []time.Time) []string {
	layout := g.axis
	if n := len(starts); n > 0 && g.step == day && starts[n-1].Sub(starts[0]) > 300*day {
		layout = g.shown
	}
	names := make([]string, len(starts))
	for i, t := range starts {
		names[i] = t.UTC().Format(layout)
	}
	return names
}

// partly says whether only a part of a stretch lies in the window: its counts are no measure of the others.
func (g grain) partly(starts time.Time, window ask.Filters) bool {
	return starts.Before(window.From) || !window.To.IsZero() && starts.Add(g.step).After(window.To)
}

// stretches are the times at which the stretches of rows begin, with those between them that have no row. Rows come in order
// of time; index says which row a stretch has.
func (g grain) stretches(groups []ask.Group) (starts []time.Time, index []int) {
	for i, group := range groups {
		at, err := time.Parse(g.layout, group[g.by])
		if err != nil {
			continue
		}
		for n := len(starts); n > 0 && starts[n-1].Add(g.step).Before(at) && n < mostPoints; n = len(starts) {
			starts, index = append(starts, starts[n-1].Add(g.step)), append(index, -1)
		}
		starts, index = append(starts, at), append(index, i)
	}
	return starts, index
}

// every puts empty stretches where there are none.
func every[T any](g grain, rows []T, group func(T) ask.Group) (all []T, starts []time.Time) {
	groups := make([]ask.Group, len(rows))
	for i, row := range rows {
		groups[i] = group(row)
	}
	starts, index := g.stretches(groups)
	all = make([]T, len(starts))
	for i, at := range index {
		if at >= 0 {
			all[i] = rows[at]
		}
	}
	return all, starts
}

func loopsGroup(l ask.Loops) ask.Group       { return l.By }
func recoveryGroup(r ask.Recovery) ask.Group { return r.By }
func costGroup(c ask.Cost) ask.Group         { return c.By }

// mostPoints is how many stretches a chart fills up.
const mostPoints = 3660
