package web

import (
	"strings"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web/ui"
	"errata/web/view"
)

// recoveryShare is a share of episodes that is drawn over time.
type recoveryShare struct {
	id, title, name, color, hits string
	where                        []string // parameters of the runs that have such episodes
	points                       func(grain, []ask.Recovery) []ratePoint
}

// The shares of episodes that are drawn over time.
var (
	neverTrend = recoveryShare{id: "never-trend", title: "How many never recover?", name: "never recovered", color: "var(--vermilion)",
		hits: "Never recovered", where: []string{"ending", "abandoned"}, points: neverPoints}
	within3Trend = recoveryShare{id: "within3-trend", title: "How many recover within 3 attempts?", name: "within 3 attempts",
		hits: "Within 3", where: []string{"ending", "recovered"}, points: within3Points}
)

// recoveryTrend draws a share of episodes by the time of their first error.
func (q *request) recoveryTrend(a *asking, r *reply[ask.Recovery], cutovers *reply[review.Cutover], of recoveryShare) view.Section {
	g := q.grain()
	s := q.sectioned(a, r.err, ui.Panel{ID: of.id, Title: of.title, Links: q.data("recovery", "by", g.by),
		Definition: strings.Replace(trendWords(g, "episodes"), " (UTC)", " of the first error (UTC)", 1)})
	if !r.ok() {
		return s
	}
	if len(r.Rows) == 0 {
		s.Empty = q.nothing("episodes")
		return s
	}
	s.Chart = q.rateChart(rateTrend{id: of.id, name: of.name, color: of.color, noun: [2]string{"episode", "episodes"}, hits: of.hits, where: of.where,
		points: of.points(g, r.Rows)}, cutovers.Rows)
	return s
}

func neverPoints(g grain, rows []ask.Recovery) []ratePoint {
	return recoveryPoints(g, rows, func(r ask.Recovery, p *ratePoint) {
		p.rate, p.low, p.high, p.hits = r.Never, r.NeverLow, r.NeverHigh, r.Abandoned
	})
}

func within3Points(g grain, rows []ask.Recovery) []ratePoint {
	return recoveryPoints(g, rows, func(r ask.Recovery, p *ratePoint) {
		p.rate, p.low, p.high, p.hits = r.Within3, r.Within3Low, r.Within3High, countWithin(r.Attempts, 0, 3)
	})
}

func recoveryPoints(g grain, rows []ask.Recovery, share func(ask.Recovery, *ratePoint)) []ratePoint {
	all, starts := every(g, rows, recoveryGroup)
	points := make([]ratePoint, len(all))
	for i, r := range all {
		points[i] = ratePoint{starts: starts[i], all: r.Episodes, basis: r.Mature, maturing: r.Maturing, runs: r.Runs, of: "of " + ui.Plural(r.Mature, "episode", "episodes")}
		share(r, &points[i])
	}
	return points
}
