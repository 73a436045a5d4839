package assemble

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"errata/transcript"
)

// table stores rows as the database does: of one key the greater version stays.
type table map[transcript.RunID]map[rowKey]transcript.Row

type rowKey struct {
	thread transcript.ThreadID
	kind   transcript.RowKind
	slot   string
}

func (t table) store(rows []transcript.Row) {
	for _, r := range rows {
		if t[r.Run] == nil {
			t[r.Run] = make(map[rowKey]transcript.Row)
		}
		key := rowKey{r.Thread, r.Kind, r.Slot}
		if old, ok := t[r.Run][key]; !ok || old.Version < r.Version {
			t[r.Run][key] = r
		}
	}
}

func (t table) Load(_ context.Context, runs []transcript.RunID) (map[transcript.RunID][]transcript.Row, error) {
	out := make(map[transcript.RunID][]transcript.Row)
	for _, id := range runs {
		for _, r := range t[id] {
			out[id] = append(out[id], r)
		}
	}
	return out, nil
}

func (t table) rows(id transcript.RunID) []transcript.Row {
	rows, _ := t.Load(context.Background(), []transcript.RunID{id})
	return rows[id]
}

// outcome is where a delivery of records ends.
type outcome struct {
	rows    map[rowKey]transcript.Row
	run     transcript.Run
	version uint64
	rejects int
}

// deliver merges arrivals in batches of random size. Restart makes the assembler forget at random, sometimes before
// its rows are stored, and then delivers the batch again.
func deliver(t *testing.T, r *rand.Rand, arrivals []Arrival, restart bool) outcome {
	t.Helper()
	stored := make(table)
	a, err := New(DefaultConfig(), stored)
	if err != nil {
		t.Fatal(err)
	}
	var out outcome
	for at := 0; at < len(arrivals); {
		to := min(at+1+r.IntN(4), len(arrivals))
		batch, err := a.Batch(t.Context(), arrivals[at:to])
		if err != nil {
			t.Fatal(err)
		}
		if restart && r.IntN(4) == 0 {
			if r.IntN(2) == 0 { // stored, but not acknowledged
				for _, c := range batch.Changed {
					stored.store(c.Rows)
				}
			}
			a.Drop()
			continue
		}
		for _, c := range batch.Changed {
			if c.Version < out.version || (c.Version == out.version && !reflect.DeepEqual(c.Run, out.run)) {
				t.Fatalf("version went from %d to %d", out.version, c.Version)
			}
			stored.store(c.Rows)
			out.run, out.version = c.Run, c.Version
			read, err := transcript.FromRows(stored.rows(c.Run.Meta.ID))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(read, c.Run) {
				t.Fatalf("read back:\n%+v\nin memory:\n%+v", read, c.Run)
			}
		}
		out.rejects += len(batch.Rejects)
		a.Confirm()
		at = to
	}
	out.rows = stored["r"]
	return out
}

func sameOutcome(t *testing.T, got, want outcome) {
	t.Helper()
	if !reflect.DeepEqual(got.rows, want.rows) {
		t.Fatalf("rows differ: %d, want %d", len(got.rows), len(want.rows))
	}
	var sum uint64
	for _, r := range want.rows {
		sum += r.Version
	}
	run, err := readBack(got.rows)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(run, want.run) {
		t.Fatalf("run differs:\n%+v\nwant\n%+v", run, want.run)
	}
	if want.version != sum {
		t.Fatalf("version %d is not the sum of its rows' %d", want.version, sum)
	}
}

func readBack(rows map[rowKey]transcript.Row) (transcript.Run, error) {
	var list []transcript.Row
	for _, r := range rows {
		list = append(list, r)
	}
	return transcript.FromRows(list)
}

func TestAnyOrderGivesTheSameRun(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		meta := transcript.Meta{ID: "r", Model: "m"}
		var all []Arrival
		var turns int
		if seed%3 == 0 {
			turns = 1 + r.IntN(8)
			all = lines(r, branching(r, turns), meta)
		} else {
			turns = 1 + r.IntN(8)
			all = records(r, conversation(r, turns, seed%3 == 1), meta)
		}
		want := deliver(t, r, all, false)
		if got := len(want.run.Threads[0].Turns); got != turns {
			t.Fatalf("seed %d: %d turns, want %d", seed, got, turns)
		}
		if want.rejects > 0 || len(want.run.Threads[0].Orphans) > 0 {
			t.Fatalf("seed %d: %d rejects, orphans %v", seed, want.rejects, want.run.Threads[0].Orphans)
		}
		for range 2 {
			sameOutcome(t, deliver(t, r, disorder(r, all), false), want)
			sameOutcome(t, deliver(t, r, disorder(r, all), true), want)
		}
	}
}

func TestCompactedHistories(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 3))
		whole := conversation(r, 4+r.IntN(12), false)
		all := compacting(r, whole, transcript.Meta{ID: "r"})
		want := deliver(t, r, all, false)
		if got, want := spine(want.run.Threads[0].Messages), spine(whole); !slices.Equal(got, want) {
			t.Fatalf("seed %d: messages\n%q\nwant\n%q", seed, got, want)
		}
		if len(want.run.Threads[0].Orphans) > 0 || want.rejects > 0 {
			t.Fatalf("seed %d: orphans %v, %d rejects", seed, want.run.Threads[0].Orphans, want.rejects)
		}
		for range 3 {
			sameOutcome(t, deliver(t, r, disorder(r, all), true), want)
		}
	}
}

// spine is what the messages of a thread say, without those that a harness wrote.
func spine(messages []transcript.Message) []string {
	var out []string
	for i := range messages {
		if m := &messages[i]; m.Role != transcript.RoleHarness {
			out = append(out, showMessage(m))
		}
	}
	return out
}

// TestSendingInAnotherOrder lets records reach Kafka in another order, so that they bear other times.
func TestSendingInAnotherOrder(t *testing.T) {
	tried := 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 4))
		var all []Arrival
		switch seed % 3 {
		case 0:
			all = records(r, conversation(r, 1+r.IntN(8), seed%2 == 0), transcript.Meta{ID: "r"})
		case 1:
			all = lines(r, branching(r, 1+r.IntN(8)), transcript.Meta{ID: "r"})
		default:
			all = compacting(r, conversation(r, 4+r.IntN(12), false), transcript.Meta{ID: "r"})
			all = slices.DeleteFunc(all, func(a Arrival) bool { return !a.Fragments[0].Snapshot })
		}
		first := deliver(t, r, all, false)
		if first.rejects > 0 {
			continue // histories that share nothing: the first to arrive stays
		}
		tried++
		want := show(&first.run)
		for range 3 {
			other := disorder(r, all)
			for i := range other {
				other[i].Time = begin.Add(time.Duration(i) * time.Second)
			}
			out := deliver(t, r, other, false)
			if got := show(&out.run); got != want {
				t.Fatalf("seed %d:\n%s\nwant:\n%s", seed, got, want)
			}
		}
	}
	if tried < 70 {
		t.Fatalf("only %d conversations tried", tried)
	}
}
