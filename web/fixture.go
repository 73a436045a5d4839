package web

import (
	"context"
	"slices"
	"time"

	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/metrics/stats"
	"errata/transcript"
)

func pointer[T any](v T) *T { return &v }

// Loops is a made-up loop rate: 25 %, 1 of 4 in a state of little data.
func (f Fixture) Loops(_ context.Context, filters ask.Filters) (ask.Answer[ask.Loops], error) {
	row := ask.Loops{
		Runs: 400, Calls: pointer(int64(5210)), Errored: 800, Refused: pointer(int64(4)), Cancelled: pointer(int64(3)), Pending: pointer(int64(3)),
		Labelled: 800, Repeat: 200, Corrected: 400, Switched: 100, Replied: 60, User: 30, Ended: 10, Futile: 150, Sanctioned: 50,
		LoopRate: pointer(.25), LoopRateLow: pointer(.21), LoopRateHigh: pointer(.29), Mature: 800, MatureRepeats: 200, Loops: 90, LongestChain: 7,
		RunsWithError: 300, RunsWithLoop: 60, MatureRunsWithError: 300, MatureRunsWithLoop: 60, IdleRepeats: pointer(int64(12)), StuckStreaks: 3, Cycles: 2,
	}
	switch {
	case f.State == "empty" && len(filters.By) > 0:
		return given[ask.Loops](f, "loops", filters)
	case f.State == "empty":
		return given(f, "loops", filters, ask.Loops{Calls: new(int64)})
	case f.State == "low":
		row = ask.Loops{Runs: 2, Calls: pointer(int64(9)), Errored: 4, Labelled: 4, Repeat: 1, Corrected: 3, LoopRate: pointer(.25), Mature: 4, MatureRepeats: 1,
			Loops: 1, LongestChain: 1, RunsWithError: 2, MatureRunsWithError: 2}
	}
	if f.State == "partial" {
		row.Calls, row.Refused, row.Cancelled, row.Pending, row.IdleRepeats = nil, nil, nil, nil, nil
		row.Maturing, row.Mature, row.MatureRepeats, row.LoopRateLow, row.LoopRateHigh = 640, 160, 40, pointer(.18), pointer(.33)
	}
	if earlier(filters) && f.State != "low" {
		row.Calls, row.Errored, row.LoopRate, row.LoopRateLow, row.LoopRateHigh = pointer(int64(2615)), 600, pointer(.3), pointer(.26), pointer(.34)
	}
	if len(filters.By) == 0 {
		return given(f, "loops", filters, row)
	}
	names := []string{f.text("bare-v1"), "structured-v2"}
	if slices.Contains(filters.By, ask.ByCode) {
		names = []string{f.text("~invalid_status"), "rate_limited"}
	}
	if earlier(filters) {
		names = names[:1]
	}
	days := []string{""}
	if slices.Contains(filters.By, ask.ByDay) {
		days = fixtureDays()
	}
	if len(filters.By) == 1 && filters.By[0] == ask.ByDay {
		names = names[:1]
	}
	var rows []ask.Loops
	for _, day := range days {
		for _, name := range names {
			one := row
			one.By = ask.Group{}
			if name == "structured-v2" && f.State == "full" {
				one.Repeat, one.MatureRepeats, one.LoopRate, one.LoopRateLow, one.LoopRateHigh = 96, 96, pointer(.12), pointer(.09), pointer(.15)
			}
			for _, by := range filters.By {
				one.By[by] = name
				if by == ask.ByDay {
					one.By[by] = day
				}
			}
			rows = append(rows, one)
		}
	}
	return given(f, "loops", filters, rows...)
}

// Recovery is a made-up recovery: 68 % within 3 attempts, 24 % in 4 to 7, 8 % never.
func (f Fixture) Recovery(_ context.Context, filters ask.Filters) (ask.Answer[ask.Recovery], error) {
	row := ask.Recovery{
		Runs: 200, Episodes: 200, Mature: 200, Recovered: 184, Abandoned: 16, Reasons: map[string]int64{"turn_limit": 10, "moved_on": 6},
		Attempts: map[string]int64{"1": 80, "2": 40, "3": 16, "4": 20, "6": 28}, Turns: map[string]int64{"1": 184},
		Recovery: stats.Recovery{Within3: pointer(.68), From4To7: pointer(.24), From8: pointer(0.0), WithUser: pointer(0.0), Never: pointer(.08), Unknown: pointer(0.0)},
		NeverLow: pointer(.05), NeverHigh: pointer(.13), AttemptsP50: stats.Exactly(2), AttemptsP95: stats.NeverReached(),
		Incidence: []stats.Point{{Attempt: 1, Recovered: .4}, {Attempt: 2, Recovered: .6}, {Attempt: 3, Recovered: .68}, {Attempt: 6, Recovered: .92}},
	}
	switch {
	case f.State == "empty" && len(filters.By) > 0:
		return given[ask.Recovery](f, "recovery", filters)
	case f.State == "empty":
		return given(f, "recovery", filters, ask.Recovery{})
	case f.State == "low":
		row.Runs, row.Mature, row.Episodes = 2, 3, 3
	}
	if len(filters.By) == 0 {
		return given(f, "recovery", filters, row)
	}
	var rows []ask.Recovery
	for _, group := range f.groups(filters.By, f.text("invalid_status")) {
		row.By = group
		rows = append(rows, row)
	}
	return given(f, "recovery", filters, rows...)
}

// Cost is a made-up cost: 1.2 million tokens on 800 errors.
func (f Fixture) Cost(_ context.Context, filters ask.Filters) (ask.Answer[ask.Cost], error) {
	row := ask.Cost{Runs: 300, Errors: 800, RecoveryTurns: 900, Tokens: 1_200_000, BodyTokens: 40_000, USD: pointer(2.4),
		Unpriced: []string{f.text("local-model")}, WholeDays: 28, MonthlyTokens: pointer(1_285_714.0)}
	switch {
	case f.State == "empty" && len(filters.By) > 0:
		return given[ask.Cost](f, "cost", filters)
	case f.State == "empty":
		return given(f, "cost", filters, ask.Cost{})
	case f.State == "partial":
		row.USD, row.Seconds, row.WholeDays, row.MonthlyTokens, row.EstimatedShare = nil, nil, 3, nil, pointer(.41)
	}
	if earlier(filters) {
		row.Errors, row.Tokens = 450, 900_000
	}
	if len(filters.By) == 0 {
		return given(f, "cost", filters, row)
	}
	var rows []ask.Cost
	for i, name := range []string{f.text("invalid_status"), "rate_limited"} {
		if i == 1 {
			row.Tokens, row.USD = 300_000, nil
		}
		if i == 1 && (earlier(filters) || len(filters.By) == 1 && filters.By[0] == ask.ByDay) {
			break
		}
		for _, group := range f.groups(filters.By, name) {
			row.By = group
			rows = append(rows, row)
		}
	}
	return given(f, "cost", filters, rows...)
}

// groups are those of one name, on each made-up day where days are asked for.
func (f Fixture) groups(by []string, name string) []ask.Group {
	days := []string{""}
	if slices.Contains(by, ask.ByDay) {
		days = fixtureDays()
	}
	var all []ask.Group
	for _, day := range days {
		group := ask.Group{}
		for _, dimension := range by {
			group[dimension] = name
			if dimension == ask.ByDay {
				group[dimension] = day
			}
		}
		all = append(all, group)
	}
	return all
}

// fixtureDays are the days on which anything happened: one between them is empty.
func fixtureDays() []string { return []string{"2026-10-20", "2026-10-21", "2026-10-23"} }

// Aliases is one made-up candidate.
func (f Fixture) Aliases(_ context.Context, filters ask.AliasFilters) (ask.Answer[ask.Alias], error) {
	if f.State == "empty" {
		return given[ask.Alias](f, "aliases", filters.Filters)
	}
	return given(f, "aliases", filters.Filters, ask.Alias{
		Level: "value", Tool: "update_ticket", Field: "/status", Rejected: `"` + f.text("ACTIVE") + `"`, Accepted: `"open"`, Kind: "alias", Inferred: true,
		Episodes: 12, Runs: 10, Rivals: 1, Agreeing: 10, Voters: 10, AgreementLow: pointer(.72), FirstSeen: fixtureNow.AddDate(0, 0, -9), LastSeen: fixtureNow,
		ExampleRuns: []string{"r-1"}, State: review.StateNew,
	})
}

// Runs is one made-up run.
func (f Fixture) Runs(_ context.Context, filters ask.RunFilters) (ask.Answer[ask.RunRow], error) {
	if f.State == "empty" {
		return given[ask.RunRow](f, "runs", filters.Filters)
	}
	a, err := given(f, "runs", filters.Filters, ask.RunRow{
		RunID: f.text("r-1"), Agent: pointer("support-bot"), Model: pointer("gpt-4o"), StartedAt: fixtureNow.Add(-time.Hour), Ended: true,
		Turns: 3, Calls: 2, Errored: 1, Episodes: 1, Tokens: 4200, EndReason: pointer("completed"), Codes: []string{f.text("invalid_status")},
	})
	if err == nil {
		a.NextCursor = "next"
	}
	return a, err
}

// Values are a few made-up ones.
func (f Fixture) Values(_ context.Context, filters ask.Filters) (ask.Answer[ask.Values], error) {
	if earlier(filters) {
		return given(f, "values", filters, ask.Values{Tool: []string{"get_ticket"}, Code: []string{"~invalid_status"}, Variant: []string{"bare-v1"}, Model: []string{"gpt-4o"}, Agent: []string{"support-bot"}})
	}
	return given(f, "values", filters, ask.Values{Tool: []string{"get_ticket", "update_ticket"}, Code: []string{"rate_limited", "~invalid_status"},
		Variant: []string{"bare-v1", "structured-v2"}, Model: []string{"gpt-4o", f.text("local-model")}, Agent: []string{"support-bot"}})
}

// Strips are two calls, the first of which failed.
func (f Fixture) Strips(_ context.Context, runs []string, _ int) (ask.Answer[ask.Strip], error) {
	var rows []ask.Strip
	for _, id := range runs {
		rows = append(rows, ask.Strip{RunID: id, Outcomes: "eo"})
	}
	return given(f, "strips", ask.Filters{}, rows...)
}

// Run is one made-up run: a call that fails, and its repair.
func (f Fixture) Run(_ context.Context, id string, _ time.Time) (ask.Answer[ask.Run], error) {
	if f.State == "empty" {
		return ask.Answer[ask.Run]{}, &ask.Error{Code: ask.CodeNotFound, Field: "id", Message: "there is no run \"" + id + "\""}
	}
	at := fixtureNow.Add(-time.Hour)
	body := f.text(`{"error":"Invalid status"}`)
	return given(f, "run", ask.Filters{}, ask.Run{
		RunID: id, Format: "errata", Agent: pointer("support-bot"), StartedAt: at, LastActivity: fixtureNow, Timed: true, Ended: true,
		Threads: []ask.Thread{{
			Messages: []ask.Message{{Role: "user", Text: f.text("Close the ticket."), Time: &at}, {Role: "assistant", Text: "Closing it.", Turn: 1}, {Role: "assistant", Turn: 2}},
			Turns: []ask.Turn{
				{Number: 1, Time: at, Calls: []ask.Call{{Tool: "update_ticket", Arguments: `{"status":"ACTIVE"}`, Time: at, Result: &transcript.Result{Body: body}, Outcome: pointer("error"),
					Error: &ask.CallError{Code: "~invalid_status", Template: f.text("Invalid status"), Label: pointer("corrected"), Object: transcript.ErrorObject{Schema: "text", Message: f.text("Invalid status")}}}}},
				{Number: 2, Follows: 1, Time: at, Calls: []ask.Call{{Tool: "update_ticket", Arguments: `{"status":"open"}`, Time: at, Result: &transcript.Result{Body: `{"ok":true}`}, Outcome: pointer("ok")}}},
			},
		}},
		Episodes: []ask.Episode{{First: ask.Place{Turn: 1}, Last: ask.Place{Turn: 2}, Calls: []ask.Place{{Turn: 1}, {Turn: 2}}, Tool: "update_ticket",
			Code: "~invalid_status", Ending: "recovered", Attempts: 1, Turns: pointer(1), Seconds: pointer(2.0)}},
	})
}
