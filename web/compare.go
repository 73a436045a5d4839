package web

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web/ui"
	"errata/web/view"
)

// compareAnswers is what the page of a comparison asks.
type compareAnswers struct {
	comparison *reply[ask.Comparison]
	days       *reply[ask.Loops] // by day, and by variant where variants are compared
	variants   *reply[ask.Loops]
	cutovers   *reply[review.Cutover]
}

// compareParameters are those of a comparison beside the common filters.
var compareParameters = []string{"a", "b", "cutover", "split", "margin", "target"}

// compare is the page of two payload variants, or of before and after a moment.
func (s *Server) compare(q *request) (page, error) {
	f := ask.CompareFilters{
		Filters: q.filters, A: q.params.Text("a"), B: q.params.Text("b"), Cutover: q.params.Time("cutover"),
		Split: q.params.Fraction("split"), Margin: q.params.Fraction("margin"), Target: float64(q.params.Number("target")),
	}
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	chosen := f.A != "" || f.B != "" || !f.Cutover.IsZero()
	a := s.begin(q.Context())
	frame := q.frameQuestions(a)
	got := q.askOfComparison(a, f, chosen)
	if err := a.wait(); err != nil {
		return page{}, err
	}
	if to := q.firstChoice(got); !chosen && to != "" {
		return page{to: to}, nil
	}
	p := page{status: a.status(), frame: q.framed(a, frame)}
	p.frame.Title, p.frame.Question = "Comparison", "Is one error payload better than another?"
	p.frame.Filters = q.compareFilterBar(a.settled)
	p.body = view.Compare(q.comparePage(a, got, f))
	return p, nil
}

func (q *request) askOfComparison(a *asking, f ask.CompareFilters, chosen bool) compareAnswers {
	questions := q.s.cfg.Questions
	everybody := q.by(ask.ByDay, ask.ByVariant)
	everybody.Variant = nil
	got := compareAnswers{variants: one(a, "loops", questions.Loops, everybody), cutovers: put(a, "cutovers", q.s.cutovers)}
	if !chosen {
		return got
	}
	got.comparison = put(a, "compare", func(ctx context.Context) (ask.Answer[ask.Comparison], error) {
		c, err := questions.Compare(ctx, f)
		return ask.Answer[ask.Comparison]{Filters: c.Filters, AsOf: c.AsOf, Rows: []ask.Comparison{c}, Query: c.Query}, err
	})
	days := q.by(q.grain().by)
	if f.Cutover.IsZero() {
		days = q.by(q.grain().by, ask.ByVariant)
		days.Variant = []string{f.A, f.B}
	}
	got.days = one(a, "loops", questions.Loops, days)
	return got
}

// firstChoice is what is compared where nobody has chosen: the two variants with most runs, else the newest cutover. It is
// said in the address, so that the page can be sent to somebody.
func (q *request) firstChoice(got compareAnswers) string {
	names := q.variantNames(got)
	if len(names) >= 2 {
		return q.same("a", names[0], "b", names[1], "variant", "")
	}
	if got.cutovers.ok() && len(got.cutovers.Rows) > 0 {
		return q.same("cutover", got.cutovers.Rows[len(got.cutovers.Rows)-1].At.Format(time.RFC3339Nano))
	}
	return ""
}

// variantNames are the variants that runs saw, those two with most runs first, of which the one that was seen first leads:
// it is the old payload.
func (q *request) variantNames(got compareAnswers) []string {
	if !got.variants.ok() {
		return nil
	}
	runs, since := map[string]int64{}, map[string]string{}
	for _, row := range got.variants.Rows { // in order of time
		name := row.By[ask.ByVariant]
		runs[name] += row.Runs
		since[name] = orElse(since[name], row.By[ask.ByDay])
	}
	delete(runs, "")
	names := slices.SortedFunc(maps.Keys(runs), func(x, y string) int { return cmp.Or(cmp.Compare(runs[y], runs[x]), cmp.Compare(x, y)) })
	if len(names) >= 2 && since[names[1]] < since[names[0]] {
		names[0], names[1] = names[1], names[0]
	}
	return names
}

// compareFilterBar keeps what is compared, and leaves out the variant, which the comparison itself names.
func (q *request) compareFilterBar(settled ask.Filters) *ui.FilterBar {
	b := q.filterBar(settled)
	given := q.URL.Query()
	for _, name := range compareParameters {
		if v := given.Get(name); v != "" {
			b.Hidden = append(b.Hidden, ui.HiddenField{Name: name, Value: v})
		}
	}
	if given.Get("cutover") == "" {
		b.Fields = slices.DeleteFunc(b.Fields, func(f ui.FilterField) bool { return f.Name == "variant" })
	}
	if b.Clear != "" {
		b.Clear = q.same("from", "", "to", "", "all", "", "as_of", "", "tool", "", "code", "", "variant", "", "model", "", "agent", "", "last", "")
	}
	return b
}

func (q *request) comparePage(a *asking, got compareAnswers, f ask.CompareFilters) view.ComparePage {
	p := view.ComparePage{Choice: q.choice(got, f), Moments: q.momentsPart(a, got.cutovers)}
	if got.comparison == nil {
		p.Rows = view.Section{Panel: ui.Panel{ID: "rows", Title: "Nothing to compare yet",
			Empty: &ui.Empty{Message: "Name two payload variants above, or save the moment of a cutover below. Variants are what runs carry in the field variant.",
				Links: []ui.Link{{Label: "See what was ingested", Href: q.s.cfg.Base + "/health"}}}}}
		return p
	}
	p.Rows = q.comparedRows(a, got.comparison, f)
	p.Trust = q.trust(a, got.comparison)
	p.Trend = q.compareTrend(a, got, f)
	p.Shadow = ui.Link{Label: "What would the payload that was not shown have said? Shadow records", Href: q.link("/shadow")}
	if got.comparison.ok() {
		p.Verdict = verdictOf(got.comparison.Rows[0])
	}
	return p
}

// choice is the form that says what is compared.
func (q *request) choice(got compareAnswers, f ask.CompareFilters) view.Choice {
	c := view.Choice{Action: q.URL.Path, A: f.A, B: f.B, Variants: q.variantNames(got), ByMoment: !f.Cutover.IsZero()}
	for name, values := range q.shared() {
		for _, v := range values {
			if name != "variant" {
				c.Keep = append(c.Keep, ui.HiddenField{Name: name, Value: v})
			}
		}
	}
	slices.SortFunc(c.Keep, func(x, y ui.HiddenField) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Value, y.Value))
	})
	given := q.URL.Query()
	c.Split, c.Margin, c.Target = given.Get("split"), given.Get("margin"), given.Get("target")
	c.Swap = q.same("a", f.B, "b", f.A)
	known := false
	for _, m := range got.cutovers.Rows {
		o := ui.Option{Value: m.At.Format(time.RFC3339Nano), Label: ui.Minute(m.At) + " UTC: " + short(m.Name), Selected: m.At.Equal(f.Cutover)}
		known = known || o.Selected
		c.Moments = append(c.Moments, o)
	}
	if c.ByMoment && !known {
		c.Moments = append(c.Moments, ui.Option{Value: f.Cutover.Format(time.RFC3339Nano), Label: ui.Minute(f.Cutover) + " UTC", Selected: true})
	}
	return c
}
