package assemble_test

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"errata/pipeline/assemble"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// TestCorpus assembles every real transcript in one piece, and cut into records that come in any order, and wants the
// same runs of both.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("ERRATA_CORPUS")
	if dir == "" {
		t.Skip("ERRATA_CORPUS is not set to a folder of transcripts")
	}
	files, runs, turns := 0, 0, 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Size() > 4<<20 {
			return err
		}
		value, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		out, _, err := format.Decode(dialect.Input{Value: value}, format.DefaultLimits())
		if err != nil || len(out.Fragments) == 0 {
			return nil
		}
		files++
		at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		whole := assembled(t, []assemble.Arrival{{Fragments: out.Fragments, Time: at}})
		r := rand.New(rand.NewPCG(uint64(len(value)), 1))
		pieces := assembled(t, cutUp(r, out.Fragments, at))
		for id, want := range whole {
			runs++
			for i := range want.Threads {
				turns += len(want.Threads[i].Turns)
			}
			if got := pieces[id]; !reflect.DeepEqual(got, want) {
				t.Errorf("%s: run %s differs in pieces: %v, want %v", path, id, shape(got), shape(want))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d runs, %d turns", files, runs, turns)
}

func shape(run transcript.Run) []int {
	var out []int
	for i := range run.Threads {
		t := &run.Threads[i]
		out = append(out, len(t.Messages), len(t.Turns), len(t.Orphans))
	}
	return out
}

// cutUp makes an increment of every few messages of placed fragments, and lets all records come in any order. Unplaced
// messages without ids stay together: what tells them apart is that one record holds them.
func cutUp(r *rand.Rand, fragments []transcript.Fragment, at time.Time) []assemble.Arrival {
	var out []assemble.Arrival
	add := func(f transcript.Fragment) {
		out = append(out, assemble.Arrival{Fragments: []transcript.Fragment{f}, Time: at})
	}
	var together []transcript.Fragment
	for _, f := range fragments {
		nameless := slices.ContainsFunc(f.Messages, func(m transcript.Message) bool { return m.ID == "" })
		if f.First == transcript.Unplaced && nameless || len(f.Messages) == 0 {
			together = append(together, f)
			continue
		}
		for from := 0; from < len(f.Messages); {
			to := min(from+1+r.IntN(20), len(f.Messages))
			piece := f
			piece.Messages = f.Messages[from:to]
			if f.First != transcript.Unplaced {
				piece.First, piece.Snapshot = f.First+from, false
			}
			add(piece)
			from = to
		}
	}
	if len(together) > 0 {
		out = append(out, assemble.Arrival{Fragments: together, Time: at})
	}
	out = append(out, out[r.IntN(len(out))])
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func assembled(t *testing.T, arrivals []assemble.Arrival) map[transcript.RunID]transcript.Run {
	t.Helper()
	a, err := assemble.New(assemble.DefaultConfig(), nothing{})
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[transcript.RunID]transcript.Run)
	for i := 0; i < len(arrivals); i += 50 {
		batch, err := a.Batch(t.Context(), arrivals[i:min(i+50, len(arrivals))])
		if err != nil {
			t.Fatal(err)
		}
		for _, reject := range batch.Rejects {
			// In pieces a history may stand alone until the piece comes that shares ids with both; it is kept
			// aside, and the run must be the same in the end.
			if reject.Reason == dialect.ReasonNoCommonIDs && len(arrivals) > 1 {
				continue
			}
			t.Error(reject.Error())
		}
		for _, c := range batch.Changed {
			out[c.Run.Meta.ID] = c.Run
		}
	}
	return out
}

// nothing is a store that holds nothing.
type nothing struct{}

func (nothing) Load(context.Context, []transcript.RunID) (map[transcript.RunID][]transcript.Row, error) {
	return nil, nil
}
