package web

import (
	"context"
	"net/url"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/transcript"
	"errata/web/ui"
	"errata/web/view"
)

// codeAnswers is what the page of one code asks.
type codeAnswers struct {
	cost     *reply[ask.Cost]
	loops    *reply[ask.Loops]
	days     *reply[ask.Loops]
	where    *reply[ask.Loops] // all errors by code and by where they happen
	recovery *reply[ask.Recovery]
	next     *reply[ask.NextActions]
	kinds    *reply[ask.ErrorKind]
	effects  *reply[ask.FieldEffect]
	findings *reply[ask.Finding]
	coupling *reply[ask.Coupling]
	waste    *reply[ask.Waste]
	aliases  *reply[ask.Alias]
	cutovers *reply[review.Cutover]
	examples *reply[example]
}

// code is the page of all that is known of one code.
func (s *Server) code(q *request) (page, error) {
	if q.URL.Query().Has("code") {
		return page{to: q.same("code", "")}, nil
	}
	name := q.PathValue("code")
	if err := q.params.Err(); err != nil {
		return page{}, err
	}
	everybody := q.filters
	q.fixed = url.Values{"code": {name}}
	q.filters.Code = []string{string(metrics.Fold(transcript.Code(name)))}
	a := s.begin(q.Context())
	frame := q.frameQuestions(a)
	got := q.askOfCode(a, everybody)
	if err := a.wait(); err != nil {
		return page{}, err
	}
	got.examples = &reply[example]{err: got.kinds.err}
	if got.kinds.ok() && len(got.kinds.Rows) > 0 {
		got.examples = put(a, "run", func(ctx context.Context) (ask.Answer[example], error) { return q.examples(ctx, got.kinds.Rows) })
	}
	if err := a.wait(); err != nil {
		return page{}, err
	}
	p := page{status: a.status(), frame: q.framed(a, frame)}
	p.frame.Title, p.frame.Question = ui.Visible(name), "What does this error look like, what do agents make of it, and what would mend it?"
	p.frame.Filters = q.filterBar(a.settled)
	p.body = view.Code(q.codePage(a, got))
	return p, nil
}

// askOfCode puts the questions of the page; those of all codes are the background that this one is held against.
func (q *request) askOfCode(a *asking, everybody ask.Filters) codeAnswers {
	questions := q.s.cfg.Questions
	loops := func(f ask.Filters, by ...string) *reply[ask.Loops] {
		f.By = by
		return put(a, "loops", func(ctx context.Context) (ask.Answer[ask.Loops], error) { return questions.Loops(ctx, f) })
	}
	return codeAnswers{
		cost: one(a, "cost", questions.Cost, q.filters), loops: loops(q.filters), days: loops(q.filters, q.grain().by),
		where:    loops(everybody, append([]string{ask.ByCode}, places...)...),
		recovery: one(a, "recovery", questions.Recovery, q.filters), next: one(a, "next_actions", questions.NextActions, q.filters),
		kinds: put(a, "errors", func(ctx context.Context) (ask.Answer[ask.ErrorKind], error) {
			return questions.Errors(ctx, ask.ErrorFilters{Filters: q.filters})
		}),
		effects:  one(a, "field_effects", questions.FieldEffects, q.filters),
		findings: one(a, "findings", questions.Findings, q.filters),
		coupling: one(a, "coupling", questions.Coupling, q.filters),
		waste:    one(a, "waste", questions.Waste, q.filters),
		aliases: put(a, "aliases", func(ctx context.Context) (ask.Answer[ask.Alias], error) {
			return questions.Aliases(ctx, ask.AliasFilters{Filters: q.filters})
		}),
		cutovers: put(a, "cutovers", q.s.cutovers),
	}
}

// one puts a question that takes the common filters.
func one[T any](a *asking, name string, question func(context.Context, ask.Filters) (ask.Answer[T], error), f ask.Filters) *reply[T] {
	return put(a, name, func(ctx context.Context) (ask.Answer[T], error) { return question(ctx, f) })
}

func (q *request) codePage(a *asking, got codeAnswers) view.CodePage {
	return view.CodePage{
		Total:    q.codeTotal(a, got),
		Examples: q.examplePart(a, got),
		Trend:    q.trend(a, got.days, got.cutovers),
		Next:     q.nextActions(a, got.next),
		Where:    q.whereItHappens(a, got),
		Kinds:    q.inventory(a, got.kinds),
		Effects:  q.fieldEffects(a, got.effects),
		Findings: q.findings(a, got.findings),
		Coupling: q.coupling(a, got.coupling),
		Waste:    q.waste(a, got.waste),
		Aliases:  q.codeAliases(a, got.aliases),
	}
}

// codeTotal is the code in numbers. Each question may fail alone.
func (q *request) codeTotal(a *asking, got codeAnswers) view.Section {
	s := q.sectioned(a, got.cost.err, ui.Panel{ID: "total", Title: "How much does it hurt?",
		Links: append(q.data("cost"), ui.Link{Label: "All its runs", Href: q.runs()})})
	if !got.cost.ok() || len(got.cost.Rows) == 0 {
		return s
	}
	c := got.cost.Rows[0]
	if c.Errors == 0 {
		s.Empty = q.nothing("errors of this code")
		return s
	}
	s.Figures = append(s.Figures, ui.Figure{Label: "Errors", Value: ui.Count(c.Errors), Basis: "in " + ui.Plural(c.Runs, "run", "runs"), Definition: "Calls that failed with this code, and the runs that they are in.",
		Href: q.runs("sort", "-errored"), HrefLabel: "the runs"})
	if got.loops.ok() && len(got.loops.Rows) == 1 {
		s.Figures = append(s.Figures, q.loopRate(got.loops.Rows[0]))
	}
	if got.recovery.ok() && len(got.recovery.Rows) == 1 {
		s.Figures = append(s.Figures, q.recoveryFigures(got.recovery.Rows[0])...)
	}
	return q.withCost(s, c)
}

func (q *request) withCost(s view.Section, c ask.Cost) view.Section {
	s.Figures = append(s.Figures,
		ui.Figure{Label: "Recovery tokens", Value: ui.Short(float64(c.Tokens)), Interval: ui.Money(c.USD),
			Basis:      ui.Plural(c.RecoveryTurns, "recovery turn", "recovery turns") + "; " + ui.ShortOf(ratio(float64(c.Tokens), float64(c.Errors))) + " per error",
			Definition: define("recovery_tokens"), Href: q.runs("sort", "-tokens"), HrefLabel: "runs with most tokens"},
		ui.Figure{Label: "Error bodies", Value: ui.Short(float64(c.BodyTokens)), Basis: "tokens; " + ui.ShortOf(ratio(float64(c.BodyTokens), float64(c.Errors))) + " per error",
			Definition: define("body_tokens")},
		ui.Figure{Label: "A month at this pace", Value: ui.ShortOf(c.MonthlyTokens), Interval: moneyAfter(c.MonthlyUSD), Basis: monthlyBasis(c), Definition: define("monthly_tokens")},
	)
	return s
}

// monthlyBasis says what a projection rests on.
func monthlyBasis(c ask.Cost) string {
	text := "from " + ui.Plural(c.WholeDays, "whole day", "whole days")
	if c.MonthlyTokens == nil {
		text += "; needs 7"
	}
	return text
}

// recoveryFigures are how episodes that begin with the code end.
func (q *request) recoveryFigures(r ask.Recovery) []ui.Figure {
	weak := r.Runs < leastRuns
	basis := ui.Plural(r.Mature, "mature episode", "mature episodes")
	return []ui.Figure{
		{Label: "Within 3 attempts", Value: ui.Percent(r.Within3), Interval: ui.Range(r.Within3Low, r.Within3High), Basis: basis, Weak: weak,
			Definition: define("recovered_within_3"), Href: q.runs("ending", "recovered"), HrefLabel: "runs that recover"},
		{Label: "Never recovered", Value: ui.Percent(r.Never), Interval: ui.Range(r.NeverLow, r.NeverHigh), Basis: basis, Weak: weak,
			Definition: define("never"), Href: q.runs("ending", "abandoned", "sort", "-abandoned"), HrefLabel: "runs that never recover"},
		{Label: "Median attempts", Value: numberText(r.AttemptsP50), Interval: "95th percentile: " + numberText(r.AttemptsP95), Basis: basis, Weak: weak,
			Definition: define("attempts_p50"), Href: q.link("/recovery"), HrefLabel: "the whole distribution"},
	}
}
