package transcript

import (
	"cmp"
	"container/heap"
	"slices"
	"time"
)

// entry is a message in its thread's order.
type entry struct {
	Message
	placed bool      // it stands in a history
	parent int       // index of the entry that it follows in a branching log, or none: the one before it
	at     time.Time // where it stands in time: its own, else that of what it follows
}

// sequence orders the unplaced messages of a thread: a message after its parent, then by time, sequence number and id.
// Messages of one id are one message, and so are copies of one under another id.
func sequence(nodes []*Known) []entry {
	slices.SortFunc(nodes, func(a, b *Known) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.Slot, b.Slot))
	})
	if len(nodes) == 0 {
		return nil
	}
	s := sequencer{byID: make(map[string]int, len(nodes)), byCopy: make(map[uint64]int, len(nodes))}
	for i := range nodes {
		s.add(&nodes[i].Message)
	}
	s.link()
	return s.order()
}

type sequencer struct {
	entries  []entry
	byID     map[string]int
	byCopy   map[uint64]int
	children [][]int
	ready    queue
}

func (s *sequencer) add(m *Message) {
	i, known := s.byID[m.ID]
	known = known && m.ID != ""
	key, copyable := copyKey(m)
	if !known && copyable {
		i, known = s.byCopy[key]
	}
	if !known {
		i = len(s.entries)
		s.entries = append(s.entries, entry{Message: *m, parent: none})
	} else {
		s.entries[i].Message = uniteCopy(s.entries[i].Message, *m)
	}
	if m.ID != "" {
		s.byID[m.ID] = i
	}
	if copyable {
		s.byCopy[key] = i
	}
}

// uniteCopy keeps the id and the parent of the first, so that the place of a copy in its own file does not move it.
func uniteCopy(a, b Message) Message {
	id, parent, seq := a.ID, a.Parent, a.Seq
	united := unite(a, b)
	if id != b.ID {
		united.ID, united.Parent, united.Seq = id, parent, seq
	}
	return united
}

// copyKey tells copies of a message, which a resumed or forked session writes under a new id, from other
// messages: the same generation or the same time, and the same content with an id in it.
func copyKey(m *Message) (uint64, bool) {
	if m.Generation == "" && (m.Time.IsZero() || !(len(m.Calls)+len(m.Results) > 0 || m.Role == RoleUser)) {
		return 0, false
	}
	for i := range m.Calls {
		if m.Calls[i].ID == "" {
			return 0, false
		}
	}
	d := digest{}
	d.reset()
	d.field(string(m.Role))
	if m.Generation != "" {
		at := m.Time
		m = &Message{Generation: m.Generation, Text: m.Text, Reasoning: m.Reasoning, Calls: m.Calls, Results: m.Results}
		if len(m.Calls)+len(m.Results) == 0 {
			m.Time = at
		}
	}
	d.content(m)
	for i := range m.Calls {
		d.field(m.Calls[i].ID)
	}
	for i := range m.Results {
		d.field(m.Results[i].CallID)
	}
	return d.sum(), true
}

// link finds every entry's parent and place in time.
func (s *sequencer) link() {
	s.children = make([][]int, len(s.entries))
	var last time.Time
	for i := range s.entries {
		e := &s.entries[i]
		if j, ok := s.byID[e.Parent]; ok && e.Parent != "" && j != i {
			e.parent = j
			s.children[j] = append(s.children[j], i)
		}
		if !e.Time.IsZero() {
			last = e.Time
		}
		e.at = last
	}
}

// order takes the entries whose parents are out, earliest first. Where parents run in a circle the first of what is
// left is taken as a beginning.
func (s *sequencer) order() []entry {
	out := make([]entry, 0, len(s.entries))
	placed := make([]int, len(s.entries))
	for i := range placed {
		placed[i] = none
	}
	s.ready.entries = s.entries
	take := func(i int) {
		if placed[i] != none {
			return
		}
		e := s.entries[i]
		if e.parent != none {
			e.parent = placed[e.parent]
		}
		placed[i] = len(out)
		out = append(out, e)
		for _, c := range s.children[i] {
			s.follow(i, c)
		}
	}
	for i := range s.entries {
		if s.entries[i].parent == none {
			s.ready.indexes = append(s.ready.indexes, i)
		}
	}
	heap.Init(&s.ready)
	for i := 0; ; {
		for s.ready.Len() > 0 {
			take(heap.Pop(&s.ready).(int))
		}
		for i < len(placed) && placed[i] != none {
			i++
		}
		if i == len(placed) {
			return out
		}
		take(i)
	}
}

// follow makes a child ready. One without a time of its own stands where its parent does.
func (s *sequencer) follow(parent, child int) {
	if e := &s.entries[child]; e.Time.IsZero() && e.at.Before(s.entries[parent].at) {
		e.at = s.entries[parent].at
	}
	heap.Push(&s.ready, child)
}

// queue is a heap of entries by time, sequence number and id.
type queue struct {
	entries []entry
	indexes []int
}

func (q *queue) Len() int { return len(q.indexes) }

func (q *queue) Less(i, j int) bool {
	a, b := &q.entries[q.indexes[i]], &q.entries[q.indexes[j]]
	return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID), cmp.Compare(q.indexes[i], q.indexes[j])) < 0
}

func (q *queue) Swap(i, j int) { q.indexes[i], q.indexes[j] = q.indexes[j], q.indexes[i] }

// Push adds an index.
func (q *queue) Push(x any) { q.indexes = append(q.indexes, x.(int)) }

// Pop takes the last index.
func (q *queue) Pop() any {
	last := q.indexes[len(q.indexes)-1]
	q.indexes = q.indexes[:len(q.indexes)-1]
	return last
}
