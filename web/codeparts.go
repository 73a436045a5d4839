package web

import (
	"cmp"
	"math"
	"slices"

	"errata/metrics/ask"
	"errata/metrics/stats"
	"errata/web/ui"
	"errata/web/view"
)

// nextActions says what agents did after the code, and whether they did what it asked for.
func (q *request) nextActions(a *asking, r *reply[ask.NextActions]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "next", Title: "What do agents do next?", Links: q.data("next_actions"),
		Definition: "Counts hold all that is known; shares and their 95 % intervals rest on the errors that are old enough."})
	if !r.ok() || len(r.Rows) == 0 {
		return s
	}
	n := r.Rows[0]
	if n.Labelled == 0 {
		s.Empty = q.nothing("errors of this code whose next step is known")
		return s
	}
	shares := []struct {
		name             string
		count            int64
		share, low, high *float64
	}{
		{"repeat", n.Repeat, n.RepeatShare, n.RepeatLow, n.RepeatHigh}, {"corrected", n.Corrected, n.CorrectedShare, n.CorrectedLow, n.CorrectedHigh},
		{"switched", n.Switched, n.SwitchedShare, n.SwitchedLow, n.SwitchedHigh}, {"replied", n.Replied, n.RepliedShare, n.RepliedLow, n.RepliedHigh},
		{"user", n.User, n.UserShare, n.UserLow, n.UserHigh}, {"ended", n.Ended, n.EndedShare, n.EndedLow, n.EndedHigh},
	}
	t := ui.Table{ID: "next-table", Caption: "Next actions of " + ui.Plural(n.Labelled, "error", "errors") + ", " + ui.Count(n.Mature) + " of them mature",
		Columns: []ui.Column{{Label: "Next action"}, {Label: "Errors", Numeric: true}, {Label: "Share", Numeric: true}, {Label: "Interval"}}}
	for i, label := range labels {
		for _, of := range shares {
			if of.name == label.name {
				t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
					{Text: labels[i].label, Sub: label.meaning}, q.runsCell(ui.Count(of.count), "label", of.name), {Text: ui.Percent(of.share)},
					{Range: ui.NewRange(of.share, of.low, of.high, nil, 1), Sub: ui.Range(of.low, of.high)},
				}})
			}
		}
	}
	s.Tables = []ui.Table{t}
	s.Figures = q.obedience(n)
	return s
}

// obedience is whether agents did what the error asked for. An error that asks for nothing has none.
func (q *request) obedience(n ask.NextActions) []ui.Figure {
	var figures []ui.Figure
	if n.Obeyed+n.Disobeyed > 0 {
		figures = append(figures, ui.Figure{Label: "Did what it asked for", Value: ui.Percent(n.ObeyedShare), Interval: ui.Range(n.ObeyedLow, n.ObeyedHigh),
			Basis: ui.Of(n.Obeyed, n.Obeyed+n.Disobeyed) + " that asked", Definition: define("obedience"), Weak: n.Obeyed+n.Disobeyed < leastRuns,
			Href: q.runs("obeyed", "false"), HrefLabel: "runs that did otherwise"})
	}
	if n.StopAsked > 0 {
		figures = append(figures, ui.Figure{Label: "Stopped when told not to retry", Value: ui.Percent(n.StopShare), Basis: ui.Of(n.StopDone, n.StopAsked) + " asked to stop",
			Interval: "where nothing was asked: " + ui.Percent(n.StopBase), Definition: define("obedience")})
	}
	if n.RetryAsked > 0 {
		figures = append(figures, ui.Figure{Label: "Retried when told to", Value: ui.Percent(n.RetryShare), Basis: ui.Of(n.RetryDone, n.RetryAsked) + " asked to retry",
			Interval: "where nothing was asked: " + ui.Percent(n.RetryBase), Definition: define("obedience")})
	}
	if n.Honoured+n.NotHonoured > 0 {
		figures = append(figures, ui.Figure{Label: "Waited as long as asked", Value: ui.Percent(n.HonouredShare), Basis: ui.Of(n.Honoured, n.Honoured+n.NotHonoured) + " with a pause",
			Definition: define("honoured"), Href: q.runs("honoured", "false"), HrefLabel: "runs that came too soon"})
	}
	return figures
}

// inventory lists the shapes and messages that the code comes in.
func (q *request) inventory(a *asking, r *reply[ask.ErrorKind]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "kinds", Title: "In which shapes does it come?", Links: q.data("errors"),
		Definition: "A template is a message with what changes from case to case taken out; the shape is how the payload is built."})
	if !r.ok() {
		return s
	}
	if len(r.Rows) == 0 {
		s.Empty = q.nothing("errors of this code")
		return s
	}
	shown := r.Rows[:min(len(r.Rows), mostGroups)]
	t := ui.Table{ID: "kind-table", Caption: ui.Plural(int64(len(r.Rows)), "kind", "kinds") + ", by number of errors", Columns: []ui.Column{
		{Label: "Template of the message"}, {Label: "Tool"}, {Label: "Shape"}, {Label: "Errors", Numeric: true}, {Label: "Runs", Numeric: true},
		{Label: "First seen (UTC)"}, {Label: "Last seen (UTC)"}, {Label: "Judged an error by"}, {Label: "Newest run"},
	}}
	for _, k := range shown {
		code := ui.Cell{Text: orElse(short(k.Template), "(no message)"), Mono: true}
		if k.Registered != nil {
			code.Sub = "registered as " + short(*k.Registered)
		}
		rules := ui.Cell{}
		for i, rule := range k.Rules {
			if i > 0 {
				rules.Text += ", "
			}
			rules.Text += ui.Visible(rule)
		}
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
			code, {Text: ui.Visible(k.Tool), Mono: true}, {Text: ui.Visible(k.Schema), Mono: true}, {Text: ui.Count(k.Count)},
			q.runsCell(ui.Count(k.Runs), "tool", k.Tool), {Text: ui.Minute(k.FirstSeen), Keep: true}, {Text: ui.Minute(k.LastSeen), Keep: true}, rules,
			{Text: ui.Visible(k.ExampleRun), Href: q.runAddress(k.ExampleRun), Mono: true},
		}})
	}
	if len(r.Rows) > len(shown) {
		t.Note = "The " + ui.Count(int64(len(shown))) + " most frequent; the data hold all."
	}
	s.Tables = []ui.Table{t}
	return s
}

// fieldVerdicts say in words what a field of an error does.
var fieldVerdicts = map[stats.FieldVerdict]string{
	stats.FieldChanges: "goes with other next actions", stats.FieldChangesNone: "changes nothing", stats.FieldNotShown: "no difference shown",
	stats.FieldNotComparable: "cannot be compared",
}

// fieldEffects holds errors that carry a field against those that do not.
func (q *request) fieldEffects(a *asking, r *reply[ask.FieldEffect]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "effects", Title: "What does each field of the payload do?", Definition: define("field_effect"), Links: q.data("field_effects")})
	if !r.ok() {
		return s
	}
	if len(r.Rows) == 0 {
		s.Empty = &ui.Empty{Message: "All errors of this code carry the same fields, so that there is nothing to compare. Send some of them without a field, drawn at random, to learn what it does."}
		return s
	}
	t := ui.Table{ID: "effect-table", Caption: "First errors of a run, with and without a field", Columns: []ui.Column{
		{Label: "Field"}, {Label: "Runs with", Numeric: true}, {Label: "Runs without", Numeric: true}, {Label: "Most changed", Title: "the next action whose share differs most"},
		{Label: "With", Numeric: true}, {Label: "Without", Numeric: true}, {Label: "p", Numeric: true}, {Label: "Verdict"},
	}}
	for _, e := range r.Rows {
		label := mostChanged(e)
		with, without := share(e.SharesWith, label.name), share(e.SharesWithout, label.name)
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
			{Text: e.Field, Mono: true}, {Text: ui.Count(e.WithN)}, {Text: ui.Count(e.WithoutN)}, {Text: label.label},
			oneARun(with, e.WithN), oneARun(without, e.WithoutN), {Text: probability(e.P)}, {Text: fieldVerdicts[e.Verdict], Sub: association(e)},
		}})
	}
	s.Tables = []ui.Table{t}
	return s
}

// oneARun is a share of runs, of each of which there is one error: the plain interval is right.
func oneARun(share *float64, runs int64) ui.Cell {
	c := ui.Cell{Text: ui.Percent(share)}
	if share != nil && runs > 1 {
		of := stats.Wilson(*share*float64(runs), float64(runs))
		c.Sub = ui.Ends(of.Low, of.High)
	}
	return c
}

func association(e ask.FieldEffect) string {
	if e.Association {
		return "an association, no cause"
	}
	return ""
}

// mostChanged is the next action whose share differs most with the field.
func mostChanged(e ask.FieldEffect) (most struct{ name, label, meaning string }) {
	apart := -1.0
	for _, l := range labels {
		if d := math.Abs(e.SharesWith[l.name] - e.SharesWithout[l.name]); d > apart {
			most, apart = l, d
		}
	}
	return most
}

func share(shares map[string]float64, name string) *float64 {
	v, ok := shares[name]
	if !ok {
		return nil
	}
	return &v
}

// findings lists where the code's payloads break their contract.
func (q *request) findings(a *asking, r *reply[ask.Finding]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "findings", Title: "Where does the payload break its contract?", Links: q.data("findings"),
		Definition: "An error should say a code, a message, whether to retry, and which field it is about. Each line is something that payloads of this code lack or get wrong."})
	if !r.ok() {
		return s
	}
	if len(r.Rows) == 0 {
		s.Empty = &ui.Empty{Message: "No payload of this code breaks its contract."}
		return s
	}
	t := ui.Table{ID: "finding-table", Caption: ui.Plural(int64(len(r.Rows)), "finding", "findings"), Columns: []ui.Column{
		{Label: "Finding"}, {Label: "Errors", Numeric: true}, {Label: "Runs", Numeric: true}, {Label: "Newest run"},
	}}
	rows := slices.SortedFunc(slices.Values(r.Rows), func(x, y ask.Finding) int {
		return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Finding, y.Finding))
	})
	for _, f := range rows {
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
			{Text: findingWords(f.Finding), Sub: f.Finding}, {Text: ui.Count(f.Count)}, q.runsCell(ui.Count(f.Runs), "finding", f.Finding),
			{Text: ui.Visible(f.ExampleRun), Href: q.runAddress(f.ExampleRun), Mono: true},
		}})
	}
	s.Tables = []ui.Table{t}
	return s
}
