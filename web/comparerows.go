package web

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"errata/metrics/ask"
	"errata/metrics/catalogue"
	"errata/metrics/stats"
	"errata/web/ui"
	"errata/web/view"
)

// comparedNames are the names of compared figures.
var comparedNames = map[string]string{
	"task_success": "Task success", "first_error_looped": "Loops on its first error", "first_error_recovered_within_3": "Repairs its first error within 3 attempts",
	"first_error_recovery_tokens": "Recovery tokens of its first error", "first_error_recovery_tokens_capped": "… without the longest tails",
	"errors_per_run": "Errors per run", "repeats_per_run": "Repeats per run", "recovery_tokens_per_run": "Recovery tokens per run", "recovery_tokens_per_run_capped": "… without the longest tails",
	"loop_rate": "Loop rate", "never": "Never recovered", "recovered_within_3": "Recovered within 3 attempts", "restricted_mean_attempts": "Mean attempts, of at most 10",
	"tokens_per_error": "Recovery tokens per error", "tokens_per_error_capped": "… without the longest tails", "usd_per_error": "Money per error",
	"body_tokens_per_error": "Body tokens per error", "obedience": "Did what the error asked for",
	"attempts_p50": "Attempts, median", "attempts_p90": "Attempts, 90th percentile", "attempts_p95": "Attempts, 95th percentile",
	"turns_p50": "Turns, median", "turns_p90": "Turns, 90th percentile", "turns_p95": "Turns, 95th percentile",
}

// roleWords say what part a figure plays.
var roleWords = map[stats.Role]string{
	stats.Guardrail: "guardrail: must not fall", stats.Primary: "headline", stats.FirstError: "per run", stats.Secondary: "", stats.Description: "description, no verdict",
}

// verdictClass is how a verdict is drawn. The word says the same.
func verdictClass(v stats.Verdict) string {
	switch v {
	case stats.Better, stats.Holds:
		return "good"
	case stats.Worse, stats.Violated, stats.BetterGuardrailViolated:
		return "bad"
	}
	return "note"
}

// withheldWords say why there are no verdicts.
var withheldWords = map[string]string{
	ask.WithheldStraddling: "More than 5 % of the runs saw both payloads, so that those left may not be comparable. Choose a stretch of time in which runs saw one of them.",
	ask.WithheldSplit:      "The arms are not of the sizes that the declared split gives: runs were lost or sorted on the way. Find out why before reading on.",
	ask.WithheldCode:       "Only one of the payloads has this code. Compare without the filter on the code, or read the shadow records, which say which old error becomes which new code.",
}

// verdictOf is the comparison in a sentence: the headline, and whether runs still reach their goal.
func verdictOf(c ask.Comparison) *view.Verdict {
	v := &view.Verdict{}
	for _, reason := range c.Withheld {
		v.Withheld = append(v.Withheld, withheldWords[reason])
	}
	for _, r := range c.Rows {
		switch {
		case r.Metric == "loop_rate":
			v.Word, v.Class, v.Sentence = verdictWord(r), verdictClass(r.Verdict), headline(c, r)
		case r.Role == stats.Guardrail:
			v.Guard = "Task success: " + verdictWord(r) + ", " + figureText(r.A, r.Unit) + " and " + figureText(r.B, r.Unit) + "."
		}
	}
	if v.Sentence == "" {
		return nil
	}
	if c.Cutover != nil {
		v.Note = "Before and after a moment nothing was drawn at random: other things changed too. A difference must stand out from those at earlier moments at which nothing happened."
	}
	return v
}

func headline(c ask.Comparison, r ask.Compared) string {
	a, b := armNames(c)
	text := "Loop rate " + figureText(r.A, r.Unit) + " " + a + ", " + figureText(r.B, r.Unit) + " " + b
	if r.Difference != nil {
		text += ": " + differenceText(r.Difference, r.Unit)
	}
	if r.AlwaysValidLow != nil && r.AlwaysValidHigh != nil {
		text += ", always-valid 95 % interval " + spanText(r.AlwaysValidLow, r.AlwaysValidHigh, r.Unit)
	}
	return text + "."
}

// armNames name the arms within a sentence.
func armNames(c ask.Comparison) (a, b string) {
	if c.Cutover != nil {
		return "before", "after"
	}
	return "with " + short(c.A), "with " + short(c.B)
}

func verdictWord(r ask.Compared) string {
	switch {
	case r.Verdict != stats.NoVerdict:
		return string(r.Verdict)
	case r.Role == stats.Description:
		return ui.Unknown
	}
	return "no verdict"
}

// comparedRows are all figures of both arms, the guardrail first.
func (q *request) comparedRows(a *asking, r *reply[ask.Comparison], f ask.CompareFilters) view.Section {
	s := q.sectioned(a, r.err, ui.Panel{ID: "rows", Title: "What differs?", Links: q.compareData(),
		Definition: "The interval that may be looked at every day is the always-valid one; the narrower one holds for a single look at the end. Each row is drawn on its own axis, with no difference in the middle. Rows are judged together, so that many of them are no licence to find something."})
	if !r.ok() {
		return s
	}
	c := r.Rows[0]
	if len(c.Rows) == 0 || c.ARuns+c.BRuns == 0 {
		s.Empty = q.nothing("runs to compare")
		return s
	}
	a1, b1 := "A: "+short(c.A), "B: "+short(c.B)
	if c.Cutover != nil {
		a1, b1 = "Before", "After"
	}
	caption, placebo := "All figures, B less A", false
	if c.Cutover != nil {
		caption, placebo = "All figures, after less before", slices.ContainsFunc(c.Rows, func(r ask.Compared) bool { return r.PlaceboP != nil })
	}
	t := ui.Table{ID: "compare-table", Caption: caption, Columns: []ui.Column{
		{Label: "Figure"}, {Label: "Verdict"}, {Label: a1, Numeric: true}, {Label: b1, Numeric: true}, {Label: "Difference", Numeric: true}, {Label: "Always-valid 95 % interval"},
	}}
	if placebo {
		t.Columns = append(t.Columns, ui.Column{Label: "Placebo p", Numeric: true, Title: "how often a moment at which nothing happened differs as much"})
	}
	for _, row := range c.Rows {
		t.Rows = append(t.Rows, ui.Row{Cells: comparedCells(row, placebo)})
	}
	s.Tables = []ui.Table{t}
	return s
}

// compareData are the links to the comparison as data: it takes no groups, and parameters of its own.
func (q *request) compareData() []ui.Link {
	var pairs []string
	for _, name := range compareParameters {
		pairs = append(pairs, name, q.URL.Query().Get(name))
	}
	return q.data("compare", pairs...)
}

// comparedCells are a row. The verdict stands beside the name, where a narrow screen shows it too.
func comparedCells(r ask.Compared, placebo bool) []ui.Cell {
	verdict := ui.Cell{Text: ui.Unknown}
	if r.Role != stats.Description {
		verdict = ui.Cell{Content: view.VerdictTag(verdictWord(r), verdictClass(r.Verdict), missed(r))}
	}
	cells := []ui.Cell{
		{Text: orElse(comparedNames[r.Metric], r.Metric), Sub: roleWords[r.Role], Title: defined(r.Metric)}, verdict,
		{Text: figureText(r.A, r.Unit), Sub: basisText(r.AN, r.ARuns)}, {Text: figureText(r.B, r.Unit), Sub: basisText(r.BN, r.BRuns)},
		{Text: orElse(r.Words, differenceText(r.Difference, r.Unit)), Sub: wayText(r)},
		{Range: ui.NewDifference(r.Difference, r.AlwaysValidLow, r.AlwaysValidHigh, spanText(r.AlwaysValidLow, r.AlwaysValidHigh, r.Unit)),
			Text: spanText(r.AlwaysValidLow, r.AlwaysValidHigh, r.Unit), Sub: singleLook(r)},
	}
	if placebo {
		cells = append(cells, ui.Cell{Text: probability(r.PlaceboP)})
	}
	return cells
}

// missed says how large a difference may be that was not shown, or how far a verdict is away.
func missed(r ask.Compared) string {
	if fewest := int64(min(r.ARuns, r.BRuns)); r.Verdict == stats.Collecting && fewest < stats.LeastRuns {
		return ui.Of(fewest, stats.LeastRuns) + " runs that each arm needs"
	}
	if r.CouldMiss == nil {
		return ""
	}
	return "could have missed ±" + strings.TrimLeft(differenceText(r.CouldMiss, r.Unit), "+−")
}

func defined(metric string) string {
	if m, ok := catalogue.Lookup(metric); ok {
		return m.Definition
	}
	return ""
}

func basisText(n, runs float64) string {
	if n == runs {
		return ui.Plural(int64(runs), "run", "runs")
	}
	return "n " + ui.Count(int64(n)) + " in " + ui.Plural(int64(runs), "run", "runs")
}

// wayText says whether a difference goes the good way, whatever its evidence.
func wayText(r ask.Compared) string {
	if r.Difference == nil || *r.Difference == 0 || r.Role == stats.Description {
		return ""
	}
	if (*r.Difference > 0) == r.HigherIsBetter {
		return "the good way"
	}
	return "the bad way"
}

func singleLook(r ask.Compared) string {
	if r.Low == nil || r.High == nil {
		return ""
	}
	return "single look " + spanText(r.Low, r.High, r.Unit)
}

// figureText writes a figure of one arm in its unit.
func figureText(f ask.Figure, unit string) string {
	switch {
	case f.Never:
		return "never"
	case f.Value == nil:
		return ui.Unknown
	}
	switch unit {
	case "share":
		return ui.Percent(f.Value)
	case "USD":
		return ui.Money(f.Value)
	case "tokens":
		return ui.Short(*f.Value)
	case "attempts", "turns":
		return strings.TrimSuffix(strings.TrimPrefix(ui.Signed(*f.Value, 2), "+"), ".00")
	}
	return strings.TrimPrefix(ui.Signed(*f.Value, 2), "+")
}

// differenceText writes a difference in its unit, with its sign.
func differenceText(d *float64, unit string) string {
	if d == nil || math.IsNaN(*d) {
		return ui.Unknown
	}
	switch unit {
	case "share":
		return ui.Points(d)
	case "USD", "tokens":
		size := math.Abs(*d)
		text := ui.Short(size)
		if unit == "USD" {
			text = smallMoney(size)
		}
		if *d < 0 {
			return "−" + text
		}
		return "+" + text
	}
	return strings.TrimSuffix(ui.Signed(*d, 2), ".00")
}

// smallMoney writes dollars with two digits however small, since two ends of an interval may both be tiny.
func smallMoney(usd float64) string {
	if usd == 0 || usd >= 0.01 {
		return ui.Money(&usd)
	}
	return "$" + strconv.FormatFloat(usd, 'f', min(12, 1-int(math.Floor(math.Log10(usd)))), 64)
}

func spanText(low, high *float64, unit string) string {
	if low == nil || high == nil {
		return ""
	}
	if unit == "share" {
		return ui.Signed(100**low, 1) + " to " + ui.Points(high)
	}
	return differenceText(low, unit) + " to " + differenceText(high, unit)
}
