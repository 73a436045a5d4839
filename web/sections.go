package web

import (
	"strconv"

	"errata/metrics/ask"
	"errata/web/ui"
	"errata/web/view"
)

// leastRuns is how many runs a rate needs before a page shows it as a finding.
const leastRuns = 30

// sectioned heads a part of a page. Where its question failed it says so.
func (q *request) sectioned(a *asking, err error, p ui.Panel) view.Section {
	p.Trouble = a.trouble(err, q.URL.RequestURI())
	return view.Section{Panel: p}
}

// nothing says why a panel is empty and what to do about it.
func (q *request) nothing(what string) *ui.Empty {
	e := &ui.Empty{Message: "There are no " + what + " here."}
	if q.narrowed() {
		e.Links = append(e.Links, ui.Link{Label: "Clear all filters", Href: q.URL.Path})
	}
	if !q.filters.All {
		e.Links = append(e.Links, ui.Link{Label: "Look at all time", Href: q.same("from", "", "to", "", "all", "1")})
	}
	e.Links = append(e.Links, ui.Link{Label: "See what was ingested", Href: q.s.cfg.Base + "/health"})
	return e
}

// groupName is the value of a group as it is shown.
func groupName(value string) string {
	if value == "" {
		return "(none)"
	}
	return ui.Visible(value)
}

// groupCell heads a row of a group and leads to the page narrowed to it.
func (q *request) groupCell(by, value string) ui.Cell {
	c := ui.Cell{Text: groupName(value), Mono: true}
	if value != "" {
		c.Href, c.Title = q.same(by, value, "cursor", "", "sort", ""), "only this "+by
	}
	return c
}

// codeCell heads a row of a code and leads to its page.
func (q *request) codeCell(code string) ui.Cell {
	c := ui.Cell{Text: groupName(code), Mono: true}
	if code != "" {
		c.Href, c.Title = q.codeAddress(code), "all that is known of this code"
	}
	return c
}

// codeAddress is the page of one code under the same filters.
func (q *request) codeAddress(code string) string { return q.link("/codes/"+segment(code), "code", "") }

// runsCell is a number that leads to the runs it counts.
func (q *request) runsCell(text string, pairs ...string) ui.Cell {
	return ui.Cell{Text: text, Href: q.runs(pairs...), Title: "the runs behind this number"}
}

// okOrError is how many calls have a result that is ok or an error.
func okOrError(l ask.Loops) *int64 {
	if l.Calls == nil || l.Refused == nil || l.Cancelled == nil || l.Pending == nil {
		return nil
	}
	n := *l.Calls - *l.Refused - *l.Cancelled - *l.Pending
	return &n
}

// errorShare is the share of failed calls among those with a result.
func errorShare(l ask.Loops) *float64 {
	n := okOrError(l)
	if n == nil {
		return nil
	}
	return ratio(float64(l.Errored), float64(*n))
}

// ratio is nil of nothing.
func ratio(part, whole float64) *float64 {
	if whole == 0 {
		return nil
	}
	share := part / whole
	return &share
}

// value is what a pointer points at, 0 for none; only for drawings and sorting.
func value(v *float64) float64 {
	if v == nil {
		return 0
	}
	return *v
}

// probability writes a p-value.
func probability(p *float64) string {
	switch {
	case p == nil:
		return ui.Unknown
	case *p < 0.001:
		return "<0.001"
	}
	return strconv.FormatFloat(*p, 'f', 3, 64)
}
