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
	loops, days          *reply[ask.Loops]
	recovery, recoveries *reply[ask.Recovery] // over all, and over time
	costs, codes         *reply[ask.Cost]     // over time, and by code
	values               *reply[ask.Values]
	cutovers             *reply[review.Cutover]

	// The same of the time before, which is as long.
	loopsBefore    *reply[ask.Loops]
	recoveryBefore *reply[ask.Recovery]
	codesBefore    *reply[ask.Cost]
	valuesBefore   *reply[ask.Values]
}

func (s *Server) overview(q *request) (page, error) {
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	a := s.begin(q.Context())
	frame := q.frameQuestions(a)
	got := q.askOfOverview(a, q.before(a, frame.settle))
	if err := a.wait(); err != nil {
		return page{}, err
	}
	p := page{status: a.status(), frame: q.framed(a, frame)}
	p.frame.Question = "Do agents recover from refused tool calls, and what hurts most?"
	p.frame.Filters = q.filterBar(a.settled)
	trend := q.trend(a, got.days, got.cutovers)
	trend.Links = append([]ui.Link{{Label: "By variant, tool and code", Href: q.link("/loops")}}, trend.Links...)
	p.body = view.Overview(view.OverviewPage{
		Cards:   q.cards(a, got),
		Trend:   trend,
		Codes:   q.costliest(a, got.codes),
		Changed: q.whatChanged(a, got),
		New:     q.whatIsNew(a, got),
		First:   got.valuesBefore.ok() && len(got.valuesBefore.Rows) == 0,
		Reviews: q.reviewsIncluded(),
		Health:  q.healthShort(a, frame.health),
	})
	return p, nil
}

// askOfOverview puts the questions of the page. The longest are put first, so that none of them is left alone at the end. Cost
// is asked over time alone: charges add up exactly, and so do those of the time before over its codes.
func (q *request) askOfOverview(a *asking, window before) overviewAnswers {
	questions, over := q.s.cfg.Questions, q.by(q.grain().by)
	return overviewAnswers{
		loops: one(a, "loops", questions.Loops, q.filters), days: one(a, "loops", questions.Loops, over),
		loopsBefore: prior(a, "loops", window, questions.Loops),
		codes:       one(a, "cost", questions.Cost, q.by(ask.ByCode)), codesBefore: prior(a, "cost", window, questions.Cost, ask.ByCode),
		costs: one(a, "cost", questions.Cost, over), recoveries: one(a, "recovery", questions.Recovery, over),
		recovery: one(a, "recovery", questions.Recovery, q.filters), recoveryBefore: prior(a, "recovery", window, questions.Recovery),
		values: put(a, "values", func(ctx context.Context) (ask.Answer[ask.Values], error) {
			if _, ok, err := window(); err != nil || !ok {
				return ask.Answer[ask.Values]{}, err
			}
			return questions.Values(ctx, q.filters)
		}),
		valuesBefore: prior(a, "values", window, questions.Values),
		cutovers:     put(a, "cutovers", q.s.cutovers),
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
	if got.loops.ok() && got.recovery.ok() && got.costs.ok() && len(got.loops.Rows) == 1 && !q.anything(got.loops.Rows[0]) {
		s.Empty = q.nothing("tool calls")
		return s
	}
	if got.loops.err != nil && got.recovery.err != nil && got.costs.err != nil {
		s.Trouble = a.trouble(got.loops.err, q.URL.RequestURI())
		return s
	}
	s.Figures = append(s.Figures, q.loopCards(got)...)
	s.Figures = append(s.Figures, q.recoveryCard(got.recovery, got.recoveryBefore), q.costCard(got.costs, got.codesBefore))
	q.sparks(s.Figures, got, a.settled)
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
	rate := q.loopRateSince(l, got.loopsBefore)
	if got.loopsBefore.ok() && len(got.loopsBefore.Rows) == 1 && q.anything(got.loopsBefore.Rows[0]) {
		then := got.loopsBefore.Rows[0]
		calls.Before = beforeText(ui.CountOf(then.Calls))
		failed.Before = beforeText(ui.Percent(errorShare(then)))
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
		Href: q.runs("ending", "abandoned", "sort", "-abandoned"), HrefLabel: "runs that never recover", Weak: row.Mature < leastRuns,
	}
}

func intervalAfter(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}

// costSum adds up what errors cost. Runs are left out: one may be in several rows.
func costSum(rows []ask.Cost) (sum ask.Cost) {
	for _, r := range rows {
		sum.Tokens, sum.Errors, sum.RecoveryTurns = sum.Tokens+r.Tokens, sum.Errors+r.Errors, sum.RecoveryTurns+r.RecoveryTurns
		if r.USD != nil {
			usd := value(sum.USD) + *r.USD
			sum.USD = &usd
		}
	}
	return sum
}

func (q *request) costCard(r, then *reply[ask.Cost]) ui.Figure {
	if !r.ok() {
		return failedCard("Tokens spent on recovery")
	}
	sum := costSum(r.Rows)
	earlier := ""
	if then.ok() && len(then.Rows) > 0 {
		was := costSum(then.Rows)
		earlier = beforeText(ui.Short(float64(was.Tokens)), ui.Plural(was.Errors, "error", "errors"))
	}
	return ui.Figure{Before: earlier,
		Label: "Tokens spent on recovery", Value: ui.Short(float64(sum.Tokens)), Interval: moneyAfter(sum.USD),
		Basis:      ui.Plural(sum.RecoveryTurns, "recovery turn", "recovery turns") + ", " + ui.Plural(sum.Errors, "error", "errors"),
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

// reviewsIncluded is how many wrong names wait for a decision. To count them takes as long as a third of the page, so that it is
// put in once the page is there.
func (q *request) reviewsIncluded() view.Included {
	return view.Included{ID: "reviews", Title: "Which wrong names wait for a decision?", Page: q.link("/aliases/waiting"), Part: "#waiting .figures",
		Definition: "Names that agents guess again and again, and that nobody has accepted or rejected.",
		Link:       ui.Link{Label: "Review them", Href: q.link("/aliases", "state", "new")}}
}

// waiting is the page of that number alone.
func (s *Server) waiting(q *request) (page, error) {
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	a := s.begin(q.Context())
	r := put(a, "aliases", func(ctx context.Context) (ask.Answer[ask.Alias], error) {
		return s.cfg.Questions.Aliases(ctx, newCandidates(q.filters))
	})
	if err := a.wait(); err != nil {
		return page{}, err
	}
	part := q.sectioned(a, r.err, ui.Panel{ID: "waiting", Title: "Which wrong names wait for a decision?", Links: append([]ui.Link{{Label: "Review them", Href: q.link("/aliases", "state", "new")}}, q.data("aliases", "state", "new")...)})
	if r.ok() {
		part.Figures = []ui.Figure{{Label: "Alias candidates", Value: ui.Count(int64(len(r.Rows))), Definition: define("candidate"),
			Basis: "without a decision"}}
	}
	p := page{frame: s.frame(q.Request, "aliases")} // a part of another page, which says in itself where it failed
	p.frame.Title = "Alias candidates"
	p.body = view.Waiting(part)
	return p, nil
}

func (q *request) healthShort(a *asking, r *reply[ask.Health]) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "health", Title: "Can these numbers be trusted?",
		Links: []ui.Link{{Label: "Data health", Href: q.s.cfg.Base + "/health"}}})
	if r.ok() && len(r.Rows) == 1 {
		s.Figures = healthFigures(r.Rows[0])
	}
	return s
}
