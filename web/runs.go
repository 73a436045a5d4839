package web

import (
	"context"
	"net/url"
	"strings"

	"errata/metrics/ask"
	"errata/web/ui"
	"errata/web/view"
)

func (s *Server) runs(q *request) (page, error) {
	f := ask.RunFilters{
		Filters: q.filters, Label: q.params.Texts("label"), Ending: q.params.Texts("ending"), AttemptsMin: q.params.Number("attempts_min"),
		Evidence: q.params.Evidence(),
		Sort:     q.params.Text("sort"), Limit: q.params.Number("limit"), Cursor: q.params.Text("cursor"),
	}
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	a := s.begin(q.Context())
	frame := q.frameQuestions(a)
	list := put(a, "runs", func(ctx context.Context) (ask.Answer[ask.RunRow], error) { return s.cfg.Questions.Runs(ctx, f) })
	if err := a.wait(); err != nil {
		return page{}, err
	}
	strips := q.strips(a, list)
	if err := a.wait(); err != nil {
		return page{}, err
	}
	p := page{status: a.status(), frame: q.framed(a, frame)}
	p.frame.Question = "Which runs are behind a number?"
	p.frame.Filters = q.runFilterBar(a.settled, f)
	v := view.RunsPage{List: q.runTable(a, list, strips, orElse(f.Sort, "-started_at"))}
	if list.ok() && len(list.Rows) > 0 {
		v.Pager = q.runPager(list, f)
	}
	p.body = view.Runs(v)
	return p, nil
}

// mostOutcomes is how many calls of a run the list draws.
const mostOutcomes = 40

// strips asks how the calls of the listed runs ended. A list without strips is a list all the same.
func (q *request) strips(a *asking, list *reply[ask.RunRow]) *reply[ask.Strip] {
	if !list.ok() || len(list.Rows) == 0 {
		return &reply[ask.Strip]{}
	}
	var ids []string
	for _, r := range list.Rows {
		ids = append(ids, r.RunID)
	}
	return put(a, "strips", func(ctx context.Context) (ask.Answer[ask.Strip], error) {
		return q.s.cfg.Questions.Strips(ctx, ids, mostOutcomes)
	})
}

func (q *request) runPager(list *reply[ask.RunRow], f ask.RunFilters) ui.Pager {
	p := ui.Pager{Text: ui.Plural(int64(len(list.Rows)), "run", "runs") + " on this page"}
	if f.Cursor != "" {
		p.First = q.same("cursor", "")
	}
	if list.NextCursor != "" {
		p.Next = q.same("cursor", list.NextCursor)
	} else {
		p.Text += ", the last of the list"
	}
	return p
}

// endingWords say how an episode ended.
var endingWords = map[string]string{
	"recovered": "recovered", "recovered_with_user": "recovered with a user's help", "abandoned": "never recovered", "open": "is still open",
}

// runColumn is a column of the list of runs; those without a name cannot be sorted by.
type runColumn struct {
	name, label      string
	numeric, falling bool
}

func runColumns() []runColumn {
	return []runColumn{
		{"run_id", "Run", false, false}, {"started_at", "Started (UTC), end", false, true}, {"", "Agent, model, variant", false, false},
		{"turns", "Turns", true, true}, {"calls", "Calls", true, true}, {"errored", "Errors", true, true}, {"", "Codes", false, false},
		{"loops", "Loops", true, true}, {"episodes", "Episodes", true, true}, {"abandoned", "Never recovered", true, true},
		{"tokens", "Tokens", true, true}, {"usd", "Money", true, true},
	}
}

// orderWords say in which order runs are listed.
func orderWords(order string) string {
	switch order {
	case "started_at":
		return "Runs, oldest first"
	case "-started_at":
		return "Runs, newest first"
	}
	for _, c := range runColumns() {
		switch order {
		case c.name:
			return "Runs by " + strings.ToLower(c.label) + ", least first"
		case "-" + c.name:
			return "Runs by " + strings.ToLower(c.label) + ", most first"
		}
	}
	return "Runs"
}

func (q *request) runTable(a *asking, list *reply[ask.RunRow], strips *reply[ask.Strip], order string) view.Section {
	s := q.sectioned(a, list.err, ui.Panel{ID: "list", Title: "Runs", Definition: "A run is listed when a call, an error or an episode in it fits the filters. Its numbers are of the whole run."})
	if !list.ok() {
		return s
	}
	if len(list.Rows) == 0 {
		s.Empty = q.nothing("runs that fit")
		return s
	}
	t := ui.Table{ID: "run-table", Caption: orderWords(order)}
	for _, c := range runColumns() {
		column := ui.Column{Label: c.label, Numeric: c.numeric}
		if c.name != "" {
			column = q.sortable(column, c.name, order, c.falling)
		}
		t.Columns = append(t.Columns, column)
	}
	outcomes := map[string]string{}
	for _, strip := range strips.Rows {
		outcomes[strip.RunID] = strip.Outcomes
	}
	for _, r := range list.Rows {
		row := q.runRow(r)
		if drawn := ui.NewOutcomes(outcomes[r.RunID], r.Calls); drawn != nil {
			row.Cells[0].Content = ui.OutcomeStrip(*drawn)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Note = "The strip under a run is its calls in order: a full block is a failed call, a low one an ok call, a hollow one neither."
	s.Tables = []ui.Table{t}
	return s
}

func (q *request) runRow(r ask.RunRow) ui.Row {
	ended := "still running"
	if r.Ended {
		ended = "ended"
		if r.EndReason != nil && *r.EndReason != "" {
			ended = strings.ReplaceAll(ui.Visible(*r.EndReason), "_", " ")
		}
	}
	codes := ui.Cell{}
	const most = 4
	for _, code := range r.Codes[:min(most, len(r.Codes))] {
		codes.Links = append(codes.Links, ui.Link{Label: ui.Visible(code), Href: q.same("code", code, "cursor", "")})
	}
	if len(r.Codes) > most {
		codes.Sub = "and " + ui.Count(int64(len(r.Codes)-most)) + " more"
	}
	return ui.Row{Cells: []ui.Cell{
		{Text: ui.Visible(r.RunID), Href: q.runAddress(r.RunID), Mono: true}, {Text: ui.Minute(r.StartedAt), Sub: ended, Keep: true},
		{Text: ui.Text(r.Agent), Sub: ui.Text(r.Model) + " · " + ui.Text(r.Variant)},
		{Text: ui.Count(r.Turns)}, {Text: ui.Count(r.Calls)}, {Text: ui.Count(r.Errored)}, codes, {Text: ui.Count(r.Loops)},
		{Text: ui.Count(r.Episodes)}, {Text: ui.Count(r.Abandoned)}, {Text: ui.Short(float64(r.Tokens))}, {Text: ui.Money(r.USD)},
	}}
}

// runAddress is where one run is shown.
func (q *request) runAddress(id string) string {
	values := url.Values{}
	if asOf := q.URL.Query().Get("as_of"); asOf != "" {
		values.Set("as_of", asOf)
	}
	return address(q.s.cfg.Base+"/runs/"+segment(id), values)
}
