package ask_test

import (
	"fmt"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/transcript"
)

// Every field of a listed run. Its episodes settle as they do in figures.
func TestRunsFields(t *testing.T) {
	f := open(t)
	r := run("r1", time.Hour)
	r.Run.Meta.Model, r.Run.Meta.Variant, r.Run.Meta.EndReason = "gpt", "plain", transcript.EndTurnLimit
	r.Run.Turns, r.Run.Money = 9, 1_500_000_000
	r.Run.Usage = transcript.Usage{Input: 1, CacheRead: 2, CacheWrite: 3, Output: 4}
	r.Calls = []metrics.CallFact{
		failed(0, "search", "bad", metrics.LabelRepeat), failed(0, "search", "worse", metrics.LabelCorrected),
		call(time.Hour, "search", metrics.OutcomeOK),
	}
	r.Calls[0].Chain = 1
	r.Episodes = []metrics.EpisodeFact{
		episode(0, "search", "bad", metrics.EndingRecovered, 1), episode(0, "search", "worse", metrics.EndingOpen, 0),
		episode(0, "search", "bad", metrics.EndingAbandoned, 0),
	}
	bare := run("r2", 0)
	bare.Run.Meta.Agent = ""
	bare.Run.Unpriced = []string{"llama"}
	f.put(r, bare)
	text := func(s string) *string { return &s }
	want := ask.RunRow{
		RunID: "r1", Agent: text("bot"), Model: text("gpt"), Variant: text("plain"), StartedAt: t0, LastActivity: t0.Add(time.Hour),
		Turns: 9, Calls: 3, Errored: 2, Loops: 1, Episodes: 3, Abandoned: 1, Tokens: 10, USD: share(1.5),
		EndReason: text("turn_limit"), Codes: []string{"bad", "worse"},
	}
	a, err := f.Runs(t.Context(), ask.RunFilters{Filters: ask.Filters{AsOf: t0.Add(90 * time.Minute)}})
	if err != nil {
		t.Fatal(err)
	}
	other := ask.RunRow{RunID: "r2", StartedAt: t0, LastActivity: t0, Ended: true, Codes: []string{}}
	same(t, a.Rows, []ask.RunRow{want, other})
	want.Ended, want.Abandoned = true, 2 // past the idle limit the open one is given up
	a, err = f.Runs(t.Context(), ask.RunFilters{Filters: ask.Filters{AsOf: t0.Add(90*time.Minute + time.Millisecond)}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, a.Rows[:1], []ask.RunRow{want})
}

func TestRunsFilters(t *testing.T) {
	f := open(t)
	a := run("a", 0)
	a.Calls = []metrics.CallFact{
		failed(2*oneDay, "search", "bad", metrics.LabelRepeat), failed(2*oneDay, "edit", "slow", ""), call(2*oneDay, "look", metrics.OutcomeOK),
	}
	a.Episodes = []metrics.EpisodeFact{episode(2*oneDay, "search", "bad", metrics.EndingRecovered, 4), episode(2*oneDay, "edit", "slow", metrics.EndingOpen, 1)}
	b := run("b", 3*oneDay)
	b.Run.Started = t0.Add(3 * oneDay)
	b.Run.Meta.Agent = "other"
	b.Calls = []metrics.CallFact{failed(3*oneDay, "search", "slow", metrics.LabelCorrected)}
	b.Calls[0].Model, b.Calls[0].Variant = "claude", "structured"
	c := run("c", 0) // no calls at all
	f.put(a, b, c)
	ids := func(name string, filters ask.RunFilters, want string) {
		t.Helper()
		filters.Sort = "run_id"
		answer, err := f.Runs(t.Context(), filters)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, row := range answer.Rows {
			got += row.RunID
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	ids("all", ask.RunFilters{}, "abc")
	ids("agent", ask.RunFilters{Filters: ask.Filters{Agent: []string{"bot"}}}, "ac")
	ids("tool", ask.RunFilters{Filters: ask.Filters{Tool: []string{"look"}}}, "a")
	ids("model", ask.RunFilters{Filters: ask.Filters{Model: []string{"claude"}}}, "b")
	ids("variant", ask.RunFilters{Filters: ask.Filters{Variant: []string{"plain"}}}, "a")
	ids("code", ask.RunFilters{Filters: ask.Filters{Code: []string{"slow"}}}, "ab")
	ids("code of a tool", ask.RunFilters{Filters: ask.Filters{Code: []string{"slow"}, Tool: []string{"search"}}}, "b")
	ids("label", ask.RunFilters{Label: []string{"repeat"}}, "a")
	ids("label that came with age", ask.RunFilters{Label: []string{"ended"}}, "a")
	ids("label of a tool", ask.RunFilters{Label: []string{"repeat"}, Filters: ask.Filters{Tool: []string{"edit"}}}, "")
	ids("ending", ask.RunFilters{Ending: []string{"recovered"}}, "a")
	ids("ending that came with age", ask.RunFilters{Ending: []string{"abandoned"}}, "a")
	ids("ending that did not", ask.RunFilters{Ending: []string{"open"}}, "")
	ids("attempts", ask.RunFilters{AttemptsMin: 4}, "a")
	ids("more attempts", ask.RunFilters{AttemptsMin: 5}, "")
	ids("attempts of that ending", ask.RunFilters{AttemptsMin: 2, Ending: []string{"abandoned"}}, "")
	ids("label and ending", ask.RunFilters{Label: []string{"repeat"}, Ending: []string{"abandoned"}}, "a")
	ids("a run counts at its start", ask.RunFilters{Filters: ask.Filters{From: t0, To: t0.Add(oneDay)}}, "ac")
	ids("a call at its own time", ask.RunFilters{Filters: ask.Filters{From: t0, To: t0.Add(oneDay), Tool: []string{"search"}}}, "")
	ids("a call at its own time, later", ask.RunFilters{Filters: ask.Filters{From: t0.Add(oneDay), Tool: []string{"search"}}}, "ab")
}

// A list goes on where it was cut, in either direction, also between runs that are equal in what they are sorted by.
func TestRunsPages(t *testing.T) {
	f := open(t)
	for i := range 7 {
		r := run(fmt.Sprint("r", i), 0)
		r.Run.Turns = i / 3
		r.Run.Started = t0.Add(time.Duration(i/2) * time.Minute)
		r.Calls = []metrics.CallFact{call(time.Hour, "search", metrics.OutcomeOK)}
		f.put(r)
	}
	pages := func(sort string, limit int) string {
		t.Helper()
		got, cursor := "", ""
		for range 10 {
			a, err := f.Runs(t.Context(), ask.RunFilters{Sort: sort, Limit: limit, Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range a.Rows {
				got += row.RunID[1:]
			}
			if cursor = a.NextCursor; cursor == "" {
				return got
			}
			got += " "
		}
		t.Fatal("the list has no end")
		return ""
	}
	same(t, pages("", 3), "645 230 1")
	same(t, pages("turns", 2), "01 23 45 6")
	same(t, pages("-turns", 2), "63 45 01 2")
	same(t, pages("run_id", 7), "0123456")
	for _, sort := range ask.Sorts() {
		if got := pages(sort, 7); len(got) != 7 {
			t.Errorf("sorted by %s: %s", sort, got)
		}
	}
	first, err := f.Runs(t.Context(), ask.RunFilters{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for field, filters := range map[string]ask.RunFilters{
		"cursor":       {Cursor: first.NextCursor, Sort: "turns"},
		"limit":        {Limit: ask.MaxLimit + 1},
		"sort":         {Sort: "colour"},
		"label":        {Label: []string{"x"}},
		"ending":       {Ending: []string{"x"}},
		"attempts_min": {AttemptsMin: -1},
		"by":           {Filters: ask.Filters{By: []string{"tool"}}},
	} {
		_, err := f.Runs(t.Context(), filters)
		refused(t, err, field)
	}
	_, err = f.Runs(t.Context(), ask.RunFilters{Cursor: "nonsense"})
	refused(t, err, "cursor")
}

func TestFiltersThatCannotBe(t *testing.T) {
	f := open(t)
	for field, filters := range map[string]ask.Filters{
		"from":  {All: true, From: t0},
		"to":    {From: t0, To: t0.Add(-time.Second)},
		"as_of": {AsOf: time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"by":    {By: []string{"colour"}},
	} {
		_, err := f.Loops(t.Context(), filters)
		refused(t, err, field)
	}
	_, err := f.Loops(t.Context(), ask.Filters{All: true, To: t0})
	refused(t, err, "to")
	_, err = f.Loops(t.Context(), ask.Filters{By: []string{"tool", "tool"}})
	refused(t, err, "by")
}
