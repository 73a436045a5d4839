package web

import (
	"errata/metrics/ask"
	"errata/web/ui"
	"errata/web/view"
)

// shadow is the page of payloads that the models did not see.
func (s *Server) shadow(q *request) (page, error) {
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	a := s.begin(q.Context())
	frame := q.frameQuestions(a)
	rows := one(a, "shadow", s.cfg.Questions.Shadow, q.filters)
	agreement := one(a, "shadow_agreement", s.cfg.Questions.ShadowAgreement, q.filters)
	if err := a.wait(); err != nil {
		return page{}, err
	}
	p := page{status: a.status(), frame: q.framed(a, frame)}
	p.frame.Title, p.frame.Question = "Shadow records", "What would the payload have said that the model did not see?"
	p.frame.Filters = q.filterBar(a.settled)
	p.body = view.Shadow(view.ShadowPage{Total: q.shadowTotal(a, rows), Agreement: q.agreementPart(a, agreement), Rows: q.shadowRows(a, rows)})
	return p, nil
}

// shadowSums adds up all rows.
func shadowSums(rows []ask.Shadow) (sum ask.Shadow, uncovered, judged int64) {
	for _, r := range rows {
		sum.Count += r.Count
		sum.ErrorDisagrees += r.ErrorDisagrees
		sum.RetryableDisagrees += r.RetryableDisagrees
		sum.OldBodyTokens += r.OldBodyTokens
		sum.NewBodyTokens += r.NewBodyTokens
		if r.Covered != nil {
			judged += r.Count
			if !*r.Covered {
				uncovered += r.Count
			}
		}
	}
	return sum, uncovered, judged
}

func (q *request) shadowTotal(a *asking, r *reply[ask.Shadow]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "total", Title: "If the payload were switched, what would change?", Links: q.data("shadow"),
		Definition: "A shadow record carries beside the result that the model read the one that it would have read. Agents acted on the old payload: this says how the new one reads, not what it does. What it does, a comparison of payloads says."})
	if !r.ok() {
		return s
	}
	if len(r.Rows) == 0 {
		s.Empty = q.nothing("shadow records")
		return s
	}
	sum, uncovered, judged := shadowSums(r.Rows)
	s.Figures = []ui.Figure{
		{Label: "Shadowed results", Value: ui.Count(sum.Count), Basis: ui.Plural(int64(len(r.Rows)), "pair of old and new", "pairs of old and new"), Definition: define("shadow_count")},
		{Label: "Disagree: an error", Value: ui.Count(sum.ErrorDisagrees), Basis: ui.Percent(ratio(float64(sum.ErrorDisagrees), float64(sum.Count))) + " of them", Definition: define("error_disagrees")},
		{Label: "Disagree: a retry", Value: ui.Count(sum.RetryableDisagrees), Basis: ui.Percent(ratio(float64(sum.RetryableDisagrees), float64(sum.Count))) + " of them", Definition: define("retryable_disagrees")},
		{Label: "Tokens of a body, old", Value: ui.ShortOf(ratio(float64(sum.OldBodyTokens), float64(sum.Count))), Basis: ui.Count(sum.OldBodyTokens) + " in all", Definition: define("body_tokens")},
		{Label: "Tokens of a body, new", Value: ui.ShortOf(ratio(float64(sum.NewBodyTokens), float64(sum.Count))), Basis: ui.Count(sum.NewBodyTokens) + " in all", Definition: define("body_tokens")},
		{Label: "Not in the registry", Value: ui.Unknown, Basis: "no registry is given; see the flag -codes", Definition: "Shadowed errors whose code is not in the closed set of codes."},
	}
	if judged > 0 {
		s.Figures[5].Value, s.Figures[5].Basis = ui.Count(uncovered), "of "+ui.Count(judged)+" with a code"
	}
	return s
}

// shadowRows are old templates beside new codes.
func (q *request) shadowRows(a *asking, r *reply[ask.Shadow]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "pairs", Title: "Which old error becomes which new code?", Links: q.data("shadow")})
	if !r.ok() {
		return s
	}
	if len(r.Rows) == 0 {
		s.Empty = &ui.Empty{Message: "Records may carry shadowed payloads: the field shadow names the call, the variant and the payload. Send some to see here what they would have said."}
		return s
	}
	t := ui.Table{ID: "shadow-table", Caption: "Old results and the payloads in their place, by number", Columns: []ui.Column{
		{Label: "Old error"}, {Label: "New code"}, {Label: "Results", Numeric: true}, {Label: "Runs", Numeric: true}, {Label: "Disagree: error", Numeric: true, Title: define("error_disagrees")},
		{Label: "Disagree: retry", Numeric: true, Title: define("retryable_disagrees")}, {Label: "Old tokens", Numeric: true, Title: "of a body"}, {Label: "New tokens", Numeric: true, Title: "of a body"}, {Label: "Newest run"},
	}}
	shown := r.Rows[:min(len(r.Rows), mostShadows)]
	for _, row := range shown {
		t.Rows = append(t.Rows, q.shadowRow(row))
	}
	if len(r.Rows) > len(shown) {
		t.Note = "The " + ui.Count(int64(len(shown))) + " most frequent of " + ui.Count(int64(len(r.Rows))) + "; the data hold all."
	}
	s.Tables = []ui.Table{t}
	return s
}

// mostShadows is how many pairs the page shows.
const mostShadows = 200

func (q *request) shadowRow(r ask.Shadow) ui.Row {
	old := ui.Cell{Text: "(no error)"}
	if r.OldCode != "" || r.OldTemplate != "" {
		old = ui.Cell{Text: orElse(short(r.OldTemplate), groupName(r.OldCode)), Mono: true, Sub: ui.Visible(r.OldCode), Href: q.codeAddress(r.OldCode)}
	}
	if r.OldCode == "" {
		old.Href = ""
	}
	about := ui.Visible(r.Shadow)
	if r.Covered != nil && !*r.Covered {
		about += ", not in the registry"
	}
	each := func(tokens int64) string { return ui.ShortOf(ratio(float64(tokens), float64(r.Count))) }
	return ui.Row{Cells: []ui.Cell{
		old, {Text: orElse(ui.Visible(r.NewCode), "(no error)"), Sub: about, Mono: true}, {Text: ui.Count(r.Count)}, {Text: ui.Count(r.Runs)},
		{Text: ui.Count(r.ErrorDisagrees)}, {Text: ui.Count(r.RetryableDisagrees)}, {Text: each(r.OldBodyTokens)}, {Text: each(r.NewBodyTokens)},
		{Text: ui.Visible(r.ExampleRun), Href: q.runAddress(r.ExampleRun), Mono: true},
	}}
}
