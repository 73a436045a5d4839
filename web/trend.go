package web

import (
	"time"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web/chart"
	"errata/web/ui"
	"errata/web/view"
)

// trendChart draws the loop rate by day, days without calls or with too few runs as gaps.
func (q *request) trendChart(rows []ask.Loops, cutovers []review.Cutover) *view.Drawn {
	days := everyDay(rows)
	c := chart.Rates{ID: "trend-chart", Label: "Loop rate by day; the table below has the numbers", CountName: "failed calls"}
	rate := chart.Rate{Name: "loop rate"}
	rate.Values, rate.Low, rate.High = points(days)
	t := ui.Table{ID: "trend-table", Caption: "Loop rate by day", Columns: []ui.Column{
		{Label: "Day"}, {Label: "Failed calls", Numeric: true}, {Label: "Repeats", Numeric: true}, {Label: "Loop rate", Numeric: true}, {Label: "Interval"},
	}}
	for _, day := range days {
		name := day.By[ask.ByDay]
		c.Days, c.Counts = append(c.Days, name), append(c.Counts, day.Mature)
		so, tip := maturing(day)
		rate.Provisional = append(rate.Provisional, so != "")
		c.Tips = append(c.Tips, name+"\nloop rate "+ui.Percent(day.LoopRate)+"\n"+ui.Range(day.LoopRateLow, day.LoopRateHigh)+"\n"+ui.Of(day.MatureRepeats, day.Mature)+" failed calls"+tip)
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
			q.dayCell(name), {Text: ui.Count(day.Errored)}, {Text: ui.Count(day.Repeat)}, {Text: ui.Percent(day.LoopRate), Sub: so}, {Text: ui.Range(day.LoopRateLow, day.LoopRateHigh)},
		}})
	}
	c.Rates = []chart.Rate{rate}
	return q.drawnOverTime(c, t, cutovers)
}

// maturing says of a day that its rate is provisional, below its number and in its tip; both are empty where it stands.
func maturing(day ask.Loops) (sub, tip string) {
	if day.Maturing == 0 {
		return "", ""
	}
	return "so far, " + ui.Count(day.Maturing) + " maturing", "\nso far: " + ui.Plural(day.Maturing, "failed call is", "failed calls are") + " still maturing"
}

// drawnOverTime is a chart over days with the named moments among them, its table, and the moments' whole names.
func (q *request) drawnOverTime(c chart.Rates, t ui.Table, cutovers []review.Cutover) *view.Drawn {
	within := among(c.Days, cutovers)
	for _, m := range within {
		c.Marks = append(c.Marks, chart.Mark{At: m.At.UTC().Format(time.DateOnly), Name: ui.Visible(m.Name)})
	}
	d := q.drawn(c.Chart(), t)
	for _, m := range within {
		d.Moments = append(d.Moments, ui.Link{Label: ui.Visible(m.Name), Title: ui.Visible(m.Name) + ", " + ui.Moment(m.At) + ": compare before and after",
			Href: q.link("/compare", "variant", "", "cutover", m.At.UTC().Format(time.RFC3339Nano))})
	}
	return d
}

// points gives the rate of every day with its interval, nil for days with too few runs.
func points(days []ask.Loops) (values, low, high []*float64) {
	for _, day := range days {
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

// dayCell leads to the runs of a day.
func (q *request) dayCell(day string) ui.Cell {
	from, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ui.Cell{Text: day}
	}
	return ui.Cell{Text: day, Title: "the runs of this day",
		Href: q.runs("all", "", "from", from.Format(time.RFC3339), "to", from.AddDate(0, 0, 1).Format(time.RFC3339))}
}

// leastPointRuns is how many runs with an error a day needs for a point: the rate of fewer is noise that looks like a
// finding, and its interval would dwarf all others. The bars and the table have the day all the same.
const leastPointRuns = 5

// mostDays is how many days a chart fills up.
const mostDays = 3660

// everyDay puts empty days where there are none. Rows come in order of time.
func everyDay(rows []ask.Loops) []ask.Loops {
	var all []ask.Loops
	var last time.Time
	for _, row := range rows {
		day, err := time.Parse(time.DateOnly, row.By[ask.ByDay])
		if err != nil {
			continue
		}
		for next := last.AddDate(0, 0, 1); !last.IsZero() && next.Before(day) && len(all) < mostDays; next = next.AddDate(0, 0, 1) {
			all = append(all, ask.Loops{By: ask.Group{ask.ByDay: next.Format(time.DateOnly)}})
		}
		all, last = append(all, row), day
	}
	return all
}

// among are the named moments that lie among the days.
func among(days []string, cutovers []review.Cutover) []review.Cutover {
	var within []review.Cutover
	for _, c := range cutovers {
		day := c.At.UTC().Format(time.DateOnly)
		if len(days) > 0 && days[0] <= day && day <= days[len(days)-1] {
			within = append(within, c)
		}
	}
	return within
}

// apiShared is an address of the API under the page's filters.
func (q *request) apiShared(name string, pairs ...string) string {
	return q.link("/api/v1/"+name, pairs...)
}
