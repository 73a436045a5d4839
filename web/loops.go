package web

import (
	"cmp"
	"context"
	"slices"
	"time"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web/ui"
	"errata/web/view"
)

func (s *Server) loops(q *request) (page, error) {
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	a := s.begin(q.Context())
	frame := q.frameQuestions(a)
	by := func(dimensions ...string) *reply[ask.Loops] {
		return put(a, "loops", func(ctx context.Context) (ask.Answer[ask.Loops], error) {
			return s.cfg.Questions.Loops(ctx, q.by(dimensions...))
		})
	}
	total, days, variants, tools, codes := by(), by(q.grain().by), by(ask.ByVariant), by(ask.ByTool), by(ask.ByCode)
	next := one(a, "next_actions", s.cfg.Questions.NextActions, q.filters)
	before := prior(a, "loops", q.before(a, frame.settle), s.cfg.Questions.Loops)
	cutovers := put(a, "cutovers", s.cutovers)
	if err := a.wait(); err != nil {
		return page{}, err
	}
	p := page{status: a.status(), frame: q.framed(a, frame)}
	p.frame.Title, p.frame.Question = "Loop rate", "How often do agents send the very call again that was just refused?"
	p.frame.Filters = q.filterBar(a.settled)
	p.body = view.Loops(view.LoopsPage{
		Total:    q.loopTotal(a, total, before),
		Since:    q.sinceCutover(a.settled, cutovers),
		Trend:    q.trend(a, days, cutovers),
		Labels:   q.nextActions(a, next),
		Variants: q.loopsBy(a, variants, total, ask.ByVariant),
		Tools:    q.loopsBy(a, tools, total, ask.ByTool),
		Codes:    q.loopsBy(a, codes, total, ask.ByCode),
		Other:    q.otherLoops(a, total),
	})
	return p, nil
}

// sinceCutover is the verdict about the newest cutover. It takes longer to answer than all of the page, and is made to be looked
// at again and again, unlike the points of a chart. Where the page looks back from the newest call it is about the 28 days up to
// it, however short a time is looked at: what was before is what the time since is held against.
func (q *request) sinceCutover(window ask.Filters, r *reply[review.Cutover]) *view.Included {
	given := q.URL.Query()
	if !r.ok() || given.Has("as_of") || window.To.IsZero() && !q.filters.All {
		return nil
	}
	pairs := []string{"variant", ""}
	if !given.Has("from") && !given.Has("to") && !q.filters.All {
		window.From, pairs = window.To.Add(-ask.Window), append(pairs, "last", "")
	}
	var newest review.Cutover
	for _, c := range r.Rows {
		if c.At.After(window.From) && (window.To.IsZero() || c.At.Before(window.To)) && c.At.After(newest.At) {
			newest = c
		}
	}
	if newest.At.IsZero() {
		return nil
	}
	to := q.link("/compare", append(pairs, "cutover", newest.At.UTC().Format(time.RFC3339Nano))...)
	return &view.Included{ID: "since", Class: "verdict-line", Title: "What did “" + short(newest.Name) + "” change?", Page: to, Part: "#verdict",
		Definition: "Runs that began before " + ui.Minute(newest.At) + " UTC against those that began after it. It holds however often one looks; what is still maturing is not in it.",
		Link:       ui.Link{Label: "All figures before and after", Href: to, Title: ui.Moment(newest.At)}}
}

// loopRateSince is the loop rate beside that of the time before.
func (q *request) loopRateSince(l ask.Loops, then *reply[ask.Loops]) ui.Figure {
	f := q.loopRate(l)
	if then.ok() && len(then.Rows) == 1 && q.anything(then.Rows[0]) {
		was := then.Rows[0]
		f.Before = beforeText(ui.Percent(was.LoopRate), ui.Range(was.LoopRateLow, was.LoopRateHigh))
	}
	return f
}

// decimal writes a number that may be unknown with two decimals.
func decimal(v *float64) string {
	if v == nil {
		return ui.Unknown
	}
	return ui.Signless(*v, 2)
}

// loopRate is the loop rate with all it needs to be judged.
func (q *request) loopRate(l ask.Loops) ui.Figure {
	return ui.Figure{
		Label: "Loop rate", Value: ui.Percent(l.LoopRate), Interval: ui.Range(l.LoopRateLow, l.LoopRateHigh),
		Basis: ui.Of(l.MatureRepeats, l.Mature) + " failed calls", Definition: define("loop_rate"),
		Href: q.runs("label", "repeat"), HrefLabel: "runs that loop", Weak: l.MatureRunsWithError < leastRuns,
	}
}

func (q *request) loopTotal(a *asking, r, then *reply[ask.Loops]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "total", Title: "How often do agents loop?", Definition: define("loop_rate"), Links: q.data("loops")})
	if !r.ok() || len(r.Rows) == 0 {
		return s
	}
	l := r.Rows[0]
	if l.Errored == 0 {
		s.Empty = q.nothing("failed calls")
		return s
	}
	s.Figures = []ui.Figure{
		q.loopRateSince(l, then),
		{Label: "Loop on first error", Value: ui.Percent(l.LoopRunShare), Interval: ui.Range(l.LoopRunShareLow, l.LoopRunShareHigh),
			Basis: ui.Of(l.MatureRunsWithLoop, l.MatureRunsWithError) + " runs with an error", Definition: define("runs_with_loop"), Weak: l.MatureRunsWithError < leastRuns},
		{Label: "Repeats per run", Value: decimal(l.RepeatsPerRun), Basis: ui.Plural(l.Repeat, "repeat", "repeats") + " in " + ui.Plural(l.Runs, "run", "runs"), Definition: define("repeats_per_run")},
		{Label: "Futile repeats", Value: ui.Count(l.Futile), Basis: "of " + ui.Plural(l.Repeat, "repeat", "repeats"), Definition: define("futile")},
		{Label: "Sanctioned repeats", Value: ui.Count(l.Sanctioned), Basis: "of " + ui.Plural(l.Repeat, "repeat", "repeats"), Definition: define("sanctioned")},
		{Label: "Longest chain", Value: ui.Count(l.LongestChain), Basis: ui.Plural(l.Loops, "chain", "chains") + " in all", Definition: define("loops"),
			Href: q.runs("label", "repeat", "sort", "-loops"), HrefLabel: "runs with most loops"},
		{Label: "Maturing", Value: ui.Count(l.Maturing), Basis: "failed calls too young for shares", Definition: define("maturing")},
	}
	return s
}

// mostGroups is how many groups a table shows before it says that there are more.
const mostGroups = 50

// loopsBy compares the loop rates of groups on one axis.
func (q *request) loopsBy(a *asking, r, total *reply[ask.Loops], by string) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "by-" + by, Title: "How often, by " + dimensionWords[by] + "?",
		Definition: "The line is the 95 % interval, the dashes the loop rate over all. Groups differ in what they were asked to do: a difference is no effect by itself.",
		Links:      q.data("loops", "by", by)})
	if !r.ok() {
		return s
	}
	if len(r.Rows) == 0 {
		s.Empty = q.nothing("failed calls")
		return s
	}
	rows := slices.SortedFunc(slices.Values(r.Rows), func(x, y ask.Loops) int {
		return cmp.Or(cmp.Compare(y.Errored, x.Errored), cmp.Compare(x.By[by], y.By[by]))
	})
	var mid *float64
	if total.ok() && len(total.Rows) == 1 {
		mid = total.Rows[0].LoopRate
	}
	shown := rows[:min(len(rows), mostGroups)]
	var ends []*float64
	for _, row := range shown {
		ends = append(ends, row.LoopRate, row.LoopRateHigh)
	}
	top := ui.Top(append(ends, mid)...)
	t := ui.Table{ID: "table-" + by, Caption: "Loop rate by " + dimensionWords[by] + ", by number of failed calls",
		Columns: []ui.Column{{Label: dimensionHeads[by]}, {Label: "Failed calls", Numeric: true}, {Label: "Repeats", Numeric: true},
			{Label: "Loop rate", Numeric: true, Title: define("loop_rate")}, {Label: "Interval"}, {Label: "Runs", Numeric: true}}}
	for _, row := range shown {
		t.Rows = append(t.Rows, q.loopRow(row, by, mid, top))
	}
	if len(rows) > len(shown) {
		t.Note = "The " + ui.Count(int64(len(shown))) + " with most failed calls of " + ui.Count(int64(len(rows))) + "; the data hold all."
	}
	s.Tables = []ui.Table{t}
	return s
}

func (q *request) loopRow(row ask.Loops, by string, mid *float64, top float64) ui.Row {
	name := row.By[by]
	return ui.Row{Cells: []ui.Cell{
		q.groupCell(by, name), {Text: ui.Count(row.Errored)}, q.runsCell(ui.Count(row.Repeat), by, name, "label", "repeat"),
		{Text: ui.Percent(row.LoopRate), Sub: ui.Of(row.MatureRepeats, row.Mature)},
		{Range: ui.NewRange(row.LoopRate, row.LoopRateLow, row.LoopRateHigh, mid, top), Sub: ui.Range(row.LoopRateLow, row.LoopRateHigh)},
		q.runsCell(ui.Count(row.RunsWithError), by, name, "sort", "-errored"),
	}}
}

// dimensionWords name what rows are grouped by, dimensionHeads at the head of a column.
var (
	dimensionWords = map[string]string{"tool": "tool", "code": "error code", "variant": "payload variant", "model": "model", "agent": "agent"}
	dimensionHeads = map[string]string{"tool": "Tool", "code": "Code", "variant": "Variant", "model": "Model", "agent": "Agent"}
)

func (q *request) otherLoops(a *asking, r *reply[ask.Loops]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "other", Title: "What else goes round in circles?", Links: q.data("loops"),
		Definition: "Figures of their own, never part of the loop rate."})
	if !r.ok() || len(r.Rows) == 0 {
		return s
	}
	l := r.Rows[0]
	s.Figures = []ui.Figure{
		q.pattern("Idle repeats", ui.CountOf(l.IdleRepeats), "idle_repeats", "idle_repeat"),
		q.pattern("Stuck streaks", ui.Count(l.StuckStreaks), "stuck_streaks", "stuck_streak"),
		q.pattern("Cycles", ui.Count(l.Cycles), "cycles", "cycle"),
		q.outcome("Refused calls", l.Refused, "refused", "A person said no. Neither ok nor an error."),
		q.outcome("Cancelled calls", l.Cancelled, "cancelled", "They never ran: interrupted, or taken down with a failing sibling."),
		q.outcome("Pending calls", l.Pending, "pending", "No result was seen."),
	}
	return s
}

// pattern is a stretch of calls that goes round in circles, with the runs that have one.
func (q *request) pattern(label, count, definition, name string) ui.Figure {
	return ui.Figure{Label: label, Value: count, Definition: define(definition), Href: q.runs("pattern", name), HrefLabel: "the runs"}
}

// outcome is how many calls ended so, with their runs.
func (q *request) outcome(label string, count *int64, name, definition string) ui.Figure {
	return ui.Figure{Label: label, Value: ui.CountOf(count), Definition: definition, Href: q.runs("outcome", name), HrefLabel: "the runs"}
}
