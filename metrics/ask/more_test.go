package ask_test

import (
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/transcript"
)

func TestErrorsInventory(t *testing.T) {
	f := open(t)
	kind := func(at time.Duration, code transcript.Code, template, schema, rule string) metrics.CallFact {
		c := failed(at, "search", code, metrics.LabelReplied)
		c.Template, c.Error.Schema, c.ErrorRule = template, schema, rule
		return c
	}
	a, b := run("a", time.Hour), run("b", time.Hour)
	a.Calls = []metrics.CallFact{
		kind(0, "bad", "no <n>", "text", "opening"), kind(time.Minute, "bad", "no <n>", "text", "flag"), kind(0, "bad", "other", "text", "flag"),
	}
	b.Calls = []metrics.CallFact{kind(2*time.Minute, "bad", "no <n>", "text", "flag"), kind(0, "slow", "no <n>", "five_field", "flag")}
	f.put(a, b)
	answer, err := f.Errors(t.Context(), ask.ErrorFilters{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, answer.Rows, []ask.ErrorKind{
		{"bad", "no <n>", "search", "text", 3, 2, t0, t0.Add(2 * time.Minute), "b", []string{"flag", "opening"}, nil},
		{"bad", "other", "search", "text", 1, 1, t0, t0, "a", []string{"flag"}, nil},
		{"slow", "no <n>", "search", "five_field", 1, 1, t0, t0, "b", []string{"flag"}, nil},
	})
	answer, err = f.Errors(t.Context(), ask.ErrorFilters{Rule: []string{"opening"}, Filters: ask.Filters{Code: []string{"bad"}}})
	row := only(t, answer, err)
	same(t, []int64{row.Count, row.Runs}, []int64{1, 1})
	_, err = f.Errors(t.Context(), ask.ErrorFilters{Filters: ask.Filters{By: []string{"tool"}}})
	refused(t, err, "by")
}

func TestFindings(t *testing.T) {
	f := open(t)
	finding := func(name string, at time.Duration, code transcript.Code) metrics.FindingFact {
		return metrics.FindingFact{Finding: name, Time: t0.Add(at), Tool: "search", Code: code, Model: "gpt", Variant: "plain"}
	}
	a, b := run("a", 0), run("b", 0)
	a.Findings = []metrics.FindingFact{finding("no_code", 0, "bad"), finding("no_code", 0, "bad"), finding("not_json", 0, "slow")}
	b.Findings = []metrics.FindingFact{finding("no_code", time.Minute, "bad")}
	f.put(a, b)
	answer, err := f.Findings(t.Context(), ask.Filters{All: true})
	if err != nil {
		t.Fatal(err)
	}
	none := ask.Group{}
	same(t, answer.Rows, []ask.Finding{{none, "no_code", 3, 2, "b"}, {none, "not_json", 1, 1, "a"}})
	answer, err = f.Findings(t.Context(), ask.Filters{All: true, By: []string{"code"}, To: time.Time{}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, answer.Rows, []ask.Finding{{ask.Group{"code": "bad"}, "no_code", 3, 2, "b"}, {ask.Group{"code": "slow"}, "not_json", 1, 1, "a"}})
}

func TestWaste(t *testing.T) {
	f := open(t)
	a := run("a", time.Hour)
	a.Calls = []metrics.CallFact{failed(0, "search", "bad", metrics.LabelReplied), failed(0, "search", "bad", metrics.LabelReplied)}
	a.Calls[0].BodyTokens, a.Calls[1].BodyTokens = 30, 60
	a.Episodes = []metrics.EpisodeFact{episode(0, "search", "bad", metrics.EndingRecovered, 3), episode(0, "edit", "slow", metrics.EndingOpen, 0)}
	a.Episodes[0].Serial, a.Episodes[0].Changed, a.Episodes[0].Rejected = 2, 5, 3
	a.Episodes[1].Serial = 1
	a.Charges = []metrics.ChargeFact{charge(0, "bad", 100), charge(0, "slow", 7)}
	f.put(a)
	answer, err := f.Waste(t.Context(), ask.Filters{})
	same(t, only(t, answer, err), ask.Waste{
		By: ask.Group{}, Runs: 1, Episodes: 2, SerialFaults: 3, CollateralChanged: 5, CollateralRejected: 3, Errors: 2, BodyTokens: 90,
		RecoveryTokens: 107, BodyTokensPerError: share(45), RecoveryTokensPerError: share(53.5),
	})
	answer, err = f.Waste(t.Context(), ask.Filters{Code: []string{"slow"}})
	same(t, only(t, answer, err), ask.Waste{By: ask.Group{}, Runs: 1, Episodes: 1, SerialFaults: 1, RecoveryTokens: 7})
	answer, err = f.Waste(t.Context(), ask.Filters{Tool: []string{"none"}})
	same(t, only(t, answer, err), ask.Waste{By: ask.Group{}})
}

func TestCoupling(t *testing.T) {
	f := open(t)
	helped := func(helpers ...metrics.HelperFact) metrics.EpisodeFact {
		e := episode(0, "update", "bad", metrics.EndingRecovered, 1)
		e.Helpers = helpers
		return e
	}
	look := metrics.HelperFact{Tool: "look", Calls: 2, Tokens: 50, ValueFromIt: true, NamedByError: true}
	glance := metrics.HelperFact{Tool: "look", Calls: 1, Tokens: 10}
	a, b := run("a", time.Hour), run("b", time.Hour)
	a.Episodes = []metrics.EpisodeFact{helped(look, metrics.HelperFact{Tool: "list", Calls: 1, Tokens: 3}), helped(glance), helped()}
	abandoned := episode(0, "update", "bad", metrics.EndingAbandoned, 1)
	abandoned.Helpers = []metrics.HelperFact{look}
	withUser := episode(0, "update", "bad", metrics.EndingRecoveredWithUser, 1)
	young := helped(look)
	young.Time = t0.Add(time.Hour)
	b.Episodes = []metrics.EpisodeFact{withUser, abandoned, young}
	b.Calls = []metrics.CallFact{call(time.Hour, "update", metrics.OutcomeOK)}
	f.put(a, b)
	// Four mature recovered episodes; two used look, in a.
	answer, err := f.Coupling(t.Context(), ask.Filters{AsOf: t0.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if len(answer.Rows) != 2 {
		t.Fatalf("rows: %+v", answer.Rows)
	}
	row := answer.Rows[0]
	if row.ShareLow == nil || *row.ShareLow >= .5 || *row.ShareHigh <= .5 {
		t.Errorf("the interval is %v to %v", deref(row.ShareLow), deref(row.ShareHigh))
	}
	row.ShareLow, row.ShareHigh = nil, nil
	same(t, row, ask.Coupling{
		Tool: "update", Code: "bad", Helper: "look", Episodes: 2, Recovered: 4, Runs: 1, Share: share(.5), Calls: 3, Tokens: 60,
		ValueFromHelper: 1, NamedByError: 1,
	})
	same(t, []any{answer.Rows[1].Helper, answer.Rows[1].Episodes, answer.Rows[1].Share}, []any{"list", 1, .25})
	_, err = f.Coupling(t.Context(), ask.Filters{By: []string{"tool"}})
	refused(t, err, "by")
}

func TestNextActions(t *testing.T) {
	f := open(t)
	asked := func(tool transcript.Tool, label metrics.Label, retryable transcript.Tristate, next string) metrics.CallFact {
		c := failed(0, tool, "bad", label)
		c.Error.Retryable, c.Error.NextAction = retryable, next
		return c
	}
	const unset, no, yes = transcript.Unset, transcript.False, transcript.True
	honoured, early := true, false
	a, b := run("a", time.Hour), run("b", time.Hour)
	a.Calls = []metrics.CallFact{
		asked("search", metrics.LabelReplied, no, ""),       // stop: obeyed
		asked("search", metrics.LabelRepeat, no, ""),        // stop: disobeyed
		asked("search", "", unset, "Ask-User"),              // stop: obeyed once the run has ended
		asked("search", metrics.LabelUser, no, ""),          // a user spoke: not judged
		asked("search", metrics.LabelRepeat, yes, "retry"),  // retry: obeyed
		asked("search", metrics.LabelSwitched, yes, "find"), // asks for something that is not judged
		asked("search", metrics.LabelReplied, unset, ""),    // asks nothing
		asked("search", metrics.LabelCorrected, yes, ""),    // asks nothing that is judged
	}
	a.Calls[4].Honoured = &honoured
	b.Calls = []metrics.CallFact{
		asked("edit", metrics.LabelRepeat, unset, "retry"), // retry: obeyed; no other error of the tool: no base
		asked("look", metrics.LabelReplied, unset, ""),     // a tool that asks nothing weighs nothing
	}
	b.Calls[0].Honoured = &early
	f.put(a, b)
	answer, err := f.NextActions(t.Context(), ask.Filters{To: t0.Add(time.Hour), From: t0})
	row := only(t, answer, err)
	same(t, []int64{row.Runs, row.Errored, row.Labelled, row.Maturing, row.Mature}, []int64{2, 10, 10, 0, 10})
	same(t, []int64{row.Repeat, row.Corrected, row.Switched, row.Replied, row.User, row.Ended}, []int64{3, 1, 1, 3, 1, 1})
	same(t, []*float64{row.RepeatShare, row.CorrectedShare, row.SwitchedShare, row.RepliedShare, row.UserShare, row.EndedShare},
		[]*float64{share(.3), share(.1), share(.1), share(.3), share(.1), share(.1)})
	same(t, []int64{row.Obeyed, row.Disobeyed, row.Honoured, row.NotHonoured}, []int64{4, 1, 1, 1})
	same(t, []*float64{row.ObeyedShare, row.HonouredShare}, []*float64{share(.8), share(.5)})
	same(t, []int64{row.StopAsked, row.StopDone, row.RetryAsked, row.RetryDone}, []int64{3, 2, 2, 2})
	// Of the three errors of search that asked for nothing judged one was followed by words, none by a repeat.
	near(t, "stop_base_share", row.StopBase, 1./3)
	near(t, "retry_base_share", row.RetryBase, 0)
	near(t, "stop_share", row.StopShare, 2./3)
	near(t, "retry_share", row.RetryShare, 1)
	if row.RepeatLow == nil || *row.RepeatLow >= .3 || *row.RepeatHigh <= .3 {
		t.Errorf("the interval of repeat is %v to %v", deref(row.RepeatLow), deref(row.RepeatHigh))
	}

	answer, err = f.NextActions(t.Context(), ask.Filters{To: t0.Add(time.Hour), From: t0, AsOf: t0.Add(time.Minute)})
	row = only(t, answer, err)
	same(t, []any{row.Labelled, row.Maturing, row.Mature, row.Ended, row.Obeyed, row.RepeatShare, row.StopAsked}, []any{9, 10, 0, 0, 3, nil, 0})

	answer, err = f.NextActions(t.Context(), ask.Filters{Tool: []string{"none"}})
	row = only(t, answer, err)
	same(t, []any{row.Errored, row.RepeatShare, row.StopBase}, []any{0, nil, nil})
}
