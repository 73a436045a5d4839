package metrics

import (
	"cmp"
	"slices"

	"errata/transcript"
)

// maxCandidates bounds with how many open episodes of its tool a call is compared: the latest ones. Older ones still take
// a call that is identical to their first or last one.
const maxCandidates = 32

// rounding is how far below the threshold a similarity may be that is a sum of fractions.
const rounding = 1e-9

// openEpisodes are the open episodes of a thread, by what finds them.
type openEpisodes struct {
	byTool  map[transcript.Tool][]*episode
	missing []*episode            // those that take calls of any tool
	byHash  map[uint64][]*episode // by the hash of their first and their last call
}

func newOpenEpisodes() openEpisodes {
	return openEpisodes{byTool: map[transcript.Tool][]*episode{}, byHash: map[uint64][]*episode{}}
}

func (o *openEpisodes) add(e *episode, hash uint64) {
	if e.missing {
		o.missing = append(o.missing, e)
	} else {
		o.byTool[e.tool] = append(o.byTool[e.tool], e)
	}
	o.byHash[hash] = append(o.byHash[hash], e)
}

// rename makes an episode found by the hash of its new last call too. Hashes of calls in between are left to remove.
func (o *openEpisodes) rename(e *episode, hash uint64) {
	if !slices.Contains(o.byHash[hash], e) {
		o.byHash[hash] = append(o.byHash[hash], e)
	}
	if e.missing && !slices.Contains(o.missing, e) {
		o.byTool[e.tool] = without(o.byTool[e.tool], e)
		o.missing = append(o.missing, e)
	}
}

func (o *openEpisodes) remove(e *episode) {
	o.byTool[e.tool] = without(o.byTool[e.tool], e)
	o.missing = without(o.missing, e)
}

func without(episodes []*episode, e *episode) []*episode {
	if i := slices.Index(episodes, e); i >= 0 {
		return slices.Delete(episodes, i, i+1)
	}
	return episodes
}

// candidates are the open episodes that may take a call, each once.
func (o *openEpisodes) candidates(c *CallFact) []*episode {
	latest := func(all []*episode) []*episode { return all[max(0, len(all)-maxCandidates):] }
	found := slices.Concat(latest(o.byTool[c.Tool]), latest(o.missing))
	if identical := o.byHash[c.Hash]; len(identical) > 0 {
		identical = slices.DeleteFunc(identical, func(e *episode) bool { return e.closed })
		o.byHash[c.Hash] = identical
		for _, e := range latest(identical) {
			if !slices.Contains(found, e) {
				found = append(found, e)
			}
		}
	}
	return found
}

// bid is a pair of an episode and a call that belongs to it.
type bid struct {
	episode    *episode
	call       int
	similarity float64
}

// assign gives each call of a turn to at most one episode, each episode at most one call: pairs are taken in falling
// similarity, then the latest episode, then the earliest call.
func (s *threadState) assign(t *turnState) (taken map[int]bool) {
	var bids []bid
	var m comparer
	for i := t.calls.from; i < t.calls.to; i++ {
		for _, e := range s.open.candidates(&s.calls[i].fact) {
			if similarity, belongs := s.belongs(&m, e, i); belongs {
				bids = append(bids, bid{e, i, similarity})
			}
		}
	}
	slices.SortStableFunc(bids, func(a, b bid) int {
		return cmp.Or(
			cmp.Compare(b.similarity, a.similarity),
			cmp.Compare(b.episode.number, a.episode.number),
			cmp.Compare(a.call, b.call),
		)
	})
	taken = map[int]bool{}
	served := map[*episode]bool{}
	for _, b := range bids {
		if taken[b.call] || served[b.episode] {
			continue
		}
		taken[b.call], served[b.episode] = true, true
		s.join(b.episode, b.call)
	}
	return taken
}

// belongs tells whether a call is after the same thing as an open episode of an earlier turn: by its similarity to the
// episode's last call or to its first, whichever is greater. In a log with rewinds only calls of the turn's own branch
// are looked at.
func (s *threadState) belongs(m *comparer, e *episode, index int) (similarity float64, ok bool) {
	c := &s.calls[index]
	first, last := &s.calls[e.first()], &s.calls[e.last()]
	if !s.isAncestor(first.fact.Turn, c.fact.Turn) {
		return 0, false
	}
	rules := s.env.Rules.Tools[e.tool]
	threshold := defaultThreshold
	if rules.Threshold != nil {
		threshold = *rules.Threshold
	}
	enough := threshold
	if rules.Any {
		enough = 0 // its calls belong anyhow, the most similar first
	}
	compare := func(before *callState) {
		if !rules.Any && !sameIdentity(rules.Identity, before, c) {
			return
		}
		one := m.similarity(before, c, &e.faults, enough)
		ok = ok || one >= enough-rounding
		similarity = max(similarity, one)
	}
	if s.isAncestor(last.fact.Turn, c.fact.Turn) {
		compare(last)
	}
	if e.first() != e.last() && similarity < 1 {
		compare(first)
	}
	return similarity, ok
}

// sameIdentity tells whether the arguments that the configuration names are equal in both calls.
func sameIdentity(pointers []string, a, b *callState) bool {
	for _, pointer := range pointers {
		if !slices.Equal(under(a.leaves, pointer), under(b.leaves, pointer)) {
			return false
		}
	}
	return true
}

// under lists the leaves that a pointer covers.
func under(leaves []transcript.Leaf, pointer string) []transcript.Leaf {
	var found []transcript.Leaf
	for i := range leaves {
		if covers(pointer, leaves[i].Pointer) {
			found = append(found, leaves[i])
		}
	}
	return found
}
