package format_test

import (
	"reflect"
	"testing"

	"golang.org/x/tools/txtar"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// TestForms is the worked example 9 of the metrics specification: one conversation, written as OpenAI, Anthropic and
// Gemini messages, is one conversation, but for provider, model, error flags and usage.
func TestForms(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/forms.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) != 3 {
		t.Fatalf("there are %d forms, want 3", len(archive.Files))
	}
	var want *transcript.Run
	for _, file := range archive.Files {
		out, _, err := format.Decode(dialect.Input{Value: file.Data}, format.DefaultLimits())
		if err != nil || len(out.Rejects) > 0 {
			t.Fatalf("%s: %v %v", file.Name, err, out.Rejects)
		}
		run := assembled(t, out)["ticket"]
		if len(run.Threads) != 1 || len(run.Threads[0].Turns) != 6 {
			t.Fatalf("%s: it has not one thread of 6 turns: %+v", file.Name, run.Threads)
		}
		turns := stripped(run.Threads[0].Turns)
		if want == nil {
			want = &run
			continue
		}
		for i, turn := range turns {
			if first := stripped(want.Threads[0].Turns)[i]; !reflect.DeepEqual(turn, first) {
				t.Errorf("%s: turn %d is\n%+v\nwant\n%+v", file.Name, i+1, turn, first)
			}
		}
	}
}

// stripped leaves out of turns what differs between providers by nature: their names, the usage, the marks on errors,
// and how many messages the results take.
func stripped(turns []transcript.Turn) []transcript.Turn {
	out := make([]transcript.Turn, len(turns))
	for i, turn := range turns {
		turn.Provider, turn.Model, turn.Usage, turn.Messages = "", "", nil, nil
		calls := make([]transcript.TurnCall, len(turn.Calls))
		for j, call := range turn.Calls {
			result := *call.Result
			result.Flag, result.Tool, result.CallID = "", "", ""
			call.Result, call.ID = &result, ""
			call.Arguments = transcript.Canonical(call.Arguments).JSON
			calls[j] = call
		}
		turn.Calls = calls
		out[i] = turn
	}
	return out
}
