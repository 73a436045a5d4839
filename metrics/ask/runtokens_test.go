package ask_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/pipeline/store"
	"errata/transcript"
)

// byteTokens counts the bytes of a text, and how many it was asked to count.
type byteTokens struct{ counted int64 }

func (b *byteTokens) Count(_, text string) int64 {
	b.counted += int64(len(text))
	return int64(len(text))
}

// long is a run of many words without usage: 30 turns of 10 KiB, a third of whose calls fail and are put right.
func long(t *testing.T, id transcript.RunID) []transcript.Row {
	t.Helper()
	rows := said(t, id)[:2] // what the run is, and the user's message
	for i := range 30 {
		at := t0.Add(time.Duration(i+1) * time.Second)
		body, status := `{"ok":true}`, "open"
		if i%3 == 0 {
			body, status = `{"error":{"code":"INVALID_STATUS","message":"no such status"}}`, "OPEN"
		}
		call := fmt.Sprint("c", i)
		for j, m := range []transcript.Message{
			{Role: transcript.RoleAssistant, Time: at, Text: strings.Repeat("word ", 2048), Calls: []transcript.Call{{ID: call, Tool: "edit", Arguments: `{"status":"` + status + `"}`}}},
			{Role: transcript.RoleTool, Time: at, Results: []transcript.Result{{CallID: call, Body: body}}},
		} {
			known := transcript.Known{Slot: transcript.SlotOf(&m, 1+2*i+j, 0), Position: 1 + 2*i + j, Message: m}
			known.Arrived = t0
			row, err := known.Row(id)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// What a long run took is taken from its stored facts, to the same answer as when it is counted anew. Where the facts are of
// another state of the run it is counted.
func TestALongRunIsNotCountedAnew(t *testing.T) {
	tokens := &byteTokens{}
	env := metrics.Env{Tokens: tokens}
	unestimated := env
	unestimated.Unestimated = true
	settings := ask.DefaultSettings()
	settings.Now = func() time.Time { return later }
	settings.Mine = func(r transcript.Run) metrics.Facts { return metrics.Mine(r, env) }
	f := openWith(t, settings)
	settings.MineUnestimated = func(r transcript.Run) metrics.Facts { return metrics.Mine(r, unestimated) }
	quick := f.withSettings(settings)
	rows := long(t, "long")
	run, err := transcript.FromRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	stored := store.Run{Facts: metrics.Mine(run, env), Version: 1, Messages: len(run.Threads[0].Messages)}
	look := func(db *ask.DB) (ask.Run, int64) {
		t.Helper()
		before := tokens.counted
		a, err := db.Run(t.Context(), "long", time.Time{})
		return only(t, a, err), tokens.counted - before
	}
	if err := f.store.Write(t.Context(), rows, []store.Run{stored}); err != nil {
		t.Fatal(err)
	}
	counted, much := look(f.DB)
	known, little := look(quick)
	same(t, known, counted)
	if known.Usage.Total < 300_000 || known.Episodes[0].Usage.Total == 0 {
		t.Errorf("the run took %d tokens, its first recovery %d", known.Usage.Total, known.Episodes[0].Usage.Total)
	}
	// The bodies of errors are counted all the same: they are in no turn.
	if much < 300_000 || little > 10_000 {
		t.Errorf("%d bytes were counted where all are, %d where they are stored", much, little)
	}
	stored.Version, stored.Messages = 2, stored.Messages-1
	if err := f.store.WriteRuns(t.Context(), []store.Run{stored}); err != nil {
		t.Fatal(err)
	}
	again := f.withSettings(settings)
	if late, all := look(again); all < 300_000 {
		t.Errorf("facts of another state serve: %d bytes counted", all)
	} else {
		same(t, late, counted)
	}
}
