package format_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// TestRequests: a log of requests that each repeat the history, and the conversation itself, give the same turns, in
// every provider's form, in whatever order the requests come and however often.
func TestRequests(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/forms.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		t.Run(file.Name, func(t *testing.T) {
			whole, _, err := format.Decode(dialect.Input{Value: file.Data}, format.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			want := assembled(t, whole)["ticket"].Threads[0].Turns
			records := requestsOf(t, file.Data)
			r := rand.New(rand.NewPCG(1, 2))
			for range 20 {
				sent := slices.Concat(records, records[:r.IntN(len(records))])
				r.Shuffle(len(sent), func(i, j int) { sent[i], sent[j] = sent[j], sent[i] })
				var outs []dialect.Output
				for _, value := range sent {
					out, d, err := format.Decode(dialect.Input{Value: value}, format.DefaultLimits())
					if err != nil || d.Name != "gateway-log" || len(out.Rejects) > 0 {
						t.Fatalf("%v %v: %s", err, out.Rejects, value)
					}
					outs = append(outs, out)
				}
				runs := assembled(t, outs...)
				if len(runs) != 1 {
					t.Fatalf("the requests give %d runs", len(runs))
				}
				for _, run := range runs {
					sameTurns(t, run.Threads[0].Turns, want)
				}
			}
		})
	}
}

func sameTurns(t *testing.T, got, want []transcript.Turn) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("there are %d turns, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i].Usage, want[i].Usage) {
			t.Errorf("turn %d used %+v, want %+v", i+1, got[i].Usage, want[i].Usage)
		}
	}
	a, b := stripped(got), stripped(want)
	for i := range b {
		// The times of answers are those of their records.
		a[i].Time = b[i].Time
		for j := range b[i].Calls {
			call, like := &a[i].Calls[j], &b[i].Calls[j]
			call.Time, call.Asked, call.Result.Time = like.Time, like.Asked, like.Result.Time
		}
		if !reflect.DeepEqual(a[i], b[i]) {
			t.Errorf("turn %d is\n%+v\nwant\n%+v", i+1, a[i], b[i])
		}
	}
}

// requestsOf makes of a run record the requests that led to it: one for each answer.
func requestsOf(t *testing.T, value []byte) [][]byte {
	var run struct {
		Provider string           `json:"provider"`
		Messages []map[string]any `json:"messages"`
	}
	if err := json.Unmarshal(value, &run); err != nil {
		t.Fatal(err)
	}
	var records [][]byte
	for i, m := range run.Messages {
		role := m["role"]
		if role != "assistant" && role != "model" {
			continue
		}
		request := map[string]any{"model": "m"}
		history := []map[string]any{}
		for _, before := range run.Messages[:i] {
			said := map[string]any{}
			for name, value := range before {
				if name != "usage" && name != "usageMetadata" && name != "id" && name != "model" && name != "timestamp" {
					said[name] = value
				}
			}
			history = append(history, said)
		}
		var response map[string]any
		usage := m["usage"]
		said := map[string]any{}
		for name, value := range m {
			if name != "usage" && name != "usageMetadata" {
				said[name] = value
			}
		}
		switch {
		case m["parts"] != nil:
			request["contents"] = history
			if usage = m["usageMetadata"]; usage == nil {
				usage = m["usage"]
			}
			response = map[string]any{"candidates": []any{map[string]any{"content": said}}, "usageMetadata": usage}
		case run.Provider == "anthropic":
			request["messages"] = history
			response = said
			response["type"], response["usage"] = "message", usage
			if text, ok := said["content"].(string); ok {
				response["content"] = []any{map[string]any{"type": "text", "text": text}}
			}
		default:
			request["messages"] = history
			response = map[string]any{"object": "chat.completion", "choices": []any{map[string]any{"message": said}}, "usage": usage}
		}
		record, err := json.Marshal(map[string]any{"request": request, "response": response})
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	return records
}
