package transcript

import (
	"cmp"
	"slices"
	"time"
)

// Knowledge is all that is known of a run: what merging its records gives, and what is stored of it.
type Knowledge struct {
	Meta     Meta
	Arrived  time.Time // earliest Kafka time of any record of the run
	Threads  []ThreadMeta
	Messages []Known // in any order
}

// Aside names the slots, by thread, of histories that share no message with the rest of their thread.
type Aside map[ThreadID]map[string]bool

// Arrange puts what is known of a run in order: messages in their threads, copies united, results with their calls,
// turns numbered. It is a function of the set of messages alone, whatever order they are given in.
func Arrange(k Knowledge) (Run, Aside) {
	threads, aside := make(map[ThreadID]*thread), make(Aside)
	get := func(id ThreadID) *thread {
		if threads[id] == nil {
			threads[id] = &thread{Thread: Thread{ID: id, Ended: k.Meta.Ended}}
		}
		return threads[id]
	}
	run := Run{Meta: k.Meta}
	first := k.Arrived
	for i := range k.Messages {
		m := &k.Messages[i]
		t := get(m.Thread)
		if m.Position == Unplaced {
			t.unplaced = append(t.unplaced, m)
		} else {
			t.placed = append(t.placed, m)
		}
		first = earlier(first, m.Arrived)
	}
	for _, meta := range k.Threads {
		t := get(meta.ID)
		t.ParentCall, t.Ended = meta.ParentCall, t.Ended || meta.Ended
	}
	for id, t := range threads {
		if slots := t.arrange(&k.Meta, first); len(slots) > 0 {
			aside[id] = slots
		}
		run.Threads = append(run.Threads, t.Thread)
	}
	run.summarize(first)
	return run, aside
}

// summarize orders the threads and finds when the run began and was last active.
func (r *Run) summarize(first time.Time) {
	began := func(t *Thread) time.Time {
		if len(t.Messages) == 0 || t.Messages[0].Time.IsZero() {
			return first
		}
		return t.Messages[0].Time
	}
	slices.SortFunc(r.Threads, func(a, b Thread) int {
		if a.ID == "" || b.ID == "" {
			return cmp.Compare(a.ID, b.ID)
		}
		return cmp.Or(began(&a).Compare(began(&b)), cmp.Compare(a.ID, b.ID))
	})
	r.Started, r.LastActivity = first, first
	if len(r.Threads) > 0 {
		r.Started = began(&r.Threads[0])
	}
	var last time.Time
	for i := range r.Threads {
		for j := range r.Threads[i].Messages {
			m := &r.Threads[i].Messages[j]
			at := m.Time
			if at.IsZero() {
				at = m.Arrived
			} else {
				r.Timed = true
			}
			if at.After(last) {
				last = at
			}
		}
	}
	if !last.IsZero() {
		r.LastActivity = last
	}
}

// thread is a thread while it is arranged.
type thread struct {
	Thread
	placed, unplaced []*Known
	entries          []entry
	loose            []Result // results of messages that were absorbed by others
	calls            []askedCall
	results          []cameBack
}

func (t *thread) arrange(meta *Meta, first time.Time) map[string]bool {
	messages, aside := weave(t.placed)
	t.entries = slices.Grow(t.entries, len(messages))
	for i := range messages {
		t.entries = append(t.entries, entry{Message: messages[i], placed: true, parent: none})
	}
	t.mix(sequence(t.unplaced))
	t.Messages = slices.Grow(t.Messages, len(t.entries))
	for i := range t.entries {
		t.Messages = append(t.Messages, t.entries[i].Message)
	}
	t.times(first)
	t.makeRoom()
	t.takeTurns(meta)
	t.pair()
	t.settle()
	return aside
}

// makeRoom lets the lists of calls and results grow only once.
func (t *thread) makeRoom() {
	calls, results := 0, len(t.loose)
	for i := range t.entries {
		calls += len(t.entries[i].Calls)
		results += len(t.entries[i].Results)
	}
	t.calls, t.results = make([]askedCall, 0, calls), make([]cameBack, 0, results)
}

// mix unites spans with histories: what only repeats calls or results that others hold is absorbed by them, the rest
// takes its place by time.
func (t *thread) mix(unplaced []entry) {
	t.entries, unplaced = t.absorb(t.entries, unplaced)
	if len(t.entries) == 0 {
		t.entries = unplaced
		return
	}
	if len(unplaced) == 0 {
		return
	}
	out := make([]entry, 0, len(t.entries)+len(unplaced))
	moved := make([]int, len(unplaced))
	var at time.Time
	u := 0
	for i := range t.entries {
		if next := t.entries[i].Time; next.After(at) {
			at = next
		}
		for u < len(unplaced) && !unplaced[u].at.IsZero() && unplaced[u].at.Before(at) {
			moved[u] = len(out)
			out = append(out, unplaced[u])
			u++
		}
		out = append(out, t.entries[i])
	}
	for ; u < len(unplaced); u++ {
		moved[u] = len(out)
		out = append(out, unplaced[u])
	}
	for u, i := range moved {
		if p := unplaced[u].parent; p != none {
			out[i].parent = moved[p]
		}
	}
	t.entries = out
}

// times gives every message the time that it counts at, in entry.at.
func (t *thread) times(first time.Time) {
	at := first
	for i := range t.entries {
		if m := &t.entries[i]; !m.Time.IsZero() {
			at = m.Time
		}
		t.entries[i].at = at
	}
}
