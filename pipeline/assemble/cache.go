package assemble

import (
	"container/list"

	"errata/transcript"
)

// cache holds runs in order of their last change.
type cache struct {
	runs  map[transcript.RunID]*list.Element // of *state
	order *list.List                         // least recently changed first
	bytes int64
}

func newCache() cache {
	return cache{runs: make(map[transcript.RunID]*list.Element), order: list.New()}
}

func (c *cache) has(id transcript.RunID) bool { return c.runs[id] != nil }

func (c *cache) add(s *state) {
	c.runs[s.meta.ID] = c.order.PushBack(s)
	c.bytes += s.bytes
	s.counted = s.bytes
}

// touch gives a run that is in memory and makes it the last to leave.
func (c *cache) touch(id transcript.RunID) *state {
	e := c.runs[id]
	c.order.MoveToBack(e)
	return e.Value.(*state)
}

// remove lets a run go.
func (c *cache) remove(id transcript.RunID) {
	if e := c.runs[id]; e != nil {
		c.bytes -= c.order.Remove(e).(*state).counted
		delete(c.runs, id)
	}
}

// resize counts what a run has grown by.
func (c *cache) resize(s *state) {
	c.bytes += s.bytes - s.counted
	s.counted = s.bytes
}

// confirm lets runs go until the rest fits. It is called when all of them are stored.
func (c *cache) confirm(limit int64) {
	for c.bytes > limit && c.order.Len() > 0 {
		s := c.order.Remove(c.order.Front()).(*state)
		delete(c.runs, s.meta.ID)
		c.bytes -= s.counted
	}
}
