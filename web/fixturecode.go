package web

import (
	"context"
	"time"

	"errata/metrics/ask"
	"errata/metrics/stats"
)

// Errors are two made-up shapes of one code.
func (f Fixture) Errors(_ context.Context, filters ask.ErrorFilters) (ask.Answer[ask.ErrorKind], error) {
	if f.State == "empty" {
		return given[ask.ErrorKind](f, "errors", filters.Filters)
	}
	kind := ask.ErrorKind{
		Code: "~invalid_status", Template: f.text("Invalid status"), Tool: "update_ticket", Schema: "error_string", Count: 612, Runs: 240,
		FirstSeen: fixtureNow.AddDate(0, 0, -20), LastSeen: fixtureNow.Add(-time.Hour), ExampleRun: "r-1", Rules: []string{"body_error", "flag"},
	}
	other := kind
	other.Template, other.Schema, other.Count, other.Runs = "Invalid status "+f.text("<*>"), "text", 188, 90
	return given(f, "errors", filters.Filters, kind, other)
}

// NextActions is what agents did after a made-up error: half corrected it.
func (f Fixture) NextActions(_ context.Context, filters ask.Filters) (ask.Answer[ask.NextActions], error) {
	row := ask.NextActions{
		Runs: 300, Errored: 800, Labelled: 800, Mature: 800, Repeat: 200, Corrected: 400, Switched: 100, Replied: 60, User: 30, Ended: 10,
		RepeatShare: pointer(.25), RepeatLow: pointer(.21), RepeatHigh: pointer(.29), CorrectedShare: pointer(.5), CorrectedLow: pointer(.46), CorrectedHigh: pointer(.54),
		SwitchedShare: pointer(.125), SwitchedLow: pointer(.1), SwitchedHigh: pointer(.15), RepliedShare: pointer(.075), RepliedLow: pointer(.05), RepliedHigh: pointer(.1),
		UserShare: pointer(.0375), UserLow: pointer(.02), UserHigh: pointer(.05), EndedShare: pointer(.0125), EndedLow: pointer(.005), EndedHigh: pointer(.03),
		Obeyed: 60, Disobeyed: 20, ObeyedShare: pointer(.75), ObeyedLow: pointer(.64), ObeyedHigh: pointer(.84), StopAsked: 80, StopDone: 60, StopShare: pointer(.75), StopBase: pointer(.2),
	}
	switch f.State {
	case "empty":
		row = ask.NextActions{}
	case "low":
		row = ask.NextActions{Runs: 2, Errored: 4, Labelled: 4, Repeat: 1, Corrected: 3, Mature: 4, RepeatShare: pointer(.25), CorrectedShare: pointer(.75)}
	}
	return given(f, "next_actions", filters, row)
}

// FieldEffects are those of two made-up fields.
func (f Fixture) FieldEffects(_ context.Context, filters ask.Filters) (ask.Answer[ask.FieldEffect], error) {
	if f.State == "empty" {
		return given[ask.FieldEffect](f, "field_effects", filters)
	}
	with, without := map[string]float64{"repeat": .05, "corrected": .9, "switched": .05}, map[string]float64{"repeat": .3, "corrected": .6, "switched": .1}
	hint := ask.FieldEffect{Code: "~invalid_status", Field: "hint", WithN: 140, WithoutN: 160, SharesWith: with, SharesWithout: without, P: pointer(.0001), Verdict: stats.FieldChanges, Association: true}
	allowed := hint
	allowed.Field, allowed.SharesWithout, allowed.P, allowed.Verdict = "allowed", with, pointer(.71), stats.FieldNotShown
	if f.State == "low" {
		hint.WithN, hint.WithoutN, hint.P, hint.Verdict = 2, 1, pointer(.6), stats.FieldNotShown
	}
	return given(f, "field_effects", filters, hint, allowed)
}

// Findings are two made-up breaches of the contract.
func (f Fixture) Findings(_ context.Context, filters ask.Filters) (ask.Answer[ask.Finding], error) {
	if f.State == "empty" {
		return given[ask.Finding](f, "findings", filters)
	}
	return given(f, "findings", filters, ask.Finding{Finding: "no_code", Count: 800, Runs: 300, ExampleRun: f.text("r-1")},
		ask.Finding{Finding: "field_key_missing", Count: 780, Runs: 296, ExampleRun: "r-1"})
}

// Coupling is one made-up helper.
func (f Fixture) Coupling(_ context.Context, filters ask.Filters) (ask.Answer[ask.Coupling], error) {
	if f.State == "empty" {
		return given[ask.Coupling](f, "coupling", filters)
	}
	return given(f, "coupling", filters, ask.Coupling{
		Tool: "update_ticket", Code: "~invalid_status", Helper: f.text("get_ticket"), Episodes: 37, Recovered: 184, Runs: 36, Share: pointer(37.0 / 184), ShareLow: pointer(.15), ShareHigh: pointer(.26),
		Calls: 52, Tokens: 624, ValueFromHelper: 22,
	})
}

// Waste is made-up waste.
func (f Fixture) Waste(_ context.Context, filters ask.Filters) (ask.Answer[ask.Waste], error) {
	row := ask.Waste{Runs: 200, Episodes: 200, SerialFaults: 14, CollateralChanged: 31, CollateralRejected: 6, Errors: 800, BodyTokens: 40_000, RecoveryTokens: 1_200_000,
		BodyTokensPerError: pointer(50.0), RecoveryTokensPerError: pointer(1500.0)}
	if f.State == "empty" {
		row = ask.Waste{}
	}
	return given(f, "waste", filters, row)
}
