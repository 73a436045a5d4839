package web

import (
	"cmp"
	"context"
	"slices"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/web/ui"
	"errata/web/view"
)

// overviewAnswers is what the first page asks.
type overviewAnswers struct {
	loops, days, variants *reply[ask.Loops]
	places                *reply[ask.Loops] // by tool, model, variant and agent
	recovery              *reply[ask.Recovery]
	cost, codes           *reply[ask.Cost]
	aliases               *reply[ask.Alias]
	cutovers              *reply[review.Cutover]

	// The same of the time before, which is as long.
	loopsBefore, placesBefore *reply[ask.Loops]
	recoveryBefore            *reply[ask.Recovery]
	codesBefore               *reply[ask.Cost]
}

func (s *Server) overview(q *request) (page, error) {
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	a := s.begin(q.Context())
	frame := q.frameQuestions(a)
	got := q.askOfOverview(a)
	if err := a.wait(); err != nil {
		return page{}, err
	}
	p := page{status: a.status(), frame: q.framed(a, frame)}
	p.frame.Question = "Do agents recover from refused tool calls, and what hurts most?"
	p.frame.Filters = q.filterBar(a.settled)
	p.body = view.Overview(view.OverviewPage{
		Cards:    q.cards(a, got),
		Trend:    q.trend(a, got.days, got.cutovers),
		Codes:    q.costliest(a, got.codes),
		Changed:  q.whatChanged(a, got),
		New:      q.whatIsNew(a, got),
		Variants: q.loopsBy(a, got.variants, got.loops, ask.ByVariant),
		Reviews:  q.reviewCount(a, got.aliases),
		Health:   q.healthShort(a, frame.health),
	})
	return p, nil
}

func (q *request) askOfOverview(a *asking) overviewAnswers {
	questions, window := q.s.cfg.Questions, q.before()
	return overviewAnswers{
		loops: one(a, "loops", questions.Loops, q.filters), days: one(a, "loops", questions.Loops, q.by(q.grain().by)),
		variants: one(a, "loops", questions.Loops, q.by(ask.ByVariant)), places: one(a, "loops", questions.Loops, q.by(places...)),
		recovery: one(a, "recovery", questions.Recovery, q.filters),
		cost:     one(a, "cost", questions.Cost, q.filters), codes: one(a, "cost", questions.Cost, q.by(ask.ByCode)),
		aliases: put(a, "aliases", func(ctx context.Context) (ask.Answer[ask.Alias], error) {
			return questions.Aliases(ctx, newCandidates(q.filters))
		}),
		cutovers:    put(a, "cutovers", q.s.cutovers),
		loopsBefore: prior(a, "loops", window, questions.Loops), placesBefore: prior(a, "loops", window, questions.Loops, places...),
		recoveryBefore: prior(a, "recovery", window, questions.Recovery), codesBefore: prior(a, "cost", window, questions.Cost, ask.ByCode),
	}
}

func newCandidates(f ask.Filters) ask.AliasFilters {
	return ask.AliasFilters{Filters: f, State: []string{review.StateNew}}
}

// cutovers are the named moments, as an answer.
func (s *Server) cutovers(ctx context.Context) (ask.Answer[review.Cutover], error) {
	rows, err := s.cfg.Reviews.Cutovers(ctx)
	return ask.Answer[review.Cutover]{Rows: rows}, err
}

// cards are the five numbers on top. Each stands alone: one whose question failed says so in its place.
func (q *request) cards(a *asking, got overviewAnswers) view.Section {
	s := view.Section{Panel: ui.Panel{ID: "now", Title: "How it stands", Links: q.data("loops")}}
	if got.loops.ok() && got.recovery.ok() && got.cost.ok() && len(got.loops.Rows) == 1 && !q.anything(got.loops.Rows[0]) {
		s.Empty = q.nothing("tool calls")
		return s
	}
	if got.loops.err != nil && got.recovery.err != nil && got.cost.err != nil {
		s.Trouble = a.trouble(got.loops.err, q.URL.RequestURI())
		return s
	}
	s.Figures = append(s.Figures, q.loopCards(got)...)
	s.Figures = append(s.Figures, q.recoveryCard(got.recovery, got.recoveryBefore), q.costCard(got.cost, got.codesBefore))
	return s
}

// anything says whether there is anything to show.
func (q *request) anything(l ask.Loops) bool { return l.Runs > 0 || l.Errored > 0 }

func failedCard(label string) ui.Figure {
	return ui.Figure{Label: label, Value: ui.Unknown, Basis: "could not be answered", Weak: true}
}

func (q *request) loopCards(got overviewAnswers) []ui.Figure {
	if !got.loops.ok() || len(got.loops.Rows) == 0 {
		return []ui.Figure{failedCard("Calls"), failedCard("Failed calls"), failedCard("Loop rate")}
	}
	l := got.loops.Rows[0]
	calls := ui.Figure{
		Label: "Calls", Value: ui.CountOf(l.Calls), Basis: "in " + ui.Plural(l.Runs, "run with a call", "runs with a call"),
		Definition: define("calls"), Href: q.runs(), HrefLabel: "the runs",
	}
	failed := ui.Figure{
		Label: "Failed calls", Value: ui.Percent(errorShare(l)), Basis: ui.Count(l.Errored) + " failed",
		Definition: define("error_share"), Href: q.runs("sort", "-errored"), HrefLabel: "runs with most errors",
	}
	if n := okOrError(l); n != nil {
		failed.Basis = ui.Of(l.Errored, *n) + " calls with a result"
	}
	rate := q.loopRate(l)
	if got.days.ok() {
		var errors []*float64
		for _, day := range got.days.Rows {
			errors = append(errors, errorShare(day))
		}
		rates, _, _ := points(got.days.Rows)
		failed.Spark = ui.NewSpark("Failed calls by day", errors)
		rate.Spark = ui.NewSpark("Loop rate by day", rates)
	}
	if got.loopsBefore.ok() && len(got.loopsBefore.Rows) == 1 && q.anything(got.loopsBefore.Rows[0]) {
		then := got.loopsBefore.Rows[0]
		calls.Before = beforeText(ui.CountOf(then.Calls))
		failed.Before = beforeText(ui.Percent(errorShare(then)))
		rate.Before = beforeText(ui.Percent(then.LoopRate), ui.Range(then.LoopRateLow, then.LoopRateHigh))
	}
	return []ui.Figure{calls, failed, rate}
}

func (q *request) recoveryCard(r, then *reply[ask.Recovery]) ui.Figure {
	if !r.ok() || len(r.Rows) == 0 {
		return failedCard("Median attempts to recover")
	}
	row := r.Rows[0]
	earlier := ""
	if then.ok() && len(then.Rows) == 1 && then.Rows[0].Episodes > 0 {
		earlier = beforeText(numberText(then.Rows[0].AttemptsP50), "never: "+ui.Percent(then.Rows[0].Never))
	}
	return ui.Figure{Before: earlier,
		Label: "Median attempts to recover", Value: numberText(row.AttemptsP50),
		Interval: "never: " + ui.Percent(row.Never) + intervalAfter(ui.Range(row.NeverLow, row.NeverHigh)),
		Basis:    ui.Plural(row.Mature, "mature episode", "mature episodes"), Definition: define("attempts_p50"),
		Href: q.runs("ending", "abandoned"), HrefLabel: "runs that never recover", Weak: row.Mature < leastRuns,
	}
}

func intervalAfter(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}

// costCard is the cost of all errors. That of the time before is the sum of its codes: charges add up exactly.
func (q *request) costCard(r, then *reply[ask.Cost]) ui.Figure {
	if !r.ok() || len(r.Rows) == 0 {
		return failedCard("Tokens spent on recovery")
	}
	row := r.Rows[0]
	earlier := ""
	if then.ok() && len(then.Rows) > 0 {
		var tokens, errors int64
		for _, code := range then.Rows {
			tokens, errors = tokens+code.Tokens, errors+code.Errors
		}
		earlier = beforeText(ui.Short(float64(tokens)), ui.Plural(errors, "error", "errors"))
	}
	return ui.Figure{Before: earlier,
		Label: "Tokens spent on recovery", Value: ui.Short(float64(row.Tokens)), Interval: ui.Money(row.USD),
		Basis:      ui.Plural(row.RecoveryTurns, "recovery turn", "recovery turns") + ", " + ui.Plural(row.Errors, "error", "errors"),
		Definition: define("recovery_tokens"), Href: q.link("/codes"), HrefLabel: "by code",
	}
}

// topCodes is how many codes the first page lists.
const topCodes = 10

func (q *request) costliest(a *asking, r *reply[ask.Cost]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{
		ID: "codes", Title: "Which errors cost most?", Definition: define("recovery_tokens"),
		Links: append([]ui.Link{{Label: "All codes", Href: q.link("/codes")}}, q.data("cost", "by", "code")...),
	})
	if !r.ok() {
		return s
	}
	if len(r.Rows) == 0 {
		s.Empty = q.nothing("errors")
		return s
	}
	rows := slices.SortedFunc(slices.Values(r.Rows), func(x, y ask.Cost) int {
		return cmp.Or(cmp.Compare(y.Tokens, x.Tokens), cmp.Compare(y.Errors, x.Errors), cmp.Compare(x.By[ask.ByCode], y.By[ask.ByCode]))
	})
	var all float64
	for _, row := range rows {
		all += float64(row.Tokens)
	}
	t := ui.Table{
		ID: "costliest", Caption: "The codes whose recovery took most tokens",
		Columns: []ui.Column{
			{Label: "Code"}, {Label: "Errors", Numeric: true}, {Label: "Runs", Numeric: true},
			{Label: "Tokens", Numeric: true, Title: define("recovery_tokens")}, {Label: "Share of all"}, {Label: "Money", Numeric: true, Title: define("usd")},
		},
	}
	for _, row := range rows[:min(topCodes, len(rows))] {
		code := row.By[ask.ByCode]
		t.Rows = append(t.Rows, ui.Row{Cells: []ui.Cell{
			q.codeCell(code), {Text: ui.Count(row.Errors)}, q.runsCell(ui.Count(row.Runs), "code", code),
			{Text: ui.Short(float64(row.Tokens))}, {Text: ui.Percent(ratio(float64(row.Tokens), all)), Share: ui.NewBar(float64(row.Tokens), all)},
			{Text: ui.Money(row.USD)},
		}})
	}
	s.Tables = []ui.Table{t}
	return s
}

func (q *request) reviewCount(a *asking, r *reply[ask.Alias]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "reviews", Title: "Which wrong names wait for a decision?",
		Links: []ui.Link{{Label: "Review them", Href: q.link("/aliases")}}})
	if !r.ok() {
		return s
	}
	s.Figures = []ui.Figure{{Label: "Alias candidates to review", Value: ui.Count(int64(len(r.Rows))),
		Basis: "names that agents guess again and again"}}
	return s
}

func (q *request) healthShort(a *asking, r *reply[ask.Health]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "health", Title: "Can these numbers be trusted?",
		Links: []ui.Link{{Label: "Data health", Href: q.s.cfg.Base + "/health"}}})
	if r.ok() && len(r.Rows) == 1 {
		s.Figures = healthFigures(r.Rows[0])
	}
	return s
}
