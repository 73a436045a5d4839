package web

import (
	"strconv"
	"strings"
	"time"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web/chart"
	"errata/web/ui"
	"errata/web/view"
)

// ratePoint is a rate of one stretch of time with what it rests on.
type ratePoint struct {
	starts          time.Time
	rate, low, high *float64
	all, hits       int64 // all that is known, the maturing ones included, and those that the rate is about
	basis           int64 // what the rate rests on
	maturing        int64 // what it does not rest on yet
	runs            int64 // that the basis came in
	of              string
}

// shown is the point as it is drawn: without a rate where too few runs make it noise.
func (p ratePoint) shown() ratePoint {
	if p.runs < leastPointRuns {
		p.rate, p.low, p.high = nil, nil, nil
	}
	return p
}

// so says of a stretch that its rate is provisional, below its number and in its tip; both are empty where it stands.
func (p ratePoint) so(noun [2]string) (sub, tip string) {
	if p.maturing == 0 {
		return "", ""
	}
	verb := " are"
	if p.maturing == 1 {
		verb = " is"
	}
	return "so far, " + ui.Count(p.maturing) + " maturing", "\nso far: " + ui.Plural(p.maturing, noun[0], noun[1]) + verb + " still maturing"
}

// leastPointRuns is how many runs a day, an hour or a minute needs for a point: the rate of fewer is noise that looks like a
// finding, and its interval would dwarf all others. The bars and the table have the stretch all the same.
const leastPointRuns = 5

// rateTrend is a rate over time.
type rateTrend struct {
	id, name, color string
	noun            [2]string // what is counted: one, many
	hits            string    // heads the column of those that the rate is about
	where           []string  // parameters of the runs that have them
	points          []ratePoint
}

// rateChart draws a rate over time, stretches with too few runs as gaps, with the named moments and the table.
func (q *request) rateChart(r rateTrend, cutovers []review.Cutover) *view.Drawn {
	g := q.grain()
	word := strings.ToLower(g.head)
	title := strings.ToUpper(r.name[:1]) + r.name[1:] + " by " + word
	c := chart.Rates{ID: r.id + "-chart", Label: title + "; the table below has the numbers", CountName: r.noun[1]}
	rate := chart.Rate{Name: r.name, Color: r.color}
	t := ui.Table{ID: r.id + "-table", Caption: title, Columns: []ui.Column{
		{Label: g.head}, {Label: strings.ToUpper(r.noun[1][:1]) + r.noun[1][1:], Numeric: true}, {Label: r.hits, Numeric: true},
		{Label: "Share", Numeric: true}, {Label: "Interval"},
	}}
	starts := make([]time.Time, len(r.points))
	drawn := false
	for i, p := range r.points {
		starts[i] = p.starts
		name, shown := g.name(p.starts), p.shown()
		drawn = drawn || shown.rate != nil
		rate.Values, rate.Low, rate.High = append(rate.Values, shown.rate), append(rate.Low, shown.low), append(rate.High, shown.high)
		so, tip := p.so(r.noun)
		rate.Provisional = append(rate.Provisional, so != "")
		c.Counts, c.Young = append(c.Counts, p.basis), append(c.Young, p.maturing)
		c.Links = append(c.Links, q.stretchRuns(g, p.starts, r.where...))
		c.Tips = append(c.Tips, name+"\n"+r.name+" "+ui.Percent(p.rate)+"\n"+ui.Range(p.low, p.high)+"\n"+p.of+tip)
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
			q.stretchCell(g, p.starts), {Text: ui.Count(p.all)}, {Text: ui.Count(p.hits), Href: q.stretchRuns(g, p.starts, r.where...)},
			{Text: ui.Percent(p.rate), Sub: so}, {Text: ui.Range(p.low, p.high)},
		}})
	}
	c.Rates, c.Days = []chart.Rate{rate}, g.places(starts)
	d := q.drawnOverTime(overTime{g, starts}, func(marks []chart.Mark) chart.Chart {
		c.Marks = marks
		return c.Chart()
	}, t, cutovers)
	if !drawn {
		d.Note = "No " + word + " has " + strconv.Itoa(leastPointRuns) + " runs to draw a rate of; the bars are what came. The figure over the whole window is what can be read."
	}
	return d
}

// overTime is what a chart is drawn over.
type overTime struct {
	grain  grain
	starts []time.Time
}

// among are the named moments that lie among the stretches.
func (o overTime) among(cutovers []review.Cutover) []review.Cutover {
	var within []review.Cutover
	for _, c := range cutovers {
		at := c.At.UTC().Truncate(o.grain.step)
		if n := len(o.starts); n > 0 && !at.Before(o.starts[0]) && !at.After(o.starts[n-1]) {
			within = append(within, c)
		}
	}
	return within
}

// marks are the named moments by their places on the axis.
func (o overTime) marks(within []review.Cutover) []chart.Mark {
	places := o.grain.places(o.starts)
	var all []chart.Mark
	for _, m := range within {
		at := int(m.At.UTC().Truncate(o.grain.step).Sub(o.starts[0]) / o.grain.step)
		if at < len(places) {
			all = append(all, chart.Mark{At: places[at], Name: ui.Visible(m.Name)})
		}
	}
	return all
}

// drawnOverTime is a chart with the named moments in it, its table, and the moments' whole names.
func (q *request) drawnOverTime(o overTime, draw func([]chart.Mark) chart.Chart, t ui.Table, cutovers []review.Cutover) *view.Drawn {
	within := o.among(cutovers)
	d := q.drawn(draw(o.marks(within)), t)
	for _, m := range within {
		d.Moments = append(d.Moments, ui.Link{Label: ui.Visible(m.Name), Title: ui.Visible(m.Name) + ", " + ui.Moment(m.At) + ": compare before and after",
			Href: q.link("/compare", "variant", "", "cutover", m.At.UTC().Format(time.RFC3339Nano))})
	}
	return d
}

// drawn is a chart with its table.
func (q *request) drawn(c chart.Chart, t ui.Table) *view.Drawn {
	_, has := q.s.assets[chartScript]
	return &view.Drawn{Chart: c, Table: t, Missing: !has}
}

// stretchCell leads to the runs of a day, an hour or a minute.
func (q *request) stretchCell(g grain, starts time.Time) ui.Cell {
	return ui.Cell{Text: g.name(starts), Title: "the runs of this " + strings.ToLower(g.head), Href: q.stretchRuns(g, starts)}
}

func (q *request) stretchRuns(g grain, starts time.Time, pairs ...string) string {
	return q.runs(append([]string{"all", "", "last", "", "from", starts.Format(time.RFC3339), "to", starts.Add(g.step).Format(time.RFC3339)}, pairs...)...)
}

// apiShared is an address of the API under the page's filters.
func (q *request) apiShared(name string, pairs ...string) string {
	return q.link("/api/v1/"+name, pairs...)
}

// trendWords say how to read a rate over time.
func trendWords(g grain, noun string) string {
	word := strings.ToLower(g.head)
	return "By " + word + " (UTC), with the 95 % interval of each " + word + ". Bars are the " + noun + " that a rate rests on, hollow ones those too young for it. Where under " +
		strconv.Itoa(leastPointRuns) + " runs had any there is no point. What is dashed may change."
}

// trend is the loop rate over time with the cutovers.
func (q *request) trend(a *asking, r *reply[ask.Loops], cutovers *reply[review.Cutover]) view.Section {
	g := q.grain()
	s := q.sectioned(a, r.err, ui.Panel{ID: "trend", Title: "How did the loop rate change?", Links: append([]ui.Link{{Label: "Mark a cutover", Href: q.link("/compare", "variant", "") + "#cutovers"}}, q.data("loops", "by", g.by)...), Definition: trendWords(g, "failed calls")})
	if !r.ok() {
		return s
	}
	if len(r.Rows) == 0 {
		s.Empty = q.nothing("calls")
		return s
	}
	s.Chart = q.rateChart(rateTrend{id: "trend", name: "loop rate", noun: [2]string{"failed call", "failed calls"}, hits: "Repeats", where: []string{"label", "repeat"},
		points: loopPoints(g, r.Rows)}, cutovers.Rows)
	return s
}

func loopPoints(g grain, rows []ask.Loops) []ratePoint {
	all, starts := every(g, rows, loopsGroup)
	points := make([]ratePoint, len(all))
	for i, l := range all {
		points[i] = ratePoint{starts: starts[i], rate: l.LoopRate, low: l.LoopRateLow, high: l.LoopRateHigh, all: l.Errored, hits: l.Repeat, basis: l.Mature,
			maturing: l.Maturing, runs: l.MatureRunsWithError, of: ui.Of(l.MatureRepeats, l.Mature) + " failed calls"}
	}
	return points
}
