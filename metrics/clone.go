package metrics

import (
	"maps"
	"slices"

	"errata/transcript"
)

// Clone makes a Miner that goes on from here without changing this one. Whoever mines a run as it grows keeps a Miner of
// the turns that can no longer change, and steps over the rest in a clone: copying what is known of a turn costs a small
// part of finding it out.
func (m *Miner) Clone() *Miner {
	n := &Miner{
		env:      m.env,
		variant:  m.variant,
		threads:  make(map[transcript.ThreadID]*threadState, len(m.threads)),
		accepted: m.accepted.clone(),
		prices:   &modelPrices{table: m.prices.table, lists: maps.Clone(m.prices.lists)},
	}
	for id, s := range m.threads {
		n.threads[id] = s.clone(n)
	}
	return n
}

// clone copies what a step changes in place; what is only ever appended to is shared up to here.
func (s *threadState) clone(m *Miner) *threadState {
	n := *s
	n.env, n.accepted, n.prices = &m.env, m.accepted, m.prices
	n.turns, n.calls = slices.Clone(s.turns), slices.Clone(s.calls)
	n.patterns, n.findings = slices.Clip(s.patterns), slices.Clip(s.findings)
	n.waiting = make(map[uint64][]int, len(s.waiting))
	for hash, calls := range s.waiting {
		n.waiting[hash] = slices.Clone(calls)
	}
	n.context.byTurn = maps.Clone(s.context.byTurn)
	n.trail = s.trail.clone()
	copies := make(map[*episode]*episode, len(s.episodes))
	n.episodes = make([]*episode, len(s.episodes))
	for i, e := range s.episodes {
		n.episodes[i] = e.clone()
		copies[e] = n.episodes[i]
	}
	n.open = s.open.clone(copies)
	return &n
}

func (t *trail) clone() trail {
	n := *t
	n.path = slices.Clip(t.path)
	n.streaks = make(map[transcript.Tool]*streak, len(t.streaks))
	for tool, k := range t.streaks {
		running := *k
		n.streaks[tool] = &running
	}
	return n
}

func (e *episode) clone() *episode {
	n := *e
	n.calls = slices.Clip(e.calls)
	n.faults = faults{named: slices.Clip(e.faults.named), messages: slices.Clone(e.faults.messages)}
	return &n
}

// clone copies the lists, with each episode's copy in its place.
func (o *openEpisodes) clone(copies map[*episode]*episode) openEpisodes {
	copied := func(episodes []*episode) []*episode {
		list := make([]*episode, len(episodes))
		for i, e := range episodes {
			list[i] = copies[e]
		}
		return list
	}
	n := newOpenEpisodes()
	n.missing = copied(o.missing)
	for tool, episodes := range o.byTool {
		n.byTool[tool] = copied(episodes)
	}
	for hash, episodes := range o.byHash {
		n.byHash[hash] = copied(episodes)
	}
	return n
}

func (a acceptedValues) clone() acceptedValues {
	n := make(acceptedValues, len(a))
	for key, field := range a {
		n[key] = &acceptedField{calls: field.calls, values: maps.Clone(field.values)}
	}
	return n
}
