package web

import (
	"strings"
	"time"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web/chart"
	"errata/web/ui"
	"errata/web/view"
)

// trendChart draws the loop rate over time, stretches without calls or with too few runs as gaps.
func (q *request) trendChart(rows []ask.Loops, cutovers []review.Cutover) *view.Drawn {
	g := q.grain()
	all, starts := g.every(rows)
	word := strings.ToLower(g.head)
	c := chart.Rates{ID: "trend-chart", Label: "Loop rate by " + word + "; the table below has the numbers", CountName: "failed calls"}
	rate := chart.Rate{Name: "loop rate"}
	rate.Values, rate.Low, rate.High = points(all)
	t := ui.Table{ID: "trend-table", Caption: "Loop rate by " + word, Columns: []ui.Column{
		{Label: g.head}, {Label: "Failed calls", Numeric: true}, {Label: "Repeats", Numeric: true}, {Label: "Loop rate", Numeric: true}, {Label: "Interval"},
	}}
	for i, row := range all {
		name := g.name(starts[i])
		c.Days, c.Counts = append(c.Days, name), append(c.Counts, row.Mature)
		so, tip := maturing(row)
		rate.Provisional = append(rate.Provisional, so != "")
		c.Tips = append(c.Tips, name+"\nloop rate "+ui.Percent(row.LoopRate)+"\n"+ui.Range(row.LoopRateLow, row.LoopRateHigh)+"\n"+ui.Of(row.MatureRepeats, row.Mature)+" failed calls"+tip)
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
			q.stretchCell(g, starts[i]), {Text: ui.Count(row.Errored)}, {Text: ui.Count(row.Repeat)}, {Text: ui.Percent(row.LoopRate), Sub: so}, {Text: ui.Range(row.LoopRateLow, row.LoopRateHigh)},
		}})
	}
	c.Rates = []chart.Rate{rate}
	return q.drawnOverTime(overTime{c, g, starts}, t, cutovers)
}

// maturing says of a day that its rate is provisional, below its number and in its tip; both are empty where it stands.
func maturing(day ask.Loops) (sub, tip string) {
	if day.Maturing == 0 {
		return "", ""
	}
	return "so far, " + ui.Count(day.Maturing) + " maturing", "\nso far: " + ui.Plural(day.Maturing, "failed call is", "failed calls are") + " still maturing"
}

// overTime is a chart over stretches of time.
type overTime struct {
	chart.Rates
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

// drawnOverTime is a chart with the named moments in it, its table, and the moments' whole names.
func (q *request) drawnOverTime(o overTime, t ui.Table, cutovers []review.Cutover) *view.Drawn {
	within := o.among(cutovers)
	for _, m := range within {
		o.Marks = append(o.Marks, chart.Mark{At: o.grain.name(m.At), Name: ui.Visible(m.Name)})
	}
	d := q.drawn(o.Chart(), t)
	for _, m := range within {
		d.Moments = append(d.Moments, ui.Link{Label: ui.Visible(m.Name), Title: ui.Visible(m.Name) + ", " + ui.Moment(m.At) + ": compare before and after",
			Href: q.link("/compare", "variant", "", "cutover", m.At.UTC().Format(time.RFC3339Nano))})
	}
	return d
}

// points gives the rate of every stretch with its interval, nil for those with too few runs.
func points(rows []ask.Loops) (values, low, high []*float64) {
	for _, day := range rows {
		if day.MatureRunsWithError < leastPointRuns {
			day.LoopRate, day.LoopRateLow, day.LoopRateHigh = nil, nil, nil
		}
		values, low, high = append(values, day.LoopRate), append(low, day.LoopRateLow), append(high, day.LoopRateHigh)
	}
	return values, low, high
}

// drawn is a chart with its table.
func (q *request) drawn(c chart.Chart, t ui.Table) *view.Drawn {
	_, has := q.s.assets[chartScript]
	return &view.Drawn{Chart: c, Table: t, Missing: !has}
}

// stretchCell leads to the runs of a day, an hour or a minute.
func (q *request) stretchCell(g grain, starts time.Time) ui.Cell {
	return ui.Cell{Text: g.name(starts), Title: "the runs of this " + strings.ToLower(g.head),
		Href: q.runs("all", "", "last", "", "from", starts.Format(time.RFC3339), "to", starts.Add(g.step).Format(time.RFC3339))}
}

// leastPointRuns is how many runs with an error a day, an hour or a minute needs for a point: the rate of fewer is noise that looks like a
// finding, and its interval would dwarf all others. The bars and the table have the day all the same.
const leastPointRuns = 5

// apiShared is an address of the API under the page's filters.
func (q *request) apiShared(name string, pairs ...string) string {
	return q.link("/api/v1/"+name, pairs...)
}
