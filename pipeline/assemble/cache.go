package assemble

import (
	"container/list"

	"errata/transcript"
)

// cache holds runs in order of their last change. Runs that have ended, of which little more is to be expected, are held
// apart and in less room, so that they do not push out the others.
type cache struct {
	runs        map[transcript.RunID]*list.Element // of *state
	open, ended queue
}

// queue is runs in order of their last change, the least recent one first.
type queue struct {
	*list.List
	bytes int64
}

func newCache() cache {
	return cache{runs: make(map[transcript.RunID]*list.Element), open: queue{List: list.New()}, ended: queue{List: list.New()}}
}

// bytes is what all runs take.
func (c *cache) bytes() int64 { return c.open.bytes + c.ended.bytes }

// of gives the queue that a run is in.
func (c *cache) of(s *state) *queue {
	if s.retired {
		return &c.ended
	}
	return &c.open
}

func (c *cache) has(id transcript.RunID) bool { return c.runs[id] != nil }

func (c *cache) add(s *state) {
	s.retired, s.counted = false, s.bytes
	c.runs[s.meta.ID] = c.open.PushBack(s)
	c.open.bytes += s.bytes
}

// touch gives a run that is in memory and makes it the last to leave.
func (c *cache) touch(id transcript.RunID) *state {
	e := c.runs[id]
	s := e.Value.(*state)
	c.of(s).MoveToBack(e)
	return s
}

// remove lets a run go.
func (c *cache) remove(id transcript.RunID) {
	e := c.runs[id]
	if e == nil {
		return
	}
	s := e.Value.(*state)
	q := c.of(s)
	q.Remove(e)
	q.bytes -= s.counted
	delete(c.runs, id)
}

// resize counts what a run has grown by.
func (c *cache) resize(s *state) {
	c.of(s).bytes += s.bytes - s.counted
	s.counted = s.bytes
}

// retire moves a run that has ended to its like.
func (c *cache) retire(s *state) {
	e := c.runs[s.meta.ID]
	if e == nil || e.Value != s || s.retired || !s.meta.Ended {
		return
	}
	c.open.Remove(e)
	c.open.bytes -= s.counted
	s.retired = true
	c.runs[s.meta.ID] = c.ended.PushBack(s)
	c.ended.bytes += s.counted
}

// endedShare is the part of the room that ended runs may take.
const endedShare = 8

// confirm lets runs go until the rest fits. It is called when all of them are stored.
func (c *cache) confirm(limit int64) {
	for c.ended.bytes > limit/endedShare && c.ended.Len() > 0 {
		c.remove(c.ended.Front().Value.(*state).meta.ID)
	}
	for c.bytes() > limit && c.open.Len() > 0 {
		c.remove(c.open.Front().Value.(*state).meta.ID)
	}
}
