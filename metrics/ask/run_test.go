package ask_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/transcript"
)

// said is a small run: a question, a call that fails, the same call again.
func said(t *testing.T, id transcript.RunID) []transcript.Row {
	t.Helper()
	meta := transcript.Meta{ID: id, Agent: "bot", Model: "gpt", Attributes: map[string]string{"tenant": "a"}}
	row, err := meta.Row(t0)
	if err != nil {
		t.Fatal(err)
	}
	rows := []transcript.Row{row}
	for i, m := range []transcript.Message{
		{Role: transcript.RoleUser, Text: "open it", Time: t0},
		{Role: transcript.RoleAssistant, Time: t0.Add(time.Second), Calls: []transcript.Call{{ID: "c1", Tool: "edit", Arguments: `{"a":"<&"}`}}},
		{Role: transcript.RoleTool, Time: t0.Add(2 * time.Second), Results: []transcript.Result{{CallID: "c1", Body: "Error: no", Flag: transcript.FlagError}}},
	} {
		known := transcript.Known{Slot: transcript.SlotOf(&m, i, 0), Position: i, Message: m}
		known.Arrived = t0
		row, err := known.Row(id)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// mine stands for package metrics, with facts that are known.
func mine(run transcript.Run) metrics.Facts {
	var facts metrics.Facts
	facts.Run = metrics.RunFact{Meta: run.Meta, Started: run.Started, LastActivity: run.LastActivity, Timed: run.Timed, Money: 2_000_000_000}
	at := metrics.Ref{Turn: 1}
	facts.Calls = []metrics.CallFact{{
		Ref: at, ID: "c1", Tool: "edit", Time: t0.Add(2 * time.Second), Outcome: metrics.OutcomeError, ErrorRule: "flag",
		Code: "NO", Folded: "no", Template: "no", Error: transcript.ErrorObject{Schema: "text", Message: "no"}, BodyTokens: 3,
	}}
	facts.Episodes = []metrics.EpisodeFact{{
		First: at, Last: at, Calls: []metrics.Ref{at}, Tool: "edit", Code: "no", Time: t0.Add(2 * time.Second),
		Ending: metrics.EndingOpen, Reason: metrics.ReasonUserLeft,
		Helpers: []metrics.HelperFact{{Tool: "look", Calls: 1, Tokens: 5}},
	}}
	facts.Charges = []metrics.ChargeFact{{Usage: transcript.Usage{Input: 7}}, {Usage: transcript.Usage{Output: 2}}}
	facts.Pairs = []metrics.PairFact{{Level: metrics.LevelValue, Field: "/a", Rejected: `"x"`, Accepted: `"y"`, Kind: "alias"}}
	facts.Findings = []metrics.FindingFact{{Finding: "not_json", Ref: at}}
	return facts
}

func TestRun(t *testing.T) {
	settings := ask.DefaultSettings()
	settings.Now = func() time.Time { return t0.Add(time.Minute) }
	settings.Mine = mine
	f := openWith(t, settings)
	if err := f.store.Write(context.Background(), said(t, "it's"), nil); err != nil {
		t.Fatal(err)
	}
	if err := f.store.Write(context.Background(), said(t, "another"), nil); err != nil {
		t.Fatal(err)
	}
	a, err := f.Run(t.Context(), "it's", time.Time{})
	r := only(t, a, err)
	same(t, []any{r.RunID, r.Agent, r.Attributes, r.StartedAt, r.LastActivity, r.Timed, r.Ended, r.USD},
		[]any{"it's", "bot", map[string]string{"tenant": "a"}, t0, t0.Add(2 * time.Second), true, false, 2})
	if len(r.Threads) != 1 || len(r.Threads[0].Turns) != 1 || len(r.Threads[0].Turns[0].Calls) != 1 {
		t.Fatalf("threads: %+v", r.Threads)
	}
	thread := r.Threads[0]
	same(t, []any{thread.Messages[0].Text, thread.Messages[0].Role, thread.Messages[0].Turn, thread.Messages[1].Turn}, []any{"open it", "user", 0, 1})
	c := thread.Turns[0].Calls[0]
	same(t, []any{c.ID, c.Tool, c.Arguments, c.Result.Body, c.Outcome, c.Rule}, []any{"c1", "edit", `{"a":"<&"}`, "Error: no", "error", "flag"})
	same(t, []any{c.Error.Code, c.Error.RawCode, c.Error.Object.Message, c.Error.Label, c.Error.Findings}, []any{"no", "NO", "no", nil, []string{"not_json"}})
	e := r.Episodes[0]
	same(t, []any{e.Ending, e.Reason, e.Turns, e.Usage.Total, e.Helpers[0].Tool, e.Pairs[0].Accepted}, []any{"open", nil, nil, 9, "look", `"y"`})

	// Later the label and the ending are settled.
	a, err = f.Run(t.Context(), "it's", later)
	r = only(t, a, err)
	e = r.Episodes[0]
	same(t, []any{r.Ended, r.Threads[0].Turns[0].Calls[0].Error.Label, e.Ending, e.Reason}, []any{true, "ended", "abandoned", "user_left"})

	_, err = f.Run(t.Context(), "none", time.Time{})
	refused(t, err, "id")
	var missing *ask.Error
	if !errors.As(err, &missing) || missing.Code != ask.CodeNotFound {
		t.Errorf("got %v, want not found", err)
	}
	_, err = f.Run(t.Context(), "", time.Time{})
	refused(t, err, "id")
}
