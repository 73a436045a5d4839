package endtoend_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"errata/internal/simulate"
	"errata/metrics/ask"
)

// sameWaste holds what errors wasted against the plan: serial faults, and arguments that changed without being named.
func sameWaste(t *testing.T, db *ask.DB, f ask.Filters, want map[string]simulate.Group) {
	answer, err := db.Waste(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range answer.Rows {
		name := groupOf(row.By, f.By)
		g := want[name]
		equal(t, name+" waste", []any{row.Episodes, row.SerialFaults, row.CollateralChanged, row.Errors, row.RecoveryTokens},
			[]any{g.Episodes, g.SerialFaults, g.CollateralChanged, g.Errored, g.RecoveryTokens.Total()})
	}
}

// sameNextActions holds the six labels and the pauses against the plan.
func sameNextActions(t *testing.T, db *ask.DB, f ask.Filters, want map[string]simulate.Group) {
	answer, err := db.NextActions(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, row := range answer.Rows {
		name := groupOf(row.By, f.By)
		g := want[name]
		seen++
		equal(t, name+" next", []any{row.Errored, row.Labelled, row.Repeat, row.Corrected, row.Switched, row.Replied, row.User, row.Ended, row.Honoured, row.NotHonoured},
			[]any{g.Errored, g.Labelled, g.Repeat, g.Corrected, g.Switched, g.Replied, g.User, g.Ended, g.Honoured, g.NotHonoured})
		equal(t, name+" shares", []float64{*row.RepeatShare, *row.RepliedShare},
			[]float64{float64(g.Repeat) / float64(g.Labelled), float64(g.Replied) / float64(g.Labelled)})
	}
	failing := 0
	for _, g := range want {
		if g.Errored > 0 {
			failing++
		}
	}
	equal(t, "groups", seen, failing)
}

// sameObedience counts by section 4 what the planned errors asked for and what was done, and which runs loop on their
// first error.
func sameObedience(t *testing.T, db *ask.DB, f ask.Filters, truths []simulate.Truth) {
	obeyed, disobeyed, looping, failing := 0, 0, 0, 0
	for i := range truths {
		for _, e := range truths[i].Errors {
			stops := e.NextAction == "stop" || e.NextAction == "ask_user" || e.NextAction == "" && e.Retryable == "false"
			if !stops && e.NextAction != "retry" || e.Label == simulate.User {
				continue
			}
			if e.Label == simulate.Repeat != stops && (e.Label == simulate.Repeat || e.Label == simulate.Replied || e.Label == simulate.Ended) {
				obeyed++
			} else {
				disobeyed++
			}
		}
		if len(truths[i].Errors) > 0 {
			failing++
			if firstError(&truths[i]).Label == simulate.Repeat {
				looping++
			}
		}
	}
	next, err := db.NextActions(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if obeyed == 0 || disobeyed == 0 {
		t.Errorf("nothing is obeyed (%d) or disobeyed (%d) in these runs: they show nothing", obeyed, disobeyed)
	}
	equal(t, "obeyed, disobeyed", []any{next.Rows[0].Obeyed, next.Rows[0].Disobeyed}, []any{obeyed, disobeyed})
	loops, err := db.Loops(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "runs that loop on their first error", []any{loops.Rows[0].RunsWithLoop, loops.Rows[0].MatureRunsWithLoop, loops.Rows[0].MatureRunsWithError},
		[]any{looping, looping, failing})
}

// firstError is the earliest error of a run, of several at one time the one that stands first in its thread.
func firstError(r *simulate.Truth) simulate.ErrorTruth {
	return slices.MinFunc(r.Errors, func(a, b simulate.ErrorTruth) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Index, b.Index))
	})
}

// samePatterns holds idle repeats, stuck streaks and cycles against the plan.
func samePatterns(t *testing.T, db *ask.DB, f ask.Filters, truths []simulate.Truth) {
	want := map[string][3]int{}
	for i := range truths {
		r := &truths[i]
		name := ""
		switch {
		case slices.Contains(f.By, ask.ByModel):
			name = r.Model
		case slices.Contains(f.By, ask.ByAgent):
			name = r.Agent
		}
		n := want[name]
		want[name] = [3]int{n[0] + r.IdleRepeats, n[1] + r.StuckStreaks, n[2] + r.Cycles}
	}
	answer, err := db.Loops(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range answer.Rows {
		name := groupOf(row.By, f.By)
		equal(t, name+" idle repeats, streaks, cycles", []any{*row.IdleRepeats, row.StuckStreaks, row.Cycles}, []any{want[name][0], want[name][1], want[name][2]})
		if n := want[name]; !testing.Short() && (n[0] == 0 || n[1] == 0 || n[2] == 0) {
			t.Errorf("%s: these runs lack a pattern and show nothing of it: %v", name, n)
		}
	}
	equal(t, "groups", len(answer.Rows), len(want))
}

// sameCoupling holds the helpers of recovered episodes against the plan. Episodes that recover in one turn with another
// one help each other in no reading that the plan knows, and are in it without helpers.
func sameCoupling(t *testing.T, db *ask.DB, f ask.Filters, truths []simulate.Truth) {
	type key struct{ tool, code, helper string }
	want, recovered := map[key][4]int{}, map[key]int{}
	for i := range truths {
		for _, e := range truths[i].Episodes {
			if e.Ending != simulate.Recovered && e.Ending != simulate.RecoveredWithUser {
				continue
			}
			recovered[key{e.Tool, e.Code, ""}]++
			for _, h := range e.Helpers {
				n := want[key{e.Tool, e.Code, h.Tool}]
				n[0]++
				n[1] += h.Calls
				n[2] += one(h.ValueFromHelper)
				n[3] += one(h.NamedByError)
				want[key{e.Tool, e.Code, h.Tool}] = n
			}
		}
	}
	answer, err := db.Coupling(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	got := map[key][4]int{}
	for _, row := range answer.Rows {
		k := key{row.Tool, row.Code, row.Helper}
		got[k] = [4]int{int(row.Episodes), int(row.Calls), int(row.ValueFromHelper), int(row.NamedByError)}
		equal(t, fmt.Sprint(k, " of"), row.Recovered, recovered[key{row.Tool, row.Code, ""}])
		equal(t, fmt.Sprint(k, " share"), *row.Share, float64(row.Episodes)/float64(row.Recovered))
	}
	if len(want) == 0 || !maps.Equal(got, want) {
		t.Errorf("couplings are\n%v, want\n%v", got, want)
	}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// sameShadows holds the table of old and new codes against the plan.
func sameShadows(t *testing.T, db *ask.DB, f ask.Filters, truths []simulate.Truth) {
	want, got := map[[2]string]int64{}, map[[2]string]int64{}
	for i := range truths {
		for _, s := range truths[i].Shadows {
			want[[2]string{s.OldCode, s.NewCode}]++
		}
	}
	answer, err := db.Shadow(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range answer.Rows {
		got[[2]string{row.OldCode, row.NewCode}] += row.Count
		equal(t, row.OldCode+" disagreements", []any{row.ErrorDisagrees, row.RetryableDisagrees}, []any{0, 0})
	}
	if len(want) == 0 || !maps.Equal(got, want) {
		t.Errorf("shadows are\n%v, want\n%v", got, want)
	}
}

// sameBreaker counts by section 6 what a breaker would have cut off: a turn that is charged, or a recovery, before which
// its tool had failed n times in a row in its thread.
func sameBreaker(t *testing.T, db *ask.DB, f ask.Filters, truths []simulate.Truth) {
	if len(f.By) > 0 && f.By[0] != ask.ByModel {
		return
	}
	type key struct {
		model string
		n     int
	}
	type saved struct{ turns, tokens, recoveries int64 }
	want := map[key]saved{}
	for i := range truths {
		r := &truths[i]
		model := ""
		if len(f.By) > 0 {
			model = r.Model
		}
		for _, c := range r.Charges {
			streak := failuresBefore(r, c.Thread, toolBlamed(r, &c), c.Turn)
			for n := 1; n <= min(streak, 10); n++ {
				s := want[key{model, n}]
				s.turns, s.tokens = s.turns+int64(c.Turns), s.tokens+c.Tokens.Total()
				want[key{model, n}] = s
			}
		}
		for _, e := range r.Episodes {
			if e.Ending != simulate.Recovered && e.Ending != simulate.RecoveredWithUser {
				continue
			}
			streak := failuresBefore(r, e.Thread, e.Tool, e.Turn+e.Turns)
			for n := 1; n <= min(streak, 10); n++ {
				s := want[key{model, n}]
				s.recoveries++
				want[key{model, n}] = s
			}
		}
	}
	answer, err := db.Breaker(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range answer.Rows {
		k := key{groupOf(row.By, f.By), int(row.N)}
		equal(t, fmt.Sprint(k), saved{row.TurnsSaved, row.TokensSaved, row.RecoveriesLost}, want[k])
	}
}

// toolBlamed is the tool of the error that a charge is for: that of its episode, since all scenes fail with one tool.
func toolBlamed(r *simulate.Truth, c *simulate.ChargeTruth) string { return r.Episodes[c.Episode].Tool }

// failuresBefore counts the failures in a row of a tool in a thread before a turn.
func failuresBefore(r *simulate.Truth, thread, tool string, turn int) int {
	count := 0
	calls := slices.Clone(r.Calls)
	slices.SortStableFunc(calls, func(a, b simulate.CallTruth) int {
		return cmp.Or(cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Index, b.Index))
	})
	for _, c := range calls {
		if c.Thread != thread || c.Tool != tool || c.Turn >= turn {
			continue
		}
		switch c.Outcome {
		case simulate.Error:
			count++
		case simulate.OK:
			count = 0
		}
	}
	return count
}

// chargesAddUp holds the sums over codes, tools and days against the total: exactly, tokens and nano-dollars.
func chargesAddUp(t *testing.T, db *ask.DB, f ask.Filters) {
	sums := map[string][3]int64{}
	for _, by := range []string{"", ask.ByCode, ask.ByTool, ask.ByDay, ask.ByVariant, ask.ByModel, ask.ByAgent} {
		if f.By = nil; by != "" {
			f.By = []string{by}
		}
		answer, err := db.Cost(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		var sum [3]int64
		for _, row := range answer.Rows {
			sum[0] += row.Tokens
			sum[1] += row.RecoveryTurns
			if row.USD != nil {
				sum[2] += int64(math.Round(*row.USD * 1e9))
			}
		}
		sums[by] = sum
		equal(t, "sum by "+by, sum, sums[""])
	}
	if sums[""][2] == 0 {
		t.Error("no money was spent: the runs show nothing of it")
	}
}
