package assemble

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"errata/pipeline/format/dialect"
	"errata/transcript"
)

func said(id transcript.RunID, first int, texts ...string) Arrival {
	f := transcript.Fragment{Meta: transcript.Meta{ID: id}, First: first}
	for _, text := range texts {
		f.Messages = append(f.Messages, transcript.Message{Role: transcript.RoleAssistant, Text: text})
	}
	return Arrival{Fragments: []transcript.Fragment{f}, Time: begin}
}

// asked is a loader that notes what it was asked for.
type asked struct {
	table
	wanted [][]transcript.RunID
	err    error
}

func (a *asked) Load(ctx context.Context, runs []transcript.RunID) (map[transcript.RunID][]transcript.Row, error) {
	if a.err != nil {
		return nil, a.err
	}
	a.wanted = append(a.wanted, runs)
	return a.table.Load(ctx, runs)
}

func TestMemoryIsBoundedAndReadBackInBatches(t *testing.T) {
	config := DefaultConfig()
	config.MaxBytes = 10_000
	loader := &asked{table: make(table)}
	a, err := New(config, loader)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		var arrivals []Arrival
		for run := range 50 {
			arrivals = append(arrivals, said(transcript.RunID(fmt.Sprint(run)), round, fmt.Sprintf("message %d", round)))
		}
		batch, err := a.Batch(t.Context(), arrivals)
		if err != nil {
			t.Fatal(err)
		}
		if runs, _ := a.Held(); runs != 50 {
			t.Fatalf("%d runs before they are stored, want 50", runs)
		}
		for _, c := range batch.Changed {
			if n := len(c.Run.Threads[0].Turns); n != round+1 {
				t.Fatalf("round %d: %d turns", round, n)
			}
			loader.store(c.Rows)
		}
		a.Confirm()
		if runs, bytes := a.Held(); bytes > config.MaxBytes || runs == 0 || runs == 50 {
			t.Fatalf("%d runs of %d bytes after they are stored", runs, bytes)
		}
	}
	if len(loader.wanted) != 3 {
		t.Fatalf("%d readings for 3 batches", len(loader.wanted))
	}
}

func TestARunThatWasReadBackIsGivenAgain(t *testing.T) {
	stored := make(table)
	a, _ := New(DefaultConfig(), stored)
	first, err := a.Batch(t.Context(), []Arrival{said("r", 0, "a")})
	if err != nil {
		t.Fatal(err)
	}
	stored.store(first.Changed[0].Rows)
	a.Drop() // the rows are stored, what was mined of them is not
	again, err := a.Batch(t.Context(), []Arrival{said("r", 0, "a")})
	if err != nil || len(again.Changed) != 1 || len(again.Changed[0].Rows) != 0 || again.Changed[0].Version != first.Changed[0].Version {
		t.Fatalf("%+v, %v", again, err)
	}
	a.Confirm()
	if third, err := a.Batch(t.Context(), []Arrival{said("r", 0, "a")}); err != nil || len(third.Changed) != 0 {
		t.Fatalf("%+v, %v", third, err)
	}
}

func TestNothingIsMergedWhenReadingFails(t *testing.T) {
	loader := &asked{table: make(table), err: errors.New("no answer")}
	a, _ := New(DefaultConfig(), loader)
	if _, err := a.Batch(t.Context(), []Arrival{said("r", 0, "a")}); err == nil || !errors.Is(err, loader.err) {
		t.Fatalf("error %v", err)
	}
	if runs, _ := a.Held(); runs != 0 {
		t.Fatalf("%d runs held", runs)
	}
}

func TestLimits(t *testing.T) {
	config := DefaultConfig()
	config.Limits = Limits{Messages: 2, Text: 64, Parts: 1, Name: 64, Attributes: 2}
	long := strings.Repeat("é", 100)
	f := func(arrival Arrival, reason dialect.Reason, arrivalIndex int) {
		t.Helper()
		a, err := New(config, make(table))
		if err != nil {
			t.Fatal(err)
		}
		batch, err := a.Batch(t.Context(), []Arrival{said("first", 0, "a"), arrival})
		if err != nil || len(batch.Rejects) != 1 || batch.Rejects[0].Reason != reason || batch.Rejects[0].Arrival != arrivalIndex {
			t.Fatalf("%v, %v", batch.Rejects, err)
		}
	}
	f(said("r", 0, "a", "b", "c"), dialect.ReasonTooLarge, 1)
	f(said("", 0, "a"), dialect.ReasonMissingField, 1)
	f(said(transcript.RunID(long), 0, "a"), dialect.ReasonTooLarge, 1)
	f(said("\xff", 0, "a"), dialect.ReasonInvalidUTF8, 1)
	f(said("r", -2, "a"), dialect.ReasonWrongType, 1)
	f(said("r", 1<<31-1, "a"), dialect.ReasonWrongType, 1)
	calls := said("r", 0, "a")
	calls.Fragments[0].Messages[0].Calls = make([]transcript.Call, 2)
	f(calls, dialect.ReasonTooLarge, 1)
}

func TestLongStringsAreCut(t *testing.T) {
	l := Limits{Messages: 2, Text: 64, Parts: 9, Name: 64, Attributes: 2}
	long := strings.Repeat("é", 100)
	m, reject := l.cleanMessage(&transcript.Message{
		Text: long, Calls: []transcript.Call{{ID: long, Arguments: long + "1"}, {Arguments: long + "2"}},
		Results: []transcript.Result{{Body: long}}, Time: time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC),
	})
	if reject != nil {
		t.Fatal(reject)
	}
	if len(m.Text) > 64 || !strings.Contains(m.Text, "200 bytes") || len(m.Calls[0].ID) > 64 {
		t.Errorf("text %q, id %q", m.Text, m.Calls[0].ID)
	}
	if m.Calls[0].Arguments == m.Calls[1].Arguments {
		t.Errorf("different arguments are cut to the same %q", m.Calls[0].Arguments)
	}
	r := m.Results[0]
	if r.Body != strings.Repeat("é", 32) || r.BodyLength != 200 || r.BodyHash == "" {
		t.Errorf("result %+v", r)
	}
	if !m.Time.IsZero() || m.Role != transcript.RoleHarness {
		t.Errorf("time %v, role %q", m.Time, m.Role)
	}
}

func TestAHistoryWithoutCommonIDsIsRejected(t *testing.T) {
	other := said("r", 0, "x")
	other.Fragments[0].Snapshot = true
	other.Fragments[0].Messages[0].Role = transcript.RoleUser
	other.Time = begin.Add(time.Minute)
	more := other
	more.Time = begin.Add(2 * time.Minute)
	a, _ := New(DefaultConfig(), make(table))
	first := said("r", 0, "task", "answer")
	first.Fragments[0].Messages[0].Role = transcript.RoleUser
	batch, err := a.Batch(t.Context(), []Arrival{first, other})
	if err != nil || len(batch.Rejects) != 1 || batch.Rejects[0].Reason != dialect.ReasonNoCommonIDs || batch.Rejects[0].Arrival != 1 {
		t.Fatalf("%v, %v", batch.Rejects, err)
	}
	if n := len(batch.Changed[0].Run.Threads[0].Messages); n != 2 {
		t.Fatalf("%d messages, want those of the first history", n)
	}
	a.Confirm()
	if batch, err = a.Batch(t.Context(), []Arrival{more}); err != nil || len(batch.Rejects) != 1 {
		t.Fatalf("%v, %v", batch.Rejects, err)
	}
}

func TestConfigNamesWhatIsWrong(t *testing.T) {
	config := DefaultConfig()
	config.Limits.Text = 1
	if _, err := New(config, nil); err == nil || !strings.Contains(err.Error(), "limit of text is 1") {
		t.Fatalf("error %v", err)
	}
}
