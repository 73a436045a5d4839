package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"errata/metrics/ask"
	"errata/web/api"
	"errata/web/ui"
	"errata/web/view"
)

// codeRow is what is known of one code.
type codeRow struct {
	code     string
	cost     ask.Cost
	loops    ask.Loops
	recovery ask.Recovery
}

// perError is the recovery tokens that one error costs.
func (r codeRow) perError() *float64 { return ratio(float64(r.cost.Tokens), float64(r.cost.Errors)) }

// codeColumn is a column of the table of codes.
type codeColumn struct {
	name, label, title string
	by                 func(codeRow) float64 // what it is sorted by; nil: by the code
}

func codeColumns() []codeColumn {
	return []codeColumn{
		{"code", "Code", "", nil},
		{"errors", "Errors", "", func(r codeRow) float64 { return float64(r.cost.Errors) }},
		{"runs", "Runs", "", func(r codeRow) float64 { return float64(r.cost.Runs) }},
		{"loop_rate", "Loop rate", define("loop_rate"), func(r codeRow) float64 { return value(r.loops.LoopRate) }},
		{"never", "Never recovered", define("never"), func(r codeRow) float64 { return value(r.recovery.Never) }},
		{"recovery_turns", "Recovery turns", define("recovery_tokens"), func(r codeRow) float64 { return float64(r.cost.RecoveryTurns) }},
		{"tokens", "Tokens", define("recovery_tokens"), func(r codeRow) float64 { return float64(r.cost.Tokens) }},
		{"per_error", "Tokens per error", "", func(r codeRow) float64 { return value(r.perError()) }},
		{"body_tokens", "Body tokens", define("body_tokens"), func(r codeRow) float64 { return float64(r.cost.BodyTokens) }},
		{"usd", "Money", define("usd"), func(r codeRow) float64 { return value(r.cost.USD) }},
		{"monthly_tokens", "Tokens a month", define("monthly_tokens"), func(r codeRow) float64 { return value(r.cost.MonthlyTokens) }},
	}
}

func (s *Server) codes(q *request) (page, error) {
	order := q.params.Text("sort")
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	column, err := sortColumn(order)
	if err != nil {
		return page{}, err
	}
	a := s.begin(q.Context())
	frame := q.frameQuestions(a)
	total := put(a, "cost", func(ctx context.Context) (ask.Answer[ask.Cost], error) { return s.cfg.Questions.Cost(ctx, q.filters) })
	costs := put(a, "cost", func(ctx context.Context) (ask.Answer[ask.Cost], error) {
		return s.cfg.Questions.Cost(ctx, q.by(ask.ByCode))
	})
	loops := put(a, "loops", func(ctx context.Context) (ask.Answer[ask.Loops], error) {
		return s.cfg.Questions.Loops(ctx, q.by(ask.ByCode))
	})
	recovery := put(a, "recovery", func(ctx context.Context) (ask.Answer[ask.Recovery], error) {
		return s.cfg.Questions.Recovery(ctx, q.by(ask.ByCode))
	})
	times := one(a, "cost", s.cfg.Questions.Cost, q.by(q.grain().by, ask.ByCode))
	cutovers := put(a, "cutovers", s.cutovers)
	if err := a.wait(); err != nil {
		return page{}, err
	}
	p := page{status: a.status(), frame: q.framed(a, frame)}
	p.frame.Title, p.frame.Question = "Cost by code", "Which error costs most, and how is it recovered from?"
	p.frame.Filters = q.filterBar(a.settled)
	rows := joinCodes(costs.Rows, loops.Rows, recovery.Rows)
	sortCodes(rows, column, strings.HasPrefix(orElse(order, "-tokens"), "-"))
	p.body = view.Codes(view.CodesPage{Total: q.costTotal(a, total), Trend: q.costTrend(a, times, cutovers), Codes: q.codeTable(a, costs.err, rows, orElse(order, "-tokens"))})
	return p, nil
}

// sortColumn is the column to sort by.
func sortColumn(order string) (codeColumn, error) {
	name := strings.TrimPrefix(orElse(order, "-tokens"), "-")
	var names []string
	for _, c := range codeColumns() {
		if c.name == name {
			return c, nil
		}
		names = append(names, c.name)
	}
	return codeColumn{}, &api.Error{Status: http.StatusBadRequest, Code: ask.CodeInvalid, Field: "sort",
		Message: "sort must be one of " + strings.Join(names, ", ") + ", with - before it for falling"}
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// joinCodes puts together what three questions say of each code. Those of which a question failed stay unknown.
func joinCodes(costs []ask.Cost, loops []ask.Loops, recovery []ask.Recovery) []codeRow {
	rows := make([]codeRow, len(costs))
	at := map[string]int{}
	for i, c := range costs {
		rows[i] = codeRow{code: c.By[ask.ByCode], cost: c}
		at[rows[i].code] = i
	}
	for _, l := range loops {
		if i, ok := at[l.By[ask.ByCode]]; ok {
			rows[i].loops = l
		}
	}
	for _, r := range recovery {
		if i, ok := at[r.By[ask.ByCode]]; ok {
			rows[i].recovery = r
		}
	}
	return rows
}

func sortCodes(rows []codeRow, by codeColumn, falling bool) {
	slices.SortFunc(rows, func(x, y codeRow) int {
		names := strings.Compare(x.code, y.code)
		if by.by == nil {
			if falling {
				return -names
			}
			return names
		}
		order := cmp.Compare(by.by(x), by.by(y))
		if falling {
			order = -order
		}
		return cmp.Or(order, names)
	})
}

func (q *request) costTotal(a *asking, r *reply[ask.Cost]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "total", Title: "What do errors cost?", Definition: define("recovery_tokens"), Links: q.data("cost")})
	if !r.ok() || len(r.Rows) == 0 {
		return s
	}
	c := r.Rows[0]
	if c.Errors == 0 {
		s.Empty = q.nothing("errors")
		return s
	}
	monthly := "from " + ui.Plural(c.WholeDays, "whole day", "whole days")
	if c.MonthlyTokens == nil {
		monthly += "; needs 7"
	}
	s.Figures = []ui.Figure{
		{Label: "Recovery tokens", Value: ui.Short(float64(c.Tokens)), Definition: define("recovery_tokens"),
			Basis: ui.Plural(c.RecoveryTurns, "recovery turn", "recovery turns") + " in " + ui.Plural(c.Runs, "run", "runs"),
			Href:  q.runs("sort", "-tokens"), HrefLabel: "runs with most tokens"},
		{Label: "Per error", Value: ui.ShortOf(ratio(float64(c.Tokens), float64(c.Errors))), Basis: "tokens; " + ui.Plural(c.Errors, "error", "errors"), Definition: define("tokens_per_error")},
		{Label: "Money", Value: ui.Money(c.USD), Basis: unpriced(c.Unpriced), Definition: define("usd")},
		{Label: "A month at this pace", Value: ui.ShortOf(c.MonthlyTokens), Interval: moneyAfter(c.MonthlyUSD), Basis: monthly, Definition: define("monthly_tokens")},
		{Label: "Costliest 1 % of runs", Value: ui.Percent(c.CostliestShare), Basis: "of the tokens", Definition: define("costliest_share")},
		{Label: "Error bodies", Value: ui.Short(float64(c.BodyTokens)), Basis: "tokens", Definition: define("body_tokens")},
		{Label: "Time in recovery", Value: ui.Duration(c.Seconds), Definition: define("seconds")},
		{Label: "Estimated", Value: ui.Percent(c.EstimatedShare), Basis: "of the tokens", Definition: define("estimated_share")},
	}
	return s
}

func moneyAfter(usd *float64) string {
	if usd == nil {
		return ""
	}
	return ui.Money(usd)
}

// longestModel is how many bytes of a model's name a list of them shows.
const longestModel = 60

// unpriced lists the models without a price.
func unpriced(models []string) string {
	if len(models) == 0 {
		return ""
	}
	const most = 5
	names := make([]string, 0, most)
	for _, m := range models[:min(most, len(models))] {
		head, rest := ui.Cut(m, longestModel)
		if rest != "" {
			head += "…"
		}
		names = append(names, ui.Visible(head))
	}
	text := "without a price: " + strings.Join(names, ", ")
	if len(models) > most {
		text += " and others"
	}
	return text
}

func (q *request) codeTable(a *asking, err error, rows []codeRow, order string) view.Section {
	s := q.sectioned(a, err, ui.Panel{ID: "codes", Title: "Which code costs what?", Links: q.data("cost", "by", "code"),
		Definition: "A code with ~ was mined from the message of a failed result without a code. Each recovery turn is charged to the code of the most recent error before it, so that codes add up to the total. Below a share stands its 95 % interval."})
	if err != nil {
		return s
	}
	if len(rows) == 0 {
		s.Empty = q.nothing("errors")
		return s
	}
	t := ui.Table{ID: "code-table", Caption: ui.Plural(int64(len(rows)), "code", "codes")}
	for _, c := range codeColumns() {
		t.Columns = append(t.Columns, q.sortable(ui.Column{Label: c.label, Title: c.title, Numeric: c.by != nil}, c.name, order, c.by != nil))
	}
	var tokens float64
	for _, r := range rows {
		tokens += float64(r.cost.Tokens)
	}
	for _, r := range rows {
		t.Rows = append(t.Rows, q.codeCells(r, tokens))
	}
	s.Tables = []ui.Table{t}
	return s
}

func (q *request) codeCells(r codeRow, tokens float64) ui.Row {
	return ui.Row{Cells: []ui.Cell{
		q.codeCell(r.code), {Text: ui.Count(r.cost.Errors)}, q.runsCell(ui.Count(r.cost.Runs), "code", r.code),
		{Text: ui.Percent(r.loops.LoopRate), Sub: ui.Ends(r.loops.LoopRateLow, r.loops.LoopRateHigh), Href: q.link("/loops", "code", r.code), Title: ui.Of(r.loops.MatureRepeats, r.loops.Mature) + " failed calls"},
		{Text: ui.Percent(r.recovery.Never), Sub: ui.Ends(r.recovery.NeverLow, r.recovery.NeverHigh), Href: q.link("/recovery", "code", r.code), Title: "of " + ui.Plural(r.recovery.Mature, "episode", "episodes")},
		{Text: ui.Count(r.cost.RecoveryTurns)},
		{Text: ui.Short(float64(r.cost.Tokens)), Share: ui.NewBar(float64(r.cost.Tokens), tokens)},
		{Text: ui.ShortOf(r.perError())}, {Text: ui.Short(float64(r.cost.BodyTokens))}, {Text: ui.Money(r.cost.USD)}, {Text: ui.ShortOf(r.cost.MonthlyTokens)},
	}}
}

// sortable makes a column's head a link that sorts by it, and turns the order round where it is sorted by it already.
func (q *request) sortable(c ui.Column, name, order string, falling bool) ui.Column {
	next := name
	if falling {
		next = "-" + name
	}
	switch order {
	case name:
		c.Order, next = "ascending", "-"+name
	case "-" + name:
		c.Order, next = "descending", name
	}
	c.Sort = q.same("sort", next, "cursor", "")
	return c
}
