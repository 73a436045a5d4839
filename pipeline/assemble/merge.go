package assemble

import (
	"fmt"
	"time"

	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// batch is what a batch does to one run.
type batch struct {
	limits   *Limits
	arrivals []Arrival
	*touched
	rejects []Reject
	repeats repeats
}

// merged is what became of a run.
type merged struct {
	changed *Changed // nil: nothing is to be stored
	rejects []Reject
	err     error
}

// touched is a run that the batch speaks of, and what became new of it.
type touched struct {
	state   *state
	pieces  []piece // what the batch says of it
	meta    bool
	threads map[transcript.ThreadID]bool
	slots   map[int]bool // indexes in state.messages
	list    []int        // the same, in order
	brought []history
}

// run merges everything that the batch says of its run.
func (b *batch) run() merged {
	b.threads, b.slots = make(map[transcript.ThreadID]bool), make(map[int]bool, 2*len(b.pieces))
	for _, p := range b.pieces {
		b.merge(p)
	}
	changed, err := b.finish()
	return merged{changed, b.rejects, err}
}

// reject notes what of a fragment could not be used.
func (b *batch) reject(arrival int, r dialect.Reject) {
	b.rejects = append(b.rejects, Reject{arrival, r})
}

// history is a placed fragment that came with this batch: if it shares nothing with its run it is rejected.
type history struct {
	arrival int
	thread  transcript.ThreadID
	last    string // slot of its last message
}

// repeats counts messages without ids in one record.
type repeats struct {
	arrival int
	count   map[repeated]int
}

type repeated struct {
	run    transcript.RunID
	thread transcript.ThreadID
	slot   string
}

// merge unites a run with a fragment.
func (b *batch) merge(p piece) {
	s := b.state
	if _, known := s.threads[p.fragment.Thread]; !known && len(s.threads) >= b.limits.Messages {
		b.reject(p.arrival, dialect.Reject{
			Reason: dialect.ReasonTooLarge, Run: s.meta.ID, Message: fmt.Sprintf("the run has %d threads already, which is the limit of its messages; split the run", len(s.threads))})
		return
	}
	f, arrived := p.fragment, arrivalTime(b.arrivals[p.arrival].Time)
	meta := b.limits.cleanMeta(f.Meta)
	meta.Ended = meta.Ended || (f.Ended && f.Thread == "")
	b.limits.bound(&meta, &s.meta)
	b.meta = s.joinMeta(meta, arrived) || b.meta
	if s.joinThread(transcript.ThreadMeta{ID: f.Thread, ParentCall: b.limits.name(f.ParentCall), Ended: f.Ended, Arrived: arrived}) {
		b.threads[f.Thread] = true
	}
	var last string
	for i := range f.Messages {
		m, reject := b.limits.cleanMessage(&f.Messages[i])
		if reject == nil {
			m.Arrived = arrived
			k := transcript.Known{Thread: f.Thread, Position: transcript.Unplaced, Message: m}
			if f.First != transcript.Unplaced {
				k.Position = f.First + i
			}
			k.Slot = b.slot(&k, p)
			if last != "" && f.First != transcript.Unplaced {
				k.After = []uint32{transcript.Fingerprint(last)}
			}
			last = k.Slot
			reject = b.join(k)
		}
		if reject != nil {
			reject.Run, reject.Pointer = f.Meta.ID, fmt.Sprintf("/messages/%d", i)
			b.reject(p.arrival, *reject)
			last = ""
		}
	}
	if f.First != transcript.Unplaced && last != "" {
		b.brought = append(b.brought, history{p.arrival, f.Thread, last})
	}
}

// slot names the slot of a message. Messages without position and id are told apart by how often the record has
// said them before.
func (b *batch) slot(k *transcript.Known, p piece) string {
	name := transcript.SlotOf(&k.Message, k.Position, 0)
	if k.Position != transcript.Unplaced || k.ID != "" {
		return name
	}
	if b.repeats.count == nil || b.repeats.arrival != p.arrival {
		b.repeats.arrival, b.repeats.count = p.arrival, make(map[repeated]int)
	}
	key := repeated{p.fragment.Meta.ID, k.Thread, name}
	n := b.repeats.count[key]
	b.repeats.count[key]++
	if n == 0 {
		return name
	}
	return transcript.SlotOf(&k.Message, k.Position, n)
}

func (b *batch) join(k transcript.Known) *dialect.Reject {
	t := b.touched
	key := slot{k.Thread, k.Slot}
	i, known := t.state.slots[key]
	if !known && len(t.state.messages) >= b.limits.Messages {
		return &dialect.Reject{Reason: dialect.ReasonTooLarge, Message: fmt.Sprintf(
			"the run has %d messages already, which is the limit; raise the limit of messages or split the run", len(t.state.messages))}
	}
	if !t.state.join(k) {
		return nil
	}
	if !known {
		i = len(t.state.messages) - 1
	}
	if !t.slots[i] {
		t.slots[i] = true
		t.list = append(t.list, i)
	}
	return nil
}

// finish arranges a run, and gives it with its rows if anything was new. A run that was read back is given in any case:
// its rows may have been stored before a crash, and what is mined of it not.
func (b *batch) finish() (*Changed, error) {
	t := b.touched
	fresh := t.meta || len(t.threads) > 0 || len(t.list) > 0
	fresh = fresh || t.state.unsure
	var run transcript.Run
	if fresh {
		run, t.state.aside = transcript.Arrange(t.state.knowledge())
	}
	for _, h := range t.brought {
		if t.state.aside[h.thread][h.last] {
			b.reject(h.arrival, dialect.Reject{
				Reason: dialect.ReasonNoCommonIDs, Run: t.state.meta.ID,
				Message: "the history does not begin as what is known of the run and shares no message or call id with it; send messages with their ids, or with first_message",
			})
		}
	}
	if !fresh {
		return nil, nil
	}
	rows, err := t.rows()
	if err != nil {
		return nil, err
	}
	return &Changed{Run: run, Version: t.state.version, Rows: rows}, nil
}

// rows encodes what changed.
func (t *touched) rows() ([]transcript.Row, error) {
	rows := make([]transcript.Row, 0, len(t.list)+len(t.threads)+1)
	add := func(r transcript.Row, err error) error {
		rows = append(rows, r)
		return err
	}
	s := t.state
	if t.meta {
		if err := add(s.meta.Row(s.arrived)); err != nil {
			return nil, err
		}
	}
	for id := range t.threads {
		meta := s.threads[id]
		if err := add(meta.Row(s.meta.ID)); err != nil {
			return nil, err
		}
	}
	for _, i := range t.list {
		if err := add(s.messages[i].Row(s.meta.ID)); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// arrivalTime keeps the milliseconds that Kafka has and the table stores. A record always has a time: without one it
// is the beginning of time.
func arrivalTime(t time.Time) time.Time {
	if t.UnixMilli() < 0 {
		return time.UnixMilli(0).UTC()
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}
