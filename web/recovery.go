package web

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"errata/metrics/ask"
	"errata/metrics/stats"
	"errata/web/chart"
	"errata/web/ui"
	"errata/web/view"
)

func (s *Server) recovery(q *request) (page, error) {
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	a := s.begin(q.Context())
	frame := q.frameQuestions(a)
	by := func(dimensions ...string) *reply[ask.Recovery] {
		return put(a, "recovery", func(ctx context.Context) (ask.Answer[ask.Recovery], error) {
			return s.cfg.Questions.Recovery(ctx, q.by(dimensions...))
		})
	}
	total, times, codes, tools := by(), by(q.grain().by), by(ask.ByCode), by(ask.ByTool)
	cutovers := put(a, "cutovers", s.cutovers)
	if err := a.wait(); err != nil {
		return page{}, err
	}
	p := page{status: a.status(), frame: q.framed(a, frame)}
	p.frame.Question = "After a first error, how many attempts until it works, and how many never get there?"
	p.frame.Filters = q.filterBar(a.settled)
	p.body = view.Recovery(view.RecoveryPage{
		Shares:       q.recoveryPart(a, total, q.shares),
		Never:        q.recoveryTrend(a, times, cutovers, neverTrend),
		Within3:      q.recoveryTrend(a, times, cutovers, within3Trend),
		Distribution: q.recoveryPart(a, total, q.distribution),
		Curve:        q.recoveryPart(a, total, q.curve),
		Quantiles:    q.recoveryPart(a, total, q.quantiles),
		Reasons:      q.recoveryPart(a, total, q.whyNever),
		Codes:        q.recoveryBy(a, codes, ask.ByCode),
		Tools:        q.recoveryBy(a, tools, ask.ByTool),
	})
	return p, nil
}

// recoveryPart is a part of the page that shows the one row of all episodes.
func (q *request) recoveryPart(a *asking, r *reply[ask.Recovery], part func(ask.Recovery) view.Section) view.Section {
	var row ask.Recovery
	if r.ok() && len(r.Rows) == 1 {
		row = r.Rows[0]
	}
	s := part(row)
	switch {
	case !r.ok():
		return q.sectioned(a, r.err, ui.Panel{ID: s.ID, Title: s.Title, Definition: s.Definition})
	case row.Episodes == 0:
		return view.Section{Panel: ui.Panel{ID: s.ID, Title: s.Title, Empty: q.nothing("episodes")}}
	}
	s.Links = append(s.Links, q.data("recovery")...)
	return s
}

func (q *request) shares(r ask.Recovery) view.Section {
	s := view.Section{Panel: ui.Panel{ID: "shares", Title: "How do episodes end?", Definition: "Cumulative incidence: giving up and a user's help compete with recovery, and open episodes are censored." +
		" Shares rest on " + ui.Plural(r.Mature, "mature episode", "mature episodes") + "; " + ui.Count(r.Maturing) + " are maturing."}}
	basis := "of " + ui.Plural(r.Mature, "episode", "episodes")
	weak := r.Runs < leastRuns
	add := func(label string, share, low, high *float64, definition string, links ...string) {
		f := ui.Figure{Label: label, Value: ui.Percent(share), Interval: ui.Range(low, high), Basis: basis, Definition: define(definition), Weak: weak}
		if len(links) > 0 {
			f.Href, f.HrefLabel = q.runs(links[1:]...), links[0]
		}
		s.Figures = append(s.Figures, f)
	}
	add("Within 3 attempts", r.Within3, r.Within3Low, r.Within3High, "recovered_within_3", "runs that recover", "ending", "recovered")
	add("In 4 to 7", r.From4To7, r.From4To7Low, r.From4To7High, "recovered_in_4_to_7", "4 attempts or more", "attempts_min", "4", "ending", "recovered")
	add("In 8 or more", r.From8, r.From8Low, r.From8High, "recovered_in_8_or_more", "8 attempts or more", "attempts_min", "8", "ending", "recovered")
	add("With a user's help", r.WithUser, r.WithUserLow, r.WithUserHigh, "recovered_with_user", "runs with help", "ending", "recovered_with_user")
	add("Never", r.Never, r.NeverLow, r.NeverHigh, "never", "runs that never recover", "ending", "abandoned", "sort", "-abandoned")
	add("Not yet known", r.Unknown, nil, nil, "unknown", "runs with open episodes", "ending", "open")
	return s
}

// bins are the bars of the distribution: from and to, both included.
var bins = []struct {
	name     string
	from, to int
}{{"1", 1, 1}, {"2", 2, 2}, {"3", 3, 3}, {"4", 4, 4}, {"5", 5, 5}, {"6–7", 6, 7}, {"8–10", 8, 10}, {"11–20", 11, 20}, {"21+", 21, 1 << 30}}

func (q *request) distribution(r ask.Recovery) view.Section {
	s := view.Section{Panel: ui.Panel{ID: "distribution", Title: "How many attempts did it take?",
		Definition: "Episodes that recovered, by attempts. Apart from them those that never did, and those whose end is open. All that is known, the maturing ones as well."}}
	d := chart.Distribution{ID: "distribution-chart", XName: "attempts after the first error", Label: "Episodes by attempts until recovery; the table below has the numbers"}
	t := ui.Table{ID: "distribution-table", Caption: "Episodes by attempts", Columns: []ui.Column{{Label: "Attempts"}, {Label: "Episodes", Numeric: true}, {Label: "Share of all", Numeric: true}}}
	add := func(name, words, color string, n int64, link string) {
		share := ui.Percent(ratio(float64(n), float64(r.Episodes)))
		d.Buckets = append(d.Buckets, chart.Bucket{Name: name, Count: n, Text: ui.Count(n), Color: color})
		d.Links = append(d.Links, link)
		d.Tips = append(d.Tips, words+"\n"+ui.Plural(n, "episode", "episodes")+", "+share)
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{{Text: words, Href: link}, {Text: ui.Count(n)}, {Text: share}}})
	}
	for _, bin := range bins {
		words := "recovered after " + bin.name
		add(bin.name, words, "", countWithin(r.Attempts, bin.from, bin.to), q.runs("attempts_min", strconv.Itoa(bin.from), "sort", "-episodes"))
	}
	// A gap stands before each end that is no recovery, so that a narrow chart has room for its name.
	gap := func() {
		d.Buckets, d.Tips, d.Links = append(d.Buckets, chart.Bucket{}), append(d.Tips, ""), append(d.Links, "")
	}
	gap()
	add("never", "never recovered", "var(--vermilion)", r.Abandoned, q.runs("ending", "abandoned"))
	gap()
	add("open", "still open", "var(--bars)", r.Open, q.runs("ending", "open"))
	s.Chart = q.drawn(d.Chart(), t)
	return s
}

// countWithin adds up counts by number.
func countWithin(counts map[string]int64, from, to int) int64 {
	var sum int64
	for text, n := range counts {
		if number, err := strconv.Atoi(text); err == nil && from <= number && number <= to {
			sum += n
		}
	}
	return sum
}

// mostSteps is how far the curve is drawn; the data go further.
const mostSteps = 30

func (q *request) curve(r ask.Recovery) view.Section {
	s := view.Section{Panel: ui.Panel{ID: "curve", Title: "How does the chance of recovery grow?",
		Definition: "Cumulative incidence: the share that has recovered without help after so many attempts, where giving up and help compete and open episodes are censored. The band is pointwise. What the curve never reaches is the tail."}}
	c := chart.Curve{ID: "curve-chart", Name: "recovered", XName: "attempts after the first error", Label: "Share recovered by attempts; the table below has the numbers"}
	t := ui.Table{ID: "curve-table", Caption: "Share recovered after so many attempts", Columns: []ui.Column{{Label: "Attempts"}, {Label: "Recovered", Numeric: true}, {Label: "Interval"}}}
	for _, p := range r.Incidence[:min(len(r.Incidence), mostSteps)] {
		share, step := p.Recovered, strconv.Itoa(p.Attempt)
		c.Steps = append(c.Steps, step)
		c.Values, c.Low, c.High = append(c.Values, &share), append(c.Low, p.Low), append(c.High, p.High)
		c.Tips = append(c.Tips, "after "+step+": "+ui.Percent(&share)+"\n"+ui.Range(p.Low, p.High))
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{{Text: step}, {Text: ui.Percent(&share)}, {Text: ui.Range(p.Low, p.High)}}})
	}
	if len(r.Incidence) > mostSteps {
		t.Note = "The first " + strconv.Itoa(mostSteps) + " of " + strconv.Itoa(len(r.Incidence)) + " attempts; the data hold more."
	}
	s.Chart = q.drawn(c.Chart(), t)
	return s
}

func (q *request) quantiles(r ask.Recovery) view.Section {
	s := view.Section{Panel: ui.Panel{ID: "quantiles", Title: "How long is the tail?",
		Definition: "The least number by which so many episodes have recovered, with its 95 % interval. One that never recovers is larger than any number; — is too few episodes to say."}}
	t := ui.Table{ID: "quantile-table", Caption: "Quantiles of " + ui.Plural(r.Mature, "mature episode", "mature episodes"),
		Columns: []ui.Column{{Label: "Quantile"}, {Label: "Attempts", Numeric: true}, {Label: "Turns", Numeric: true}}}
	for i, name := range []string{"P50", "P90", "P95", "P99"} {
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{{Text: name}, quantileCell(r.AttemptsSpread, i), quantileCell(r.TurnsSpread, i)}})
	}
	s.Tables = []ui.Table{t}
	return s
}

func quantileCell(spread []stats.Quantile, i int) ui.Cell {
	if i >= len(spread) {
		return ui.Cell{Text: ui.Unknown}
	}
	c := ui.Cell{Text: numberText(spread[i].Value)}
	if spread[i].Low.IsKnown() && spread[i].High.IsKnown() {
		c.Sub = "95 % CI " + spread[i].Low.String()
		if low, high := spread[i].Low.String(), spread[i].High.String(); low != high {
			c.Sub += " to " + high
		}
	}
	return c
}

// numberText writes a number that may be "never".
func numberText(n stats.Number) string {
	if !n.IsKnown() {
		return ui.Unknown
	}
	return n.String()
}

func (q *request) whyNever(r ask.Recovery) view.Section {
	s := view.Section{Panel: ui.Panel{ID: "reasons", Title: "Why were episodes given up?",
		Links: []ui.Link{{Label: "Runs that never recover", Href: q.runs("ending", "abandoned", "sort", "-abandoned")}}}}
	if r.Abandoned == 0 {
		s.Empty = &ui.Empty{Message: "No episode was given up."}
		return s
	}
	t := ui.Table{ID: "reason-table", Caption: ui.Plural(r.Abandoned, "episode", "episodes") + " that never recovered",
		Columns: []ui.Column{{Label: "Reason"}, {Label: "Episodes", Numeric: true}, {Label: "Share"}}}
	for _, reason := range reasons {
		n := r.Reasons[reason.name]
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{{Text: reason.label}, q.runsCell(ui.Count(n), "reason", reason.name),
			{Text: ui.Percent(ratio(float64(n), float64(r.Abandoned))), Share: ui.NewBar(float64(n), float64(r.Abandoned))}}})
	}
	s.Tables = []ui.Table{t}
	return s
}

func (q *request) recoveryBy(a *asking, r *reply[ask.Recovery], by string) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "by-" + by, Title: "How does it differ by " + dimensionWords[by] + "?",
		Definition: "By the first error of an episode. Below a share stands its 95 % interval; the line at the right is that of the share that never recovers.",
		Links:      q.data("recovery", "by", by)})
	if !r.ok() {
		return s
	}
	if len(r.Rows) == 0 {
		s.Empty = q.nothing("episodes")
		return s
	}
	rows := slices.SortedFunc(slices.Values(r.Rows), func(x, y ask.Recovery) int {
		return cmp.Or(cmp.Compare(y.Episodes, x.Episodes), cmp.Compare(x.By[by], y.By[by]))
	})
	shown := rows[:min(len(rows), mostGroups)]
	var ends []*float64
	for _, row := range shown {
		ends = append(ends, row.Never, row.NeverHigh)
	}
	t := ui.Table{ID: "recovery-" + by, Caption: "Recovery by " + dimensionWords[by] + ", by number of episodes", Columns: []ui.Column{
		{Label: dimensionHeads[by]}, {Label: "Episodes", Numeric: true}, {Label: "Within 3", Numeric: true}, {Label: "4 to 7", Numeric: true},
		{Label: "8 or more", Numeric: true}, {Label: "P50", Numeric: true}, {Label: "P95", Numeric: true}, {Label: "Never", Numeric: true}, {Label: "Interval of never"},
	}}
	for _, row := range shown {
		name := row.By[by]
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
			q.groupCell(by, name), {Text: ui.Count(row.Episodes)}, {Text: ui.Percent(row.Within3), Sub: ui.Ends(row.Within3Low, row.Within3High)},
			{Text: ui.Percent(row.From4To7), Sub: ui.Ends(row.From4To7Low, row.From4To7High)}, {Text: ui.Percent(row.From8), Sub: ui.Ends(row.From8Low, row.From8High)},
			{Text: numberText(row.AttemptsP50)}, {Text: numberText(row.AttemptsP95)},
			q.runsCell(ui.Percent(row.Never), by, name, "ending", "abandoned"),
			{Range: ui.NewRange(row.Never, row.NeverLow, row.NeverHigh, nil, ui.Top(ends...)), Sub: ui.Range(row.NeverLow, row.NeverHigh)},
		}})
	}
	if len(rows) > len(shown) {
		t.Note = "The " + ui.Count(int64(len(shown))) + " with most episodes of " + ui.Count(int64(len(rows))) + "; the data hold all."
	}
	s.Tables = []ui.Table{t}
	return s
}
