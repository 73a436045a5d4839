package ask_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/transcript"
)

// pair is a rejected value of the field /status of update_ticket.
func pair(episode int, rejected, accepted, kind string) metrics.PairFact {
	return metrics.PairFact{
		Level: metrics.LevelValue, Tool: "update_ticket", Code: "~invalid_status", Field: "/status",
		Rejected: rejected, Accepted: accepted, Kind: kind, Inferred: true, Episode: episode,
		Model: "gpt", Variant: "plain", Time: t0.Add(time.Duration(episode) * time.Minute),
	}
}

// pairsOf puts pairs into a run of its own, with a call to make it the newest.
func pairsOf(id string, pairs ...metrics.PairFact) metrics.Facts {
	r := run(id, time.Hour)
	r.Calls = []metrics.CallFact{call(time.Hour, "update_ticket", metrics.OutcomeOK)}
	r.Pairs = pairs
	return r
}

// Worked example 1, three times: three pairs, of which one is no matter of case, so that none is folded.
func TestAliasesOfTheTicket(t *testing.T) {
	f := open(t)
	for i := range 3 {
		f.put(pairsOf(fmt.Sprint("r", i),
			pair(0, `"OPEN"`, `"open"`, "case"), pair(0, `"Open"`, `"open"`, "case"), pair(0, `"ACTIVE"`, `"open"`, "alias")))
	}
	a, err := f.Aliases(t.Context(), ask.AliasFilters{})
	if err != nil {
		t.Fatal(err)
	}
	want := func(rejected, kind string) ask.Alias {
		return ask.Alias{
			Level: "value", Tool: "update_ticket", Field: "/status", Rejected: rejected, Accepted: `"open"`, Kind: kind, Inferred: true,
			Episodes: 3, Runs: 3, Agreeing: 3, Voters: 3, AgreementLow: a.Rows[0].AgreementLow,
			FirstSeen: t0, LastSeen: t0, ExampleRuns: []string{"r0", "r1", "r2"}, State: "new",
		}
	}
	same(t, a.Rows, []ask.Alias{want(`"ACTIVE"`, "alias"), want(`"OPEN"`, "case"), want(`"Open"`, "case")})
	if low := *a.Rows[0].AgreementLow; low < .435 || low > .445 { // statistics.md, section 8: 3/3 = .44
		t.Errorf("agreement_low is %v", low)
	}
}

// One vote a run: that of the first episode with the rejected value. The other values are rivals.
func TestAliasVotes(t *testing.T) {
	f := open(t)
	f.put(
		pairsOf("a", pair(0, `"done"`, `"closed"`, "alias"), pair(1, `"done"`, `"resolved"`, "alias"), pair(2, `"done"`, `"closed"`, "alias")),
		pairsOf("b", pair(3, `"done"`, `"resolved"`, "alias"), pair(2, `"done"`, `"closed"`, "alias")),
		pairsOf("c", pair(0, `"done"`, `"resolved"`, "alias")),
		pairsOf("d", pair(0, `"done"`, `"closed"`, "alias")),
	)
	a, err := f.Aliases(t.Context(), ask.AliasFilters{})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, r := range a.Rows {
		got = append(got, fmt.Sprintf("%s: %d runs, %d episodes, %d rivals, %d of %d, %s to %s, %v",
			r.Accepted, r.Runs, r.Episodes, r.Rivals, r.Agreeing, r.Voters,
			r.FirstSeen.Format(time.TimeOnly), r.LastSeen.Format(time.TimeOnly), r.ExampleRuns))
	}
	same(t, got, []string{
		`"closed": 3 runs, 4 episodes, 1 rivals, 3 of 4, 00:00:00 to 00:02:00, [a b d]`,
		`"resolved": 3 runs, 3 episodes, 1 rivals, 1 of 4, 00:00:00 to 00:03:00, [b a c]`,
	})
}

// Where every rejection of a field is one of case there is one rule; it counts a run once, whatever it wrote.
func TestAliasesOfCaseAreOneRule(t *testing.T) {
	f := open(t)
	f.put(
		pairsOf("a", pair(0, `"OPEN"`, `"open"`, "case"), pair(0, `"Open"`, `"open"`, "case")),
		pairsOf("b", pair(0, `"Closed"`, `"closed"`, "case")),
		pairsOf("c", pair(0, `"OPEN"`, `"open"`, "case"), pair(4, `"Closed"`, `"closed"`, "case")),
	)
	a, err := f.Aliases(t.Context(), ask.AliasFilters{})
	row := only(t, a, err)
	same(t, []string{row.Rejected, row.Accepted, row.Kind}, []string{"*", "*", "case"})
	same(t, []int64{row.Runs, row.Episodes, row.Folded, row.Rivals, row.Agreeing, row.Voters}, []int64{3, 4, 3, 0, 3, 3})
}

func TestAliasGuards(t *testing.T) {
	f := open(t)
	accepted := func(tool transcript.Tool, field string, calls int, values ...uint32) metrics.AcceptedFact {
		return metrics.AcceptedFact{Tool: tool, Field: field, Calls: calls, Values: values}
	}
	field := func(field, rejected, accepted string) metrics.PairFact {
		p := pair(0, rejected, accepted, "alias")
		p.Field = field
		return p
	}
	for i := range 3 {
		r := pairsOf(fmt.Sprint("r", i),
			field("/closed", `"a"`, `"b"`), field("/open", `"a"`, `"b"`), field("/few", `"a"`, `"b"`),
			field("/forced_open", `"a"`, `"b"`), field("/forced_closed", `"a"`, `"b"`),
			field("/mail", `"ann@example.org"`, `"b"`), field("/to_mail", `"b"`, `"ann@example.org"`))
		base := uint32(10 * i)
		// 12 accepted calls over the three runs: /closed with 6 values, which is not more than half; /open with 7.
		r.Accepted = []metrics.AcceptedFact{
			accepted("update_ticket", "/closed", 4, base, base+1),
			accepted("update_ticket", "/open", 4, base, base+1),
			accepted("update_ticket", "/few", 3, base, base+1, base+2), // 9 calls are too few to tell
			accepted("update_ticket", "/forced_open", 4, 1),
			accepted("update_ticket", "/forced_closed", 4, base, base+1, base+2),
			accepted("another_tool", "/closed", 100, base, base+1, base+2, base+3),
		}
		if i == 0 {
			r.Accepted[1].Values = []uint32{0, 1, 2}
			two := pairsOf("two", field("/rare", `"a"`, `"b"`))
			f.put(two)
		}
		r.Pairs = append(r.Pairs, field("/sorted", `"a"`, `"b"`))
		f.put(r)
	}
	settings := ask.DefaultSettings()
	settings.Rules.Tools = map[transcript.Tool]metrics.ToolRules{
		"update_ticket": {OpenEnded: map[string]bool{"/forced_open": true, "/forced_closed": false}},
	}
	fields := func(filters ask.AliasFilters) []string {
		t.Helper()
		a, err := f.withSettings(settings).Aliases(t.Context(), filters)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, row := range a.Rows {
			names = append(names, row.Field)
		}
		slices.Sort(names)
		return names
	}
	same(t, fields(ask.AliasFilters{}), []string{"/closed", "/few", "/forced_closed", "/sorted"})
	same(t, fields(ask.AliasFilters{MinRuns: 1}), []string{"/closed", "/few", "/forced_closed", "/rare", "/sorted"})
	same(t, fields(ask.AliasFilters{MinRuns: 4}), []string(nil))
}

func TestAliasFilters(t *testing.T) {
	f := open(t)
	name := func(level metrics.Level, rejected, kind string) metrics.PairFact {
		p := pair(0, rejected, "path", kind)
		p.Level, p.Field = level, ""
		p.Tool, p.Code, p.Model, p.Variant = "read_file", "unknown", "claude", "structured"
		p.Inferred = false
		p.Time = t0.Add(time.Hour)
		return p
	}
	for i := range 3 {
		r := pairsOf(fmt.Sprint("r", i), pair(0, `"ACTIVE"`, `"open"`, "alias"),
			name(metrics.LevelParameter, "paht", "typo"), name(metrics.LevelTool, "read", "alias"))
		r.Run.Meta.Agent = fmt.Sprint("agent", i%2)
		f.put(r)
	}
	rejected := func(filters ask.AliasFilters) []string {
		t.Helper()
		a, err := f.Aliases(t.Context(), filters)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{}
		for _, row := range a.Rows {
			names = append(names, row.Rejected)
		}
		return names
	}
	same(t, rejected(ask.AliasFilters{}), []string{"paht", "read", `"ACTIVE"`})
	same(t, rejected(ask.AliasFilters{Level: []string{"tool", "value"}}), []string{"read", `"ACTIVE"`})
	same(t, rejected(ask.AliasFilters{Kind: []string{"typo"}}), []string{"paht"})
	same(t, rejected(ask.AliasFilters{Filters: ask.Filters{Tool: []string{"update_ticket"}}}), []string{`"ACTIVE"`})
	same(t, rejected(ask.AliasFilters{Filters: ask.Filters{Code: []string{"unknown"}}}), []string{"paht", "read"})
	same(t, rejected(ask.AliasFilters{Filters: ask.Filters{Variant: []string{"plain"}}}), []string{`"ACTIVE"`})
	same(t, rejected(ask.AliasFilters{Filters: ask.Filters{Model: []string{"gpt"}}}), []string{`"ACTIVE"`})
	same(t, rejected(ask.AliasFilters{Filters: ask.Filters{To: t0.Add(time.Minute)}}), []string{`"ACTIVE"`})
	same(t, rejected(ask.AliasFilters{MinRuns: 2, Filters: ask.Filters{Agent: []string{"agent0"}, Tool: []string{"update_ticket"}}}), []string{`"ACTIVE"`})
	same(t, rejected(ask.AliasFilters{Filters: ask.Filters{Agent: []string{"agent0"}}}), []string{})
	for field, filters := range map[string]ask.AliasFilters{
		"kind":     {Kind: []string{"x"}},
		"level":    {Level: []string{"x"}},
		"state":    {State: []string{"x"}},
		"min_runs": {MinRuns: -1},
		"by":       {Filters: ask.Filters{By: []string{"tool"}}},
	} {
		_, err := f.Aliases(t.Context(), filters)
		refused(t, err, field)
	}
}

// A decision belongs to the candidate, not to the facts: it survives re-mining, and the newest counts.
func TestAliasStates(t *testing.T) {
	f := open(t)
	runs := func(version uint64) {
		for i := range 3 {
			f.putVersion(version, pairsOf(fmt.Sprint("r", i), pair(0, `"ACTIVE"`, `"open"`, "alias"), pair(1, `"shut"`, `"closed"`, "alias")))
		}
	}
	runs(1)
	reviews := review.New(f.Conn(), func() time.Time { return later })
	active := review.Entry{Level: "value", Tool: "update_ticket", Field: "/status", Rejected: `"ACTIVE"`, Accepted: `"open"`}
	decide := func(state string) {
		t.Helper()
		if _, err := reviews.Decide(t.Context(), review.Decision{Entry: active, State: state, Note: "seen " + state, Author: "ann"}); err != nil {
			t.Fatal(err)
		}
	}
	states := func(filters ask.AliasFilters) []string {
		t.Helper()
		a, err := f.Aliases(t.Context(), filters)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, row := range a.Rows {
			got = append(got, row.Rejected+" "+row.State+" "+row.Note+" "+row.Author)
		}
		return got
	}
	decide("rejected")
	decide("accepted")
	same(t, states(ask.AliasFilters{}), []string{`"ACTIVE" accepted seen accepted ann`, `"shut" new  `})
	runs(2)
	same(t, states(ask.AliasFilters{State: []string{"accepted"}}), []string{`"ACTIVE" accepted seen accepted ann`})
	same(t, states(ask.AliasFilters{State: []string{"new", "rejected"}}), []string{`"shut" new  `})
	table, _, err := f.AcceptedAliases(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	same(t, table, review.Table{active})
	table, _, err = f.AcceptedAliases(t.Context(), 4)
	if err != nil {
		t.Fatal(err)
	}
	same(t, table, review.Table{}) // fewer runs than asked for
	decide("new")
	same(t, states(ask.AliasFilters{State: []string{"accepted"}}), []string{})

	// What an imported table covers is not shown again, unless it is asked for.
	shut := review.Entry{Level: "value", Tool: "update_ticket", Field: "/status", Rejected: `"shut"`, Accepted: `"closed"`}
	unseen := review.Entry{Level: "tool", Tool: "read", Rejected: "read", Accepted: "read_file"}
	fresh, err := reviews.Import(t.Context(), review.Table{shut, unseen}, "bob")
	if err != nil || fresh != 2 {
		t.Fatalf("%d, %v; want two imported", fresh, err)
	}
	same(t, states(ask.AliasFilters{}), []string{`"ACTIVE" new seen new ann`})
	same(t, states(ask.AliasFilters{State: []string{"accepted"}}), []string{`"shut" accepted imported bob`})
	table, _, err = f.AcceptedAliases(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	same(t, table, review.Table{unseen, shut})
	if fresh, err := reviews.Import(t.Context(), review.Table{shut, unseen}, "bob"); err != nil || fresh != 0 {
		t.Fatalf("%d, %v; want nothing imported twice", fresh, err)
	}
}
