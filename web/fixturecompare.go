package web

import (
	"context"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/metrics/stats"
)

// Mark keeps nothing.
func (f Fixture) Mark(_ context.Context, c review.Cutover) (review.Cutover, error) { return c, nil }

// Compare is a made-up comparison that the new payload wins; in a state of little data one that is still collecting, and
// around a cutover one whose cause is not shown.
func (f Fixture) Compare(_ context.Context, filters ask.CompareFilters) (ask.Comparison, error) {
	a, err := given(f, "compare", filters.Filters, f.compared(filters)...)
	c := ask.Comparison{
		Answer: a, A: f.text(filters.A), B: f.text(filters.B), ARuns: 1603, BRuns: 1475, Straddling: 6, StraddlingShare: pointer(6.0 / 3084),
		ASuccess: pointer(.893), BSuccess: pointer(.919), Margin: .05, Target: 500, Withheld: []string{},
		Mix: &ask.ToolMix{Mix: stats.Mix{Raw: pointer(-.128), Standardised: pointer(-.121), Interval: interval(-.17, -.08), Effect: pointer(-.007), EffectInterval: interval(-.015, .001)}, Rare: []string{f.text("export_report")}},
	}
	if !filters.Cutover.IsZero() {
		c.Cutover, c.Window, c.Mix.Flagged, c.Mix.Effect = &filters.Cutover, 7, true, pointer(-.05)
	}
	if filters.Split > 0 {
		c.Split = &ask.SplitCheck{Share: filters.Split, ARuns: 1603, BRuns: 1475, Split: stats.Split{E: .4}}
	}
	switch f.State {
	case "empty":
		c.ARuns, c.BRuns, c.Straddling, c.StraddlingShare, c.ASuccess, c.BSuccess, c.Mix = 0, 0, 0, nil, nil, nil, nil
	case "low":
		c.ARuns, c.BRuns, c.Straddling, c.StraddlingShare, c.Mix = 12, 9, 0, pointer(0.0), nil
	case "partial":
		c.Straddling, c.StraddlingShare, c.Withheld = 320, pointer(.094), []string{ask.WithheldStraddling, ask.WithheldSplit}
		c.Split = &ask.SplitCheck{Share: .5, ARuns: 1603, BRuns: 1175, Split: stats.Split{E: 4.2e12, Flagged: true}}
	}
	return c, err
}

func interval(low, high float64) stats.Interval { return stats.Interval{Low: &low, High: &high} }

// compared are the rows of the made-up comparison.
func (f Fixture) compared(filters ask.CompareFilters) []ask.Compared {
	loops := ask.Compared{
		Metric: "loop_rate", Role: stats.Primary, Unit: "share", A: ask.Figure{Value: pointer(.219)}, B: ask.Figure{Value: pointer(.091)}, AN: 4259, BN: 2496, ARuns: 1192, BRuns: 1058,
		Difference: pointer(-.128), Low: pointer(-.15), High: pointer(-.106), AlwaysValidLow: pointer(-.166), AlwaysValidHigh: pointer(-.09), EValue: pointer(1e9), Verdict: stats.Better,
	}
	success, tokens, never, median := loops, loops, loops, loops
	success.Metric, success.Role, success.HigherIsBetter, success.Verdict = "task_success", stats.Guardrail, true, stats.Holds
	success.A.Value, success.B.Value, success.Difference = pointer(.789), pointer(.871), pointer(.082)
	success.Low, success.High, success.AlwaysValidLow, success.AlwaysValidHigh = pointer(.054), pointer(.11), pointer(.035), pointer(.129)
	tokens.Metric, tokens.Role, tokens.Unit, tokens.Verdict = "recovery_tokens_per_run", stats.FirstError, "tokens", stats.Worse
	tokens.A.Value, tokens.B.Value, tokens.Difference = pointer(3120.0), pointer(3480.0), pointer(360.0)
	tokens.Low, tokens.High, tokens.AlwaysValidLow, tokens.AlwaysValidHigh = pointer(210.0), pointer(510.0), pointer(100.0), pointer(620.0)
	never.Metric, never.Role, never.Verdict, never.Difference, never.CouldMiss = "never", stats.Secondary, stats.NoDifferenceShown, pointer(-.004), pointer(.031)
	never.A.Value, never.B.Value = pointer(.06), pointer(.056)
	never.Low, never.High, never.AlwaysValidLow, never.AlwaysValidHigh = pointer(-.02), pointer(.012), pointer(-.035), pointer(.027)
	median = ask.Compared{Metric: "attempts_p95", Role: stats.Description, Unit: "attempts", A: ask.Figure{Never: true}, B: ask.Figure{Value: pointer(4.0)}, AN: 1700, BN: 1200, ARuns: 1192, BRuns: 1058, Words: "4 against never"}
	rows := []ask.Compared{success, tokens, loops, never, median}
	for i := range rows {
		f.adjust(&rows[i], filters)
	}
	if f.State == "empty" {
		return nil
	}
	return rows
}

// adjust makes a row one of the state that is shown.
func (f Fixture) adjust(row *ask.Compared, filters ask.CompareFilters) {
	judged := row.Role != stats.Description
	if !filters.Cutover.IsZero() {
		row.Observational = true
		if judged {
			row.PlaceboP = pointer(.36)
		}
		if judged && row.Verdict != stats.NoDifferenceShown && row.Role != stats.Guardrail {
			row.Verdict = stats.CauseNotShown
		}
	}
	switch {
	case f.State == "low":
		row.ARuns, row.BRuns, row.AN, row.BN = 12, 9, 12, 9
		row.AlwaysValidLow, row.AlwaysValidHigh, row.CouldMiss = nil, nil, nil
		if judged {
			row.Verdict = stats.Collecting
		}
	case f.State == "partial":
		row.Verdict = stats.NoVerdict
	}
}

// Shadow is what a made-up payload would have said.
func (f Fixture) Shadow(_ context.Context, filters ask.Filters) (ask.Answer[ask.Shadow], error) {
	if f.State == "empty" {
		return given[ask.Shadow](f, "shadow", filters)
	}
	yes, no := true, false
	row := ask.Shadow{OldTemplate: f.text("Invalid status"), OldCode: "~invalid_status", NewCode: "invalid_enum", Shadow: "structured-v2", Count: 81, Runs: 71,
		ExampleRun: "r-1", OldBodyTokens: 486, NewBodyTokens: 4293, Covered: &yes}
	judged, unknown := row, row
	judged.OldTemplate, judged.OldCode, judged.ErrorDisagrees, judged.Count, judged.Runs = "", "", 7, 7, 6
	unknown.NewCode, unknown.Covered, unknown.RetryableDisagrees, unknown.Count = f.text("invalid_thing"), &no, 3, 12
	return given(f, "shadow", filters, row, unknown, judged)
}

// ShadowAgreement is how far made-up payloads agree: on 93 of 100 results.
func (f Fixture) ShadowAgreement(_ context.Context, filters ask.Filters) (ask.Answer[ask.ShadowAgreement], error) {
	row := ask.ShadowAgreement{Runs: 83, Results: 100, BothErrors: 93, Newly: 7, Agreement: pointer(.93), AgreementLow: pointer(.86), AgreementHigh: pointer(.97),
		ErrorDifference: pointer(.07), ErrorDifferenceLow: pointer(.02), ErrorDifferenceHigh: pointer(.12), McNemar: pointer(7.0), McNemarP: pointer(.0082)}
	switch f.State {
	case "empty":
		row = ask.ShadowAgreement{}
	case "low":
		row = ask.ShadowAgreement{Runs: 1, Results: 3, BothErrors: 3, Agreement: pointer(1.0), ErrorDifference: pointer(0.0)}
	}
	return given(f, "shadow_agreement", filters, row)
}
