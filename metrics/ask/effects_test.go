package ask_test

import (
	"fmt"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/metrics/stats"
	"errata/transcript"
)

// 40 runs fail with a hint and correct the call, 40 fail without and repeat it; what comes later in a run does not count.
func TestFieldEffects(t *testing.T) {
	f := open(t)
	var runs []metrics.Facts
	for i := range 80 {
		r := run(fmt.Sprintf("r%02d", i), time.Hour)
		first, second := failed(0, "search", "bad", metrics.LabelRepeat), failed(time.Minute, "search", "bad", metrics.LabelEnded)
		second.Error.Hint = "look"
		if i < 40 {
			first.Label, first.Error.Hint = metrics.LabelCorrected, "look"
		}
		r.Calls = []metrics.CallFact{first, second}
		runs = append(runs, r)
	}
	f.put(runs...)
	a, err := f.FieldEffects(t.Context(), ask.Filters{})
	e := only(t, a, err)
	same(t, []any{e.Code, e.Field, e.WithN, e.WithoutN, e.SharesWith["corrected"], e.SharesWithout["repeat"], e.SharesWith["ended"], e.Verdict, e.Association},
		[]any{"bad", "hint", 40, 40, 1, 1, 0, stats.FieldChanges, true})
	near(t, "p of a table that no permutation reaches", e.P, 1./10_000)
	a, err = f.FieldEffects(t.Context(), ask.Filters{AsOf: t0.Add(time.Minute)})
	if err != nil || len(a.Rows) != 0 {
		t.Errorf("of errors that are maturing: %+v, %v", a.Rows, err)
	}
}

// Turns after 1, 2 and 3 failures in a row cost 10, 20 and 40 tokens; the third shares its turn. One recovery came after 3
// failures, one after 1.
func TestBreaker(t *testing.T) {
	f := open(t)
	a := run("a", time.Hour)
	for i, tokens := range []int64{10, 20, 40} {
		c := charge(time.Duration(i)*time.Minute, "bad", tokens)
		c.Tool, c.Turns, c.Streak = "search", 1, i+1
		a.Charges = append(a.Charges, c)
	}
	a.Charges[2].Turns = 0
	a.Episodes = []metrics.EpisodeFact{
		episode(0, "search", "bad", metrics.EndingRecovered, 3), episode(0, "search", "bad", metrics.EndingRecovered, 1),
		episode(0, "search", "bad", metrics.EndingAbandoned, 1),
	}
	a.Episodes[0].Streak, a.Episodes[1].Streak = 3, 1
	f.put(a)
	answer, err := f.Breaker(t.Context(), ask.Filters{All: true})
	if err != nil || len(answer.Rows) != 10 {
		t.Fatalf("%d rows, %v", len(answer.Rows), err)
	}
	none := ask.Group{}
	same(t, answer.Rows[:4], []ask.Breaker{{none, 1, 2, 70, 2}, {none, 2, 1, 60, 1}, {none, 3, 0, 40, 1}, {none, 4, 0, 0, 0}})
	answer, err = f.Breaker(t.Context(), ask.Filters{By: []string{"tool"}, Tool: []string{"none"}})
	if err != nil || len(answer.Rows) != 0 {
		t.Errorf("of a tool that is not there: %+v, %v", answer.Rows, err)
	}
}

func TestShadowAndRegisteredCodes(t *testing.T) {
	f := open(t)
	registry, err := metrics.ParseRegistry([]byte(`{"schema":"errata.codes/v1","codes":[{"code":"INVALID_STATUS"},{"code":"BUSY"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	settings := ask.DefaultSettings()
	settings.Registry = registry
	db := f.withSettings(settings)
	shadow := func(template string, old, other transcript.Code) metrics.ShadowFact {
		return metrics.ShadowFact{Time: t0, Tool: "edit", Variant: "bare", Shadow: "structured", OldTemplate: template, OldCode: old, NewCode: other, OldBodyTokens: 3, NewBodyTokens: 30}
	}
	kind := func(code transcript.Code, template string) metrics.CallFact {
		c := failed(0, "edit", code, metrics.LabelReplied)
		c.Template = template
		return c
	}
	a, b := run("a", time.Hour), run("b", time.Hour)
	a.Calls = []metrics.CallFact{kind("busy", "busy"), kind("~invalid_status", "Invalid status"), kind("~wrong", "Wrong <n>"), kind("~odd", "odd")}
	a.Shadows = []metrics.ShadowFact{shadow("Wrong <n>", "~wrong", "invalid_status"), shadow("odd", "~odd", "surprise"), shadow("", "", "busy")}
	a.Shadows[2].ErrorDisagrees = true
	b.Shadows = []metrics.ShadowFact{shadow("Wrong <n>", "~wrong", "invalid_status"), shadow("Wrong <n>", "~wrong", "busy")}
	b.Shadows[1].RetryableDisagrees = true
	f.put(a, b)
	answer, err := db.Shadow(t.Context(), ask.Filters{All: true})
	if err != nil {
		t.Fatal(err)
	}
	yes, no := true, false
	same(t, answer.Rows, []ask.Shadow{
		{"Wrong <n>", "~wrong", "invalid_status", "structured", 2, 2, "b", 0, 0, 6, 60, &yes},
		{"", "", "busy", "structured", 1, 1, "a", 1, 0, 3, 30, &yes},
		{"Wrong <n>", "~wrong", "busy", "structured", 1, 1, "b", 0, 1, 3, 30, &yes},
		{"odd", "~odd", "surprise", "structured", 1, 1, "a", 0, 0, 3, 30, &no},
	})
	// Of 5 results in 2 runs, 4 are an error of both, and 1 of the payload that nobody saw alone.
	agreed, err := db.ShadowAgreement(t.Context(), ask.Filters{All: true})
	if err != nil {
		t.Fatal(err)
	}
	share, more := .8, .2
	r := agreed.Rows[0]
	same(t, []any{r.Runs, r.Results, r.BothErrors, r.NoLonger, r.Newly, r.Neither, *r.Agreement, *r.ErrorDifference, *r.McNemar},
		[]any{int64(2), int64(5), int64(4), int64(0), int64(1), int64(0), share, more, 1.0})
	if r.AgreementLow == nil || *r.AgreementLow > .8 || *r.ErrorDifferenceLow > 0 {
		t.Errorf("two runs are too few for %v and %v", *r.AgreementLow, *r.ErrorDifferenceLow)
	}
	kinds, err := db.Errors(t.Context(), ask.ErrorFilters{Filters: ask.Filters{All: true}})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]*string{}
	for _, k := range kinds.Rows {
		got[k.Code] = k.Registered
	}
	busy, status := "BUSY", "INVALID_STATUS"
	same(t, got, map[string]*string{"busy": &busy, "~invalid_status": &status, "~wrong": &status, "~odd": nil})
	plain, err := f.Shadow(t.Context(), ask.Filters{All: true})
	if err != nil || plain.Rows[0].Covered != nil {
		t.Errorf("covered without a registry: %+v, %v", plain.Rows, err)
	}
}

// What an error asked for is judged by the label that is only settled when asked.
func TestObeyedIsSettledWhenAsked(t *testing.T) {
	settings := ask.DefaultSettings()
	settings.Now = func() time.Time { return later }
	settings.Mine = func(r transcript.Run) metrics.Facts {
		facts := mine(r)
		facts.Calls[0].Error.Retryable = transcript.False
		return facts
	}
	f := openWith(t, settings)
	if err := f.store.Write(t.Context(), said(t, "r"), nil); err != nil {
		t.Fatal(err)
	}
	for at, want := range map[time.Time]*bool{later: new(true), t0.Add(time.Minute): nil} {
		a, err := f.Run(t.Context(), "r", at)
		same(t, only(t, a, err).Threads[0].Turns[0].Calls[0].Error.Obeyed, want)
	}
}
