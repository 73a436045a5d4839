package web

import (
	"errata/metrics/ask"
	"errata/web/ui"
	"errata/web/view"
)

// agreementPart holds the two judgements of the same results against each other.
func (q *request) agreementPart(a *asking, r *reply[ask.ShadowAgreement]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "agreement", Title: "Do both call the same results an error?", Links: q.data("shadow_agreement"),
		Definition: "The same results, judged twice: what counts is where the two differ. Intervals are over runs, since results of one run are alike."})
	if !r.ok() {
		return s
	}
	if len(r.Rows) != 1 || r.Rows[0].Results == 0 {
		s.Empty = q.nothing("shadow records")
		return s
	}
	row := r.Rows[0]
	basis := ui.Plural(row.Results, "result", "results") + " in " + ui.Plural(row.Runs, "run", "runs")
	weak := row.Runs < leastRuns
	s.Figures = []ui.Figure{
		{Label: "They agree", Value: ui.Percent(row.Agreement), Interval: ui.Range(row.AgreementLow, row.AgreementHigh), Basis: ui.Count(row.BothErrors+row.Neither) + " of " + basis,
			Definition: define("agreement"), Weak: weak},
		{Label: "Errors more or fewer", Value: ui.Points(row.ErrorDifference), Interval: pointsRange(row.ErrorDifferenceLow, row.ErrorDifferenceHigh), Basis: basis,
			Definition: define("error_difference"), Weak: weak},
		{Label: "McNemar's test", Value: pValue(row.McNemarP), Interval: mcNemarText(row.McNemar), Basis: ui.Plural(row.Newly+row.NoLonger, "result differs", "results differ"),
			Definition: "Whether one direction of disagreement is likelier than the other. It says nothing where nothing differs.", Weak: weak},
	}
	s.Tables = []ui.Table{agreementTable(row)}
	return s
}

// pValue is a probability with its letter.
func pValue(p *float64) string {
	if p == nil {
		return ui.Unknown
	}
	text := probability(p)
	if text[0] == '<' {
		return "p " + text
	}
	return "p = " + text
}

func mcNemarText(statistic *float64) string {
	if statistic == nil {
		return "no result differs"
	}
	return "χ² " + ui.Signless(*statistic, 2)
}

// pointsRange is the interval of a difference of shares.
func pointsRange(low, high *float64) string {
	if low == nil || high == nil {
		return ""
	}
	return "95 % CI " + ui.Signed(100**low, 1) + " to " + ui.Signed(100**high, 1) + " pp"
}

// agreementTable is both judgements crossed. What differs is what a switch would change.
func agreementTable(r ask.ShadowAgreement) ui.Table {
	t := ui.Table{ID: "agreement-table", Compact: true, Caption: "Results by what both payloads say", Columns: []ui.Column{
		{Label: "The model saw"}, {Label: "New: an error", Numeric: true}, {Label: "New: no error", Numeric: true}}}
	cell := func(n int64, word string) ui.Cell {
		return ui.Cell{Text: ui.Count(n), Sub: ui.Percent(ratio(float64(n), float64(r.Results))) + ", " + word}
	}
	t.Rows = []ui.Row{
		{Cells: []ui.Cell{{Text: "an error"}, cell(r.BothErrors, "as before"), cell(r.NoLonger, "no longer an error")}},
		{Cells: []ui.Cell{{Text: "no error"}, cell(r.Newly, "newly an error"), cell(r.Neither, "as before")}},
	}
	return t
}
