package web

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web/chart"
	"errata/web/ui"
	"errata/web/view"
)

// trust is what bears on all rows of a comparison.
func (q *request) trust(a *asking, r *reply[ask.Comparison]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "trust", Title: "Can the comparison be trusted?", Links: q.compareData()})
	if !r.ok() {
		return s
	}
	c := r.Rows[0]
	nameA, nameB := "Runs of A", "Runs of B"
	linkA, linkB := q.runs("variant", c.A), q.runs("variant", c.B)
	if c.Cutover != nil {
		moment := c.Cutover.Format(time.RFC3339Nano)
		nameA, nameB, linkA, linkB = "Runs before", "Runs after", q.runs("to", moment, "all", ""), q.runs("from", moment, "all", "")
	}
	s.Figures = []ui.Figure{
		{Label: nameA, Value: ui.Count(c.ARuns), Basis: "task success known of " + ui.Percent(c.ASuccess), Definition: define("arms"), Href: linkA, HrefLabel: "the runs"},
		{Label: nameB, Value: ui.Count(c.BRuns), Basis: "task success known of " + ui.Percent(c.BSuccess), Definition: define("arms"), Href: linkB, HrefLabel: "the runs"},
		{Label: "Saw both, left out", Value: ui.Count(c.Straddling), Basis: ui.Percent(c.StraddlingShare) + " of all runs",
			Definition: "A run that saw both payloads is in neither arm. Above 5 % of all there is no verdict, since what is left may not be comparable."},
		{Label: "Guardrail margin", Value: fmt.Sprintf("%g pp", 100*c.Margin), Definition: "Task success may fall by so much before the guardrail is broken. Set it before looking."},
	}
	s.Figures = append(s.Figures, splitFigure(c.Split), mixFigure(c.Mix), placeboFigure(c))
	s.Figures = slices.DeleteFunc(s.Figures, func(f ui.Figure) bool { return f.Label == "" })
	return s
}

// splitFigure holds the arms against the split that was declared.
func splitFigure(check *ask.SplitCheck) ui.Figure {
	if check == nil {
		return ui.Figure{}
	}
	f := ui.Figure{Label: "Declared split", Value: "fits", Basis: ui.Of(check.ARuns, check.ARuns+check.BRuns) + " in A, " + ui.Percent(&check.Share) + " declared",
		Definition: "Evidence of 1,000 or more against the declared share of A means that runs were lost or sorted on the way; there is no verdict then."}
	f.Interval = "evidence " + ui.Short(check.E)
	if check.Flagged {
		f.Value = "broken"
	}
	return f
}

// mixFigure is how much of the difference of the loop rate comes from tools being used differently.
func mixFigure(mix *ask.ToolMix) ui.Figure {
	if mix == nil {
		return ui.Figure{}
	}
	f := ui.Figure{Label: "Due to the mix of tools", Value: ui.Points(mix.Effect), Interval: "95 % CI " + orElse(spanText(mix.EffectInterval.Low, mix.EffectInterval.High, "share"), ui.Unknown),
		Basis:      "of " + ui.Points(mix.Raw) + "; with the same mix " + ui.Points(mix.Standardised),
		Definition: "The difference of the loop rate with both arms at the same shares of tools, and what is left of the difference. Where the mix decides, compare tool by tool."}
	if mix.Flagged {
		f.Basis += ". The mix misleads: compare tool by tool"
	}
	if len(mix.Rare) > 0 {
		f.Basis += ". Taken together as too rare: " + short(strings.Join(mix.Rare[:min(len(mix.Rare), 5)], ", "))
	}
	return f
}

func placeboFigure(c ask.Comparison) ui.Figure {
	if c.Cutover == nil {
		return ui.Figure{}
	}
	f := ui.Figure{Label: "Earlier moments", Value: "too few days", Basis: "of history",
		Definition: "The same comparison at earlier moments at which nothing happened. A row whose difference is no rarer than theirs differs, with no cause shown."}
	if c.Window > 0 {
		f.Value, f.Basis = ui.Plural(int64(c.Window), "day", "days"), "on each side of every moment"
	}
	return f
}

// compareTrend draws both variants, or the days around the moment.
func (q *request) compareTrend(a *asking, got compareAnswers, f ask.CompareFilters) view.Section {
	if !f.Cutover.IsZero() {
		cutovers := *got.cutovers
		if !slices.ContainsFunc(cutovers.Rows, func(c review.Cutover) bool { return c.At.Equal(f.Cutover) }) {
			cutovers.Rows = append(slices.Clone(cutovers.Rows), review.Cutover{Name: "the moment compared", At: f.Cutover})
		}
		return q.trend(a, got.days, &cutovers)
	}
	g := q.grain()
	word := strings.ToLower(g.head)
	s := q.sectioned(a, got.days.err, ui.Panel{ID: "trend", Title: "How did the loop rates change?", Links: q.data("loops", "by", g.by+",variant"),
		Definition: "By " + word + " of the failed call (UTC). Where under 5 runs of a payload failed it has no point; bars are the failed calls of both."})
	if !got.days.ok() {
		return s
	}
	if len(got.days.Rows) == 0 {
		s.Empty = q.nothing("failed calls")
		return s
	}
	s.Chart = q.armsChart(got.days.Rows, f, got.cutovers.Rows)
	return s
}

// armsChart draws the loop rate of both variants over time.
func (q *request) armsChart(rows []ask.Loops, f ask.CompareFilters, cutovers []review.Cutover) *view.Drawn {
	g := q.grain()
	of := map[string]map[string]ask.Loops{}
	var order []ask.Loops
	for _, row := range rows {
		at := row.By[g.by]
		if of[at] == nil {
			of[at] = map[string]ask.Loops{}
			order = append(order, row)
		}
		of[at][row.By[ask.ByVariant]] = row
	}
	word := strings.ToLower(g.head)
	c := chart.Rates{ID: "trend-chart", Label: "Loop rate of both payloads by " + word + "; the table below has the numbers", CountName: "failed calls"}
	t := ui.Table{ID: "trend-table", Caption: "Loop rate by " + word, Columns: []ui.Column{{Label: g.head}, {Label: short(f.A), Numeric: true}, {Label: short(f.B), Numeric: true}}}
	arms := [2]chart.Rate{{Name: short(f.A), Color: "var(--orange)"}, {Name: short(f.B)}}
	all, starts := every(g, order, loopsGroup)
	for at, row := range all {
		cells, tip, count, young := []ui.Cell{q.stretchCell(g, starts[at])}, g.name(starts[at]), int64(0), int64(0)
		for i, name := range []string{f.A, f.B} {
			l := of[row.By[g.by]][name]
			count += l.Mature
			young += l.Maturing
			arms[i].Values = append(arms[i].Values, ratePoint{rate: l.LoopRate, runs: l.MatureRunsWithError}.shown().rate)
			text, interval := ui.Percent(l.LoopRate), ui.Range(l.LoopRateLow, l.LoopRateHigh)
			cells = append(cells, ui.Cell{Text: text, Sub: ui.Of(l.MatureRepeats, l.Mature) + intervalAfter(interval)})
			tip += "\n" + short(name) + " " + text + ", " + ui.Of(l.MatureRepeats, l.Mature) + intervalAfter(interval)
		}
		c.Counts, c.Young, c.Tips, c.Links = append(c.Counts, count), append(c.Young, young), append(c.Tips, tip), append(c.Links, q.stretchRuns(g, starts[at]))
		t.Rows = append(t.Rows, ui.Row{Cells: cells})
	}
	c.Rates, c.Days = arms[:], g.places(starts)
	return q.drawnOverTime(overTime{g, starts}, func(marks []chart.Mark) chart.Chart {
		c.Marks = marks
		return c.Chart()
	}, t, cutovers)
}
