package assemble

import (
	"math/rand/v2"
	"testing"
	"time"

	"errata/transcript"
)

// script reads choices from fuzzed bytes.
type script struct{ bytes []byte }

func (s *script) next(n int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return int(b) % n
}

func (s *script) pick(words ...string) string { return words[s.next(len(words))] }

// arrivals makes records that contradict each other in every way: reused ids, circles of parents, positions taken twice.
func (s *script) arrivals() []Arrival {
	var out []Arrival
	for len(s.bytes) > 0 && len(out) < 12 {
		f := transcript.Fragment{
			Meta: transcript.Meta{ID: "r", Model: s.pick("", "m", "mm"), Ended: s.next(9) == 1}, Thread: transcript.ThreadID(s.pick("", "", "sub")),
			First: s.next(8) - 1, Ended: s.next(9) == 1, ParentCall: s.pick("", "a"),
		}
		f.Snapshot = f.First == 0
		for range s.next(7) {
			f.Messages = append(f.Messages, s.message())
		}
		out = append(out, Arrival{Fragments: []transcript.Fragment{f}, Time: begin.Add(time.Duration(s.next(5)) * time.Second)})
	}
	return out
}

func (s *script) message() transcript.Message {
	m := transcript.Message{
		Role: transcript.Role(s.pick("assistant", "tool", "user", "system", "harness", "")),
		ID:   s.pick("", "", "1", "2", "3"), Parent: s.pick("", "1", "2", "3"), Generation: s.pick("", "g", "h"),
		Text: s.pick("", "so", "some", "sometimes", "\xff"), Seq: int64(s.next(4)),
	}
	if n := s.next(5); n > 0 {
		m.Time = begin.Add(time.Duration(n) * time.Second)
	}
	for range s.next(4) {
		m.Calls = append(m.Calls, transcript.Call{
			ID: s.pick("", "a", "b", "c"), Tool: transcript.Tool(s.pick("t", "u")), Arguments: s.pick("", "{}", `{"x":1}`), Actor: transcript.Actor(s.pick("", "", "user")),
		})
	}
	for range s.next(4) {
		m.Results = append(m.Results, transcript.Result{
			CallID: s.pick("", "a", "b", "c"), Tool: transcript.Tool(s.pick("", "t")), Body: s.pick("", "x", "xy"), Flag: transcript.Flag(s.pick("", "ok", "error")),
			Fate: transcript.Fate(s.pick("", "refused", "running")), BodyLength: s.next(5), BodyHash: s.pick("", "h"),
		})
	}
	if s.next(3) == 1 {
		m.Usage = &transcript.Usage{Output: int64(s.next(9)), Input: -1}
	}
	return m
}

func FuzzBatch(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		b := make([]byte, 400)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		f.Add(b, seed)
	}
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		s := script{b}
		all := s.arrivals()
		if len(all) == 0 {
			return
		}
		r := rand.New(rand.NewPCG(seed, 5))
		want := deliver(t, r, all, false)
		if want.version == 0 {
			return
		}
		checkRun(t, &want.run)
		sameOutcome(t, deliver(t, r, disorder(r, all), seed%2 == 0), want)
	})
}

// checkRun holds what is true of every run.
func checkRun(t *testing.T, run *transcript.Run) {
	t.Helper()
	for i := range run.Threads {
		thread := &run.Threads[i]
		in := make(map[int]bool)
		for n, turn := range thread.Turns {
			if turn.Number != n+1 || turn.Follows >= turn.Number || turn.Follows < 0 {
				t.Fatalf("turn %d is at %d and follows %d", turn.Number, n, turn.Follows)
			}
			calls := 0
			for _, m := range turn.Messages {
				if in[m] {
					t.Fatalf("message %d is in two turns", m)
				}
				in[m] = true
				calls += len(thread.Messages[m].Calls)
			}
			if len(turn.Calls) != calls {
				t.Fatalf("turn %d has %d calls, its messages %d", turn.Number, len(turn.Calls), calls)
			}
		}
		for m := range thread.Messages {
			if thread.Messages[m].Role == transcript.RoleAssistant && !in[m] {
				t.Fatalf("message %d is in no turn", m)
			}
		}
	}
}
