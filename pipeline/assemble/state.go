package assemble

import (
	"time"

	"errata/transcript"
)

// state is all that is known of one run.
type state struct {
	meta     transcript.Meta
	arrived  time.Time
	threads  map[transcript.ThreadID]transcript.ThreadMeta
	slots    map[slot]int // index in messages
	messages []transcript.Known
	version  uint64 // sum of all weights
	bytes    int64
	counted  int64 // bytes as the cache counted them
	aside    transcript.Aside
	retired  bool // ended, so that it is held with its like
	unsure   bool // read back, so that what is mined of it may not be stored although its rows are
}

// slot names a message of a run.
type slot struct {
	thread transcript.ThreadID
	name   string
}

// overhead is about what a slot costs in memory beside its strings: the structs, the map's entry, the name.
const overhead = 640

func newState(id transcript.RunID) *state {
	return &state{
		meta:    transcript.Meta{ID: id},
		threads: make(map[transcript.ThreadID]transcript.ThreadMeta),
		slots:   make(map[slot]int),
		bytes:   overhead + int64(len(id)),
	}
}

// restore merges stored rows. Rows of one key are united, so that it does not matter whether the table has replaced
// the older ones yet.
func (s *state) restore(rows []transcript.Row) error {
	if len(rows) == 0 {
		return nil
	}
	s.unsure = true
	k, err := transcript.ReadRows(rows)
	if err != nil {
		return err
	}
	s.joinMeta(k.Meta, k.Arrived)
	for _, t := range k.Threads {
		s.joinThread(t)
	}
	for i := range k.Messages {
		s.join(k.Messages[i])
	}
	return nil
}

// joinMeta tells whether anything about the run was new.
func (s *state) joinMeta(m transcript.Meta, arrived time.Time) bool {
	old := s.metaWeight()
	joined := s.meta.Join(m)
	if s.arrived.IsZero() || (!arrived.IsZero() && arrived.Before(s.arrived)) {
		s.arrived = arrived
	}
	s.bytes += metaSize(&joined) - metaSize(&s.meta)
	s.meta = joined
	now := s.metaWeight()
	s.version += now - old
	return now != old
}

// metaWeight is the weight of the run's own row, 0 while there is none.
func (s *state) metaWeight() uint64 {
	if s.arrived.IsZero() {
		return 0
	}
	return s.meta.Weight() + transcript.ArrivedWeight(s.arrived)
}

// joinThread tells whether anything about the thread was new.
func (s *state) joinThread(t transcript.ThreadMeta) bool {
	old, known := s.threads[t.ID]
	joined, before := t, uint64(0)
	if known {
		joined, before = old.Join(t), old.Weight()
	}
	now := joined.Weight()
	if now == before {
		return false
	}
	s.threads[t.ID] = joined
	s.version += now - before
	s.bytes += int64(len(joined.ParentCall) - len(old.ParentCall))
	if !known {
		s.bytes += overhead/2 + int64(len(t.ID))
	}
	return true
}

// join tells whether anything about the message was new.
func (s *state) join(k transcript.Known) bool {
	key := slot{k.Thread, k.Slot}
	i, known := s.slots[key]
	if !known {
		s.slots[key] = len(s.messages)
		s.messages = append(s.messages, k)
		s.version += k.Weight()
		s.bytes += overhead + size(&k)
		return true
	}
	old := &s.messages[i]
	if old.Holds(&k) {
		return false
	}
	joined := old.Join(k)
	before, now := old.Weight(), joined.Weight()
	if now == before {
		return false
	}
	s.version += now - before
	s.bytes += size(&joined) - size(old)
	s.messages[i] = joined
	return true
}

// knowledge is what Arrange makes a run of. The messages are not copied: Arrange does not change them, and joining replaces
// a message as a whole.
func (s *state) knowledge() transcript.Knowledge {
	k := transcript.Knowledge{Meta: s.meta, Arrived: s.arrived, Messages: s.messages}
	for _, t := range s.threads {
		k.Threads = append(k.Threads, t)
	}
	return k
}

// size is about what the strings and lists of a message take.
func size(k *transcript.Known) int64 {
	n := len(k.Slot) + len(k.ID) + len(k.Generation) + len(k.Parent) + len(k.Provider) + len(k.Model) + len(k.Text) + len(k.Reasoning) + 4*len(k.After)
	for i := range k.Calls {
		c := &k.Calls[i]
		n += 128 + len(c.ID) + len(c.Tool) + len(c.Arguments)
	}
	for i := range k.Results {
		r := &k.Results[i]
		n += 224 + len(r.CallID) + len(r.Tool) + len(r.Body) + len(r.ErrorType) + len(r.Variant) + len(r.BodyHash)
	}
	return int64(n)
}

func metaSize(m *transcript.Meta) int64 {
	n := 0
	for k, v := range m.Attributes {
		n += 64 + len(k) + len(v)
	}
	for i := range m.Shadow {
		n += 64 + len(m.Shadow[i].CallID) + len(m.Shadow[i].Payload)
	}
	return int64(n)
}
