package web

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web/ui"
	"errata/web/view"
)

// findingsInWords say what a payload lacks or gets wrong.
var findingsInWords = map[string]string{
	"not_json": "It is no JSON", "fenced_json": "Its JSON stands in a code fence", "no_code": "It has no code",
	"code_not_registered": "Its code is not in the registry", "code_case_variant": "Its code is written in another case than registered",
	"retryable_missing": "It does not say whether to retry", "retryable_not_boolean": "Whether to retry is no true or false",
	"field_key_missing": "It does not name the field at fault", "next_action_unknown": "It asks for an action that is not known",
	"message_missing": "It has no message", "message_too_long": "Its message is over 400 characters long",
	"leaks_internals": "It leaks a stack trace, a class or a path", "flag_disagrees": "Its flag and its body disagree about being an error",
	"body_over_budget": "Its body is over 300 tokens long", "retryable_contradiction": "It invites a retry that cannot help",
	"echoes_unquoted": "It repeats the received value without quotes", "promises_more": "It promises more than it gives",
}

func findingWords(finding string) string {
	return orElse(findingsInWords[finding], strings.ReplaceAll(ui.Visible(finding), "_", " "))
}

// places are the dimensions that say where an error happens.
var places = []string{ask.ByTool, ask.ByModel, ask.ByVariant, ask.ByAgent}

// placed is how many errors of a code, and of all codes, happen in one place.
type placed struct {
	by, name  string
	here, all int64
}

// whereItHappens holds where the code's errors happen against where all errors do.
func (q *request) whereItHappens(a *asking, got codeAnswers) view.Section {
	s := q.sectioned(a, got.where.err, ui.Panel{ID: "where", Title: "Where does it happen?", Links: q.data("loops", "by", "tool,model,variant,agent"),
		Definition: "The share of this code's errors in each place, beside the share of all errors in the same window. What differs most comes first: a code that sits in one model or one variant is not the tool's alone."})
	if !got.where.ok() {
		return s
	}
	ofCode := slices.DeleteFunc(slices.Clone(got.where.Rows), func(l ask.Loops) bool { return l.By[ask.ByCode] != q.filters.Code[0] })
	here, errors := countPlaces(ofCode)
	all, background := countPlaces(got.where.Rows)
	if errors == 0 || background == 0 {
		s.Empty = q.nothing("errors of this code")
		return s
	}
	var rows []placed
	for at, n := range here {
		rows = append(rows, placed{at[0], at[1], n, all[at]})
	}
	apart := func(p placed) float64 {
		return float64(p.here)/float64(errors) - float64(p.all)/float64(background)
	}
	slices.SortFunc(rows, func(x, y placed) int {
		return cmp.Or(cmp.Compare(math.Abs(apart(y)), math.Abs(apart(x))), cmp.Compare(x.by, y.by), cmp.Compare(x.name, y.name))
	})
	t := ui.Table{ID: "where-table", Caption: ui.Plural(errors, "error", "errors") + " of this code against " + ui.Count(background) + " of all codes", Columns: []ui.Column{
		{Label: "Place"}, {Label: "Errors", Numeric: true}, {Label: "Share of this code"}, {Label: "Share of all errors"}, {Label: "Apart", Numeric: true},
	}}
	const most = 12
	for _, p := range rows[:min(most, len(rows))] {
		d := apart(p)
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
			{Text: groupName(p.name), Mono: true, Sub: dimensionWords[p.by], Href: q.placeAddress(p), Title: "only this " + p.by},
			q.runsCell(ui.Count(p.here), p.by, p.name),
			{Text: ui.Percent(ratio(float64(p.here), float64(errors))), Share: ui.NewBar(float64(p.here), float64(errors))},
			{Text: ui.Percent(ratio(float64(p.all), float64(background))), Share: ui.NewBar(float64(p.all), float64(background))},
			{Text: ui.Points(&d)},
		}})
	}
	s.Tables = []ui.Table{t}
	return s
}

func (q *request) placeAddress(p placed) string {
	if p.name == "" {
		return ""
	}
	return q.same(p.by, p.name)
}

// countPlaces counts errors by place; rows come by all places at once.
func countPlaces(rows []ask.Loops) (counts map[[2]string]int64, errors int64) {
	counts = map[[2]string]int64{}
	for _, row := range rows {
		errors += row.Errored
		for _, by := range places {
			counts[[2]string{by, row.By[by]}] += row.Errored
		}
	}
	return counts, errors
}

// coupling lists the other tools that recovery from the code leans on.
func (q *request) coupling(a *asking, r *reply[ask.Coupling]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "coupling", Title: "Which other tools does recovery lean on?", Definition: define("coupling"), Links: q.data("coupling")})
	if !r.ok() {
		return s
	}
	if len(r.Rows) == 0 {
		s.Empty = &ui.Empty{Message: "No mature episode of this code that recovered called another tool with success."}
		return s
	}
	t := ui.Table{ID: "coupling-table", Caption: "Helpers of recovery", Columns: []ui.Column{
		{Label: "Helper"}, {Label: "For the tool"}, {Label: "Episodes", Numeric: true}, {Label: "Share", Numeric: true}, {Label: "Interval"},
		{Label: "Calls", Numeric: true}, {Label: "Tokens of results", Numeric: true}, {Label: "Gave the value", Numeric: true, Title: "episodes in which the accepted value stood in the helper's result"},
		{Label: "Named by the error", Numeric: true, Title: "episodes in which the error itself named the helper"},
	}}
	for _, c := range r.Rows {
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
			{Text: ui.Visible(c.Helper), Mono: true}, {Text: ui.Visible(c.Tool), Mono: true}, {Text: ui.Of(c.Episodes, c.Recovered)},
			q.runsCell(ui.Percent(c.Share), "tool", c.Tool, "helper", c.Helper),
			{Range: ui.NewRange(c.Share, c.ShareLow, c.ShareHigh, nil, 1), Sub: ui.Range(c.ShareLow, c.ShareHigh)},
			{Text: ui.Count(c.Calls)}, {Text: ui.Count(c.Tokens)}, {Text: ui.Count(c.ValueFromHelper)}, {Text: ui.Count(c.NamedByError)},
		}})
	}
	s.Tables = []ui.Table{t}
	return s
}

// waste is what better payloads of the code would have saved.
func (q *request) waste(a *asking, r *reply[ask.Waste]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "waste", Title: "What would a better payload have saved?", Links: q.data("waste")})
	if !r.ok() || len(r.Rows) == 0 {
		return s
	}
	w := r.Rows[0]
	if w.Episodes == 0 && w.Errors == 0 {
		s.Empty = q.nothing("errors of this code")
		return s
	}
	basis := "in " + ui.Plural(w.Episodes, "episode", "episodes")
	s.Figures = []ui.Figure{
		{Label: "Serial faults", Value: ui.Count(w.SerialFaults), Basis: basis, Definition: define("serial_faults"), Href: q.runs("waste", "serial"), HrefLabel: "the runs"},
		{Label: "Changed unnamed", Value: ui.Count(w.CollateralChanged), Basis: "arguments " + basis, Definition: define("collateral_changed"), Href: q.runs("waste", "changed"), HrefLabel: "the runs"},
		{Label: "Of them rejected next", Value: ui.Count(w.CollateralRejected), Basis: "arguments " + basis, Definition: define("collateral_changed"), Href: q.runs("waste", "rejected"), HrefLabel: "the runs"},
		{Label: "Body tokens per error", Value: ui.ShortOf(w.BodyTokensPerError), Basis: ui.Plural(w.Errors, "error", "errors"), Definition: define("body_tokens_per_error")},
		{Label: "Recovery tokens per error", Value: ui.ShortOf(w.RecoveryTokensPerError), Basis: ui.Plural(w.Errors, "error", "errors"), Definition: define("tokens_per_error")},
	}
	return s
}

// codeAliases lists the wrong names that this code rejected, with what was decided about them.
func (q *request) codeAliases(a *asking, r *reply[ask.Alias]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "aliases", Title: "Which wrong names does it reject?", Definition: define("agreement_low"),
		Links: append([]ui.Link{{Label: "Review them", Href: q.link("/aliases")}}, q.data("aliases")...)})
	if !r.ok() {
		return s
	}
	if len(r.Rows) == 0 {
		s.Empty = &ui.Empty{Message: "No wrong name was put right after this code in enough runs to be a candidate."}
		return s
	}
	t := ui.Table{ID: "alias-table", Caption: ui.Plural(int64(len(r.Rows)), "candidate", "candidates"), Columns: []ui.Column{
		{Label: "Rejected → accepted"}, {Label: "Where"}, {Label: "Kind"}, {Label: "Runs", Numeric: true}, {Label: "Agreement, at least", Numeric: true}, {Label: "State"}, {Label: "Example"},
	}}
	for _, c := range r.Rows[:min(len(r.Rows), mostGroups)] {
		t.Rows = append(t.Rows, q.aliasRow(c))
	}
	s.Tables = []ui.Table{t}
	return s
}

func (q *request) aliasRow(c ask.Alias) ui.Row {
	words := short(c.Rejected) + " → " + short(c.Accepted)
	if c.Rejected == review.AnyCase {
		words = "upper and lower case do not matter (" + strconv.FormatInt(c.Folded, 10) + " pairs)"
	}
	example := ui.Cell{}
	if len(c.ExampleRuns) > 0 {
		example = ui.Cell{Text: ui.Visible(c.ExampleRuns[0]), Href: q.runAddress(c.ExampleRuns[0]), Mono: true}
	}
	return ui.Row{Cells: []ui.Cell{
		{Text: words, Mono: true, Href: q.link("/aliases", "tool", c.Tool)}, {Text: ui.Visible(c.Tool), Sub: short(c.Field), Mono: true}, {Text: c.Kind},
		{Text: ui.Count(c.Runs)}, {Text: ui.Percent(c.AgreementLow), Sub: ui.Of(c.Agreeing, c.Voters)}, {Text: c.State}, example,
	}}
}
