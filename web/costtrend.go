package web

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web/chart"
	"errata/web/ui"
	"errata/web/view"
)

// costTrend draws what errors cost over time, by the codes that cost most. Totals follow traffic, so that the table has the
// cost of an error beside them.
func (q *request) costTrend(a *asking, r *reply[ask.Cost], cutovers *reply[review.Cutover]) view.Section {
	g := q.grain()
	s := q.sectioned(a, r.err, ui.Panel{ID: "trend", Title: "How did the cost change?", Links: q.data("cost", "by", g.by+",code"),
		Definition: "Recovery tokens by " + strings.ToLower(g.head) + " of the turn (UTC), by the codes that cost most over the window. A total follows traffic: the table has the tokens per error. Pale is what the window cuts off."})
	if !r.ok() {
		return s
	}
	if len(r.Rows) == 0 {
		s.Empty = q.nothing("errors")
		return s
	}
	s.Chart = q.costChart(costsOverTime(g, r.Rows), a.settled, cutovers.Rows)
	return s
}

// costOverTime is what errors cost in each stretch of time, and each of the costliest codes in it.
type costOverTime struct {
	starts []time.Time
	totals []ask.Cost
	codes  []string
	tokens map[string][]float64 // by code, restOfCodes for all others together; no entry where there is none
}

func costsOverTime(g grain, rows []ask.Cost) costOverTime {
	spent, ofTime := map[string]int64{}, map[string][]ask.Cost{}
	var order []ask.Cost
	for _, r := range rows {
		at := r.By[g.by]
		if ofTime[at] == nil {
			order = append(order, r)
		}
		ofTime[at] = append(ofTime[at], r)
		spent[r.By[ask.ByCode]] += r.Tokens
	}
	slices.SortStableFunc(order, func(x, y ask.Cost) int { return cmp.Compare(x.By[g.by], y.By[g.by]) })
	c := costOverTime{tokens: map[string][]float64{}}
	for code := range spent {
		c.codes = append(c.codes, code)
	}
	slices.SortFunc(c.codes, func(x, y string) int { return cmp.Or(cmp.Compare(spent[y], spent[x]), cmp.Compare(x, y)) })
	c.codes = c.codes[:min(len(c.codes), chart.MostParts())]
	all, starts := every(g, order, costGroup)
	c.starts = starts
	for i, first := range all {
		at := ofTime[first.By[g.by]]
		c.totals = append(c.totals, costSum(at))
		for _, r := range at {
			code := r.By[ask.ByCode]
			if !slices.Contains(c.codes, code) {
				code = restOfCodes
			}
			if c.tokens[code] == nil {
				c.tokens[code] = make([]float64, len(all))
			}
			c.tokens[code][i] += float64(r.Tokens)
		}
	}
	return c
}

// restOfCodes stands for all codes that are not drawn by themselves. No code is like it: it has a space.
const restOfCodes = "other codes"

func (q *request) costChart(c costOverTime, window ask.Filters, cutovers []review.Cutover) *view.Drawn {
	g := q.grain()
	word := strings.ToLower(g.head)
	p := chart.Parts{ID: "trend-chart", Label: "Recovery tokens by " + word + " and code; the table below has the numbers", Days: g.places(c.starts), RestName: restOfCodes, Rest: c.tokens[restOfCodes]}
	t := ui.Table{ID: "trend-table", Caption: "Recovery tokens by " + word, Columns: []ui.Column{
		{Label: g.head}, {Label: "Errors", Numeric: true}, {Label: "Tokens", Numeric: true}, {Label: "Tokens per error", Numeric: true}, {Label: "Money", Numeric: true}}}
	for _, code := range c.codes {
		p.Parts = append(p.Parts, chart.Part{Name: short(code), Values: c.tokens[code]})
		t.Columns = append(t.Columns, ui.Column{Label: short(code), Numeric: true, Title: "tokens of " + short(code)})
	}
	for i, total := range c.totals {
		perError := ui.ShortOf(ratio(float64(total.Tokens), float64(total.Errors)))
		tip := g.name(c.starts[i]) + "\n" + ui.Short(float64(total.Tokens)) + " tokens, " + ui.Money(total.USD) + "\n" + ui.Plural(total.Errors, "error", "errors") + ", " + perError + " tokens each"
		row := ui.Row{Cells: []ui.Cell{q.stretchCell(g, c.starts[i]), {Text: ui.Count(total.Errors)}, {Text: ui.Short(float64(total.Tokens))}, {Text: perError}, {Text: ui.Money(total.USD)}}}
		for _, code := range c.codes {
			tokens := ui.Short(c.tokens[code][i])
			row.Cells = append(row.Cells, ui.Cell{Text: tokens})
			tip += "\n" + short(code) + " " + tokens
		}
		partial := g.partly(c.starts[i], window)
		if partial {
			tip += "\nonly a part of this " + word + " lies in the window"
			row.Cells[0].Sub = "in part"
		}
		p.Partial = append(p.Partial, partial)
		p.Tips, p.Links = append(p.Tips, tip), append(p.Links, q.stretchRuns(g, c.starts[i], "sort", "-tokens"))
		t.Rows = append(t.Rows, row)
	}
	return q.drawnOverTime(overTime{g, c.starts}, func(marks []chart.Mark) chart.Chart {
		p.Marks = marks
		return p.Chart()
	}, t, cutovers)
}
