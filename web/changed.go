package web

import (
	"cmp"
	"math"
	"slices"

	"errata/metrics/ask"
	"errata/web/ui"
	"errata/web/view"
)

// codeChange is how often a code came, and how often it would have come at the rate of the time before.
type codeChange struct {
	code          string
	now, then     int64
	expected      float64
	tokens, spent int64
}

// more is how many errors there were beyond those expected.
func (c codeChange) more() float64 { return float64(c.now) - c.expected }

// whatChanged holds the errors of each code against those of the time before. Codes come by number of errors too many or too
// few, not by ratio: a code that went from one error to three has not changed most.
func (q *request) whatChanged(a *asking, got overviewAnswers) view.Section {
	s := q.sectioned(a, cmp.Or(got.codes.err, got.codesBefore.err, got.loops.err, got.loopsBefore.err), ui.Panel{ID: "changed", Title: "What changed?", Links: q.data("cost", "by", "code"),
		Definition: "Errors of this window beside those of the window before, which is as long. More or fewer is counted against what the same number of calls would have brought then. A change has reasons of its own: what was asked, by whom, of which model; and where errors are few, chance."})
	if s.Trouble != nil {
		return s
	}
	calls, then := callsOf(got.loops.Rows), callsOf(got.loopsBefore.Rows)
	if calls == 0 || then == 0 {
		s.Empty = q.noBefore()
		return s
	}
	changes := changesOf(got.codes.Rows, got.codesBefore.Rows, float64(calls)/float64(then))
	t := ui.Table{ID: "changed-table", Caption: "Codes by how far their number is from that of the window before", Columns: []ui.Column{
		{Label: "Code"}, {Label: "Errors", Numeric: true}, {Label: "Per 1,000 calls", Numeric: true},
		{Label: "More or fewer", Numeric: true, Title: "than at the rate of the window before"}, {Label: "Tokens", Numeric: true, Title: define("recovery_tokens")},
	}}
	for _, c := range changes[:min(len(changes), topCodes)] {
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
			q.codeCell(c.code), q.errorsThen(c),
			{Text: perThousand(c.now, calls), Sub: "before " + perThousand(c.then, then)}, {Text: moreText(c.more()), Sub: moreWord(c)},
			{Text: ui.Short(float64(c.tokens)), Sub: "before " + ui.Short(float64(c.spent))},
		}})
	}
	if len(changes) == 0 {
		s.Empty = q.nothing("errors in either window")
		return s
	}
	s.Tables = []ui.Table{t}
	return s
}

// errorsThen is how many errors of a code there were, now and before.
func (q *request) errorsThen(c codeChange) ui.Cell {
	cell := ui.Cell{Text: ui.Count(c.now), Sub: "before " + ui.Count(c.then)}
	if c.now > 0 {
		cell.Href, cell.Title = q.runs("code", c.code), "the runs behind this number"
	}
	return cell
}

// noBefore says that there is nothing to compare with, and where there may be.
func (q *request) noBefore() *ui.Empty {
	return &ui.Empty{Message: "Nothing is known of the time before this window, so there is nothing to hold it against.",
		Links: []ui.Link{{Label: "Look at the newest 7 days", Href: q.same("from", "", "to", "", "all", "", "last", "7d")}}}
}

func callsOf(rows []ask.Loops) int64 {
	if len(rows) != 1 || rows[0].Calls == nil {
		return 0
	}
	return *rows[0].Calls
}

// changesOf joins the codes of both windows; scale is how many calls there are to one of the time before.
func changesOf(now, then []ask.Cost, scale float64) []codeChange {
	byCode := map[string]codeChange{}
	for _, r := range now {
		byCode[r.By[ask.ByCode]] = codeChange{code: r.By[ask.ByCode], now: r.Errors, tokens: r.Tokens}
	}
	for _, r := range then {
		c := byCode[r.By[ask.ByCode]]
		c.code, c.then, c.spent, c.expected = r.By[ask.ByCode], r.Errors, r.Tokens, float64(r.Errors)*scale
		byCode[c.code] = c
	}
	var all []codeChange
	for _, c := range byCode {
		all = append(all, c)
	}
	slices.SortFunc(all, func(x, y codeChange) int {
		return cmp.Or(cmp.Compare(math.Abs(y.more()), math.Abs(x.more())), cmp.Compare(x.code, y.code))
	})
	return all
}

func perThousand(errors, calls int64) string {
	return ui.Signless(1000*float64(errors)/float64(calls), 1)
}

func moreText(more float64) string {
	if math.Abs(more) < 0.5 {
		return "0"
	}
	n := int64(math.Round(more))
	if n > 0 {
		return "+" + ui.Count(n)
	}
	return ui.Count(n)
}

func moreWord(c codeChange) string {
	switch {
	case c.then == 0:
		return "new"
	case c.now == 0:
		return "gone"
	case math.Abs(c.more()) < 0.5:
		return "as before"
	case c.more() > 0:
		return "more"
	}
	return "fewer"
}

// whatIsNew lists the codes, tools, models, variants and agents that were not there in the time before.
func (q *request) whatIsNew(a *asking, got overviewAnswers) view.Section {
	s := q.sectioned(a, cmp.Or(got.values.err, got.valuesBefore.err, got.codes.err), ui.Panel{ID: "new", Title: "What is new?",
		Definition: "Seen in a run of this window and in none of the window before, whatever else is filtered."})
	if s.Trouble != nil {
		return s
	}
	if len(got.values.Rows) != 1 || len(got.valuesBefore.Rows) != 1 {
		s.Empty = q.noBefore()
		return s
	}
	t := ui.Table{ID: "new-table", Caption: "Seen for the first time since the window before", Columns: []ui.Column{{Label: "What"}, {Label: "Kind"}, {Label: "Look at"}}}
	errors := map[string]int64{}
	for _, r := range got.codes.Rows {
		errors[r.By[ask.ByCode]] = r.Errors
	}
	for _, kind := range kindsOfValues(got.values.Rows[0], got.valuesBefore.Rows[0]) {
		for _, v := range kind.fresh {
			row := ui.Row{Cells: []ui.Cell{q.groupCell(kind.by, v), {Text: dimensionWords[kind.by]}, q.runsCell("its runs", kind.by, v)}}
			if kind.by == ask.ByCode {
				row.Cells[0], row.Cells[2].Text = q.codeCell(v), ui.Plural(errors[v], "error", "errors")
			}
			t.Rows = append(t.Rows, row)
		}
	}
	if len(t.Rows) == 0 {
		s.Empty = &ui.Empty{Message: "No code, tool, model, payload variant or agent is new."}
		return s
	}
	const most = 15
	if len(t.Rows) > most {
		t.Note = "The first " + ui.Count(most) + " of " + ui.Count(int64(len(t.Rows))) + "."
		t.Rows = t.Rows[:most]
	}
	s.Tables = []ui.Table{t}
	return s
}

// kindOfValues are the values of one dimension that are new.
type kindOfValues struct {
	by    string
	fresh []string
}

func kindsOfValues(now, then ask.Values) []kindOfValues {
	kinds := []struct {
		by        string
		now, then []string
	}{{ask.ByVariant, now.Variant, then.Variant}, {ask.ByModel, now.Model, then.Model}, {ask.ByAgent, now.Agent, then.Agent},
		{ask.ByTool, now.Tool, then.Tool}, {ask.ByCode, now.Code, then.Code}}
	var all []kindOfValues
	for _, k := range kinds {
		fresh := slices.DeleteFunc(slices.Clone(k.now), func(v string) bool { return v == "" || slices.Contains(k.then, v) })
		all = append(all, kindOfValues{k.by, fresh})
	}
	return all
}
