package transcript

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// weaver puts the placed messages of one thread in order. Its nodes are the known messages, sorted by position. Each
// record that placed messages was a history: a path from a first message. Together they are a forest, a trunk for a
// history that only ever grew, and a branch for each compacted one. Weaving unites the nodes that are one message,
// first those of one position, then, by ids, those of different histories.
type weaver struct {
	nodes    []*Known
	spans    []span          // the nodes of each position
	spanOf   []int           // of each node
	places   map[place]int   // node by position and fingerprint
	parent   []int           // the node before it, or none
	inferred []bool          // the parent was found by position alone: the record began here
	weak     []bool          // nothing but system text up to here: any history could go on from it
	same     disjoint        // nodes that are one message of one history
	one      disjoint        // nodes that are one message of any history
	merged   map[int]Known   // by root of one: what is known of the message
	aside    map[string]bool // slots of histories that share nothing with the rest
}

type span struct{ position, from, to int }

type place struct {
	position    int
	fingerprint uint32
}

const none = -1

// maxRivals bounds how many messages that claim one position are looked at as the predecessor of one.
const maxRivals = 32

// weave orders the placed messages of a thread. The second result names the slots that were kept aside.
func weave(nodes []*Known) ([]Message, map[string]bool) {
	if len(nodes) == 0 {
		return nil, nil
	}
	slices.SortFunc(nodes, func(a, b *Known) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(a.Slot, b.Slot))
	})
	if single(nodes) {
		return inOrder(nodes), nil
	}
	n := len(nodes)
	w := &weaver{
		nodes: nodes, spanOf: make([]int, n), places: make(map[place]int, n), parent: make([]int, n),
		inferred: make([]bool, n), weak: make([]bool, n), same: newDisjoint(n), merged: make(map[int]Known), aside: make(map[string]bool),
	}
	w.index()
	w.findParents()
	w.uniteByAnchor()
	w.uniteBySuccessor()
	w.uniteSiblings()
	w.settleParents()
	w.uniteHistories()
	w.uniteFollowers()
	w.setAside()
	return w.order(), w.aside
}

// single tells whether every position has one message: there is one history, and nothing to unite.
func single(nodes []*Known) bool {
	for i := 1; i < len(nodes); i++ {
		if nodes[i].Position == nodes[i-1].Position {
			return false
		}
	}
	return true
}

func inOrder(nodes []*Known) []Message {
	out := make([]Message, len(nodes))
	for i := range nodes {
		out[i] = nodes[i].Message
	}
	return out
}

func (w *weaver) index() {
	for i := range w.nodes {
		p := w.nodes[i].Position
		if len(w.spans) == 0 || w.spans[len(w.spans)-1].position != p {
			w.spans = append(w.spans, span{position: p, from: i})
		}
		last := len(w.spans) - 1
		w.spans[last].to = i + 1
		w.spanOf[i] = last
		w.places[place{p, Fingerprint(w.nodes[i].Slot)}] = i
	}
}

// findParents gives each node one that stood before it: as its record says, else by position.
func (w *weaver) findParents() {
	for i := range w.nodes {
		w.parent[i] = none
		w.eachBefore(i, func(j int) {
			if w.parent[i] == none {
				w.parent[i] = j
			}
		})
		if w.parent[i] == none {
			w.parent[i] = w.inferParent(i)
			w.inferred[i] = w.nodes[i].Position > 0
		}
		m, p := &w.nodes[i].Message, w.parent[i]
		w.weak[i] = m.Role == RoleSystem && !anchored(m) && (p == none || w.weak[p])
	}
}

// eachBefore calls f with every node that a record says stood before node i.
func (w *weaver) eachBefore(i int, f func(j int)) {
	for _, fp := range w.nodes[i].After {
		if j, ok := w.places[place{w.nodes[i].Position - 1, fp}]; ok {
			f(j)
		}
	}
}

// inferParent chooses among the nodes of the nearest earlier position: the one with the call that this one answers,
// else the one that arrived last before it. Two of them stand there only after a compaction that numbered anew.
func (w *weaver) inferParent(i int) int {
	if w.spanOf[i] == 0 {
		return none
	}
	s := w.spans[w.spanOf[i]-1]
	best := s.from
	for j := s.from; j < min(s.to, s.from+maxRivals); j++ {
		if answers(&w.nodes[i].Message, &w.nodes[j].Message) {
			return j
		}
		if nearerBefore(w.nodes[i].Arrived, w.nodes[j].Arrived, w.nodes[best].Arrived) {
			best = j
		}
	}
	return best
}

// nearerBefore tells whether a is a better predecessor of at than b: the latest not after it, else the earliest.
func nearerBefore(at, a, b time.Time) bool {
	if b.After(at) {
		return a.Before(b)
	}
	return !a.After(at) && !a.Before(b)
}

func answers(m, before *Message) bool {
	for i := range m.Results {
		for j := range before.Calls {
			if id := m.Results[i].CallID; id != "" && id == before.Calls[j].ID {
				return true
			}
		}
	}
	return false
}

// uniteByAnchor unites nodes of one position that share an id.
func (w *weaver) uniteByAnchor() {
	seen := make(map[anchor]int)
	for _, s := range w.spans {
		if s.to-s.from < 2 {
			continue
		}
		clear(seen)
		for i := s.from; i < s.to; i++ {
			eachAnchor(&w.nodes[i].Message, func(a anchor) {
				if j, ok := seen[a]; ok {
					w.same.union(i, j)
					return
				}
				seen[a] = i
			})
		}
	}
}

// uniteBySuccessor unites nodes of one position that are followed by one message: the records disagree about them.
func (w *weaver) uniteBySuccessor() {
	before := make([]int, len(w.nodes))
	for i := range before {
		before[i] = none
	}
	for i := len(w.nodes) - 1; i >= 0; i-- {
		root := w.same.find(i)
		w.eachBefore(i, func(j int) {
			if before[root] == none {
				before[root] = j
				return
			}
			if w.compatible(j, before[root]) {
				w.same.union(j, before[root])
			}
		})
	}
}

// compatible tells whether two nodes can be two versions of one message.
func (w *weaver) compatible(i, j int) bool {
	a, b := &w.nodes[i].Message, &w.nodes[j].Message
	return a.Role == b.Role && !(anchored(a) && anchored(b))
}

// uniteSiblings unites nodes of one role that follow the same message at one position and of which at most one has
// ids: versions of one message, of which the longer wins. At the beginning of a thread, where a summary could stand in
// the place of a task, only a text that begins with the other is a version of it.
func (w *weaver) uniteSiblings() {
	for _, s := range w.spans {
		if s.to-s.from < 2 {
			continue
		}
		group := make([]int, 0, s.to-s.from)
		for i := s.from; i < s.to; i++ {
			group = append(group, i)
		}
		slices.SortStableFunc(group, func(a, b int) int {
			return cmp.Or(
				cmp.Compare(w.parentClass(a), w.parentClass(b)),
				cmp.Compare(w.nodes[a].Role, w.nodes[b].Role),
				strings.Compare(w.nodes[a].Text, w.nodes[b].Text),
			)
		})
		for k := 1; k < len(group); k++ {
			a, b := group[k-1], group[k]
			if w.parentClass(a) != w.parentClass(b) || !w.compatible(a, b) {
				continue
			}
			if p := w.parent[a]; (p != none && !w.weak[p]) || strings.HasPrefix(w.nodes[b].Text, w.nodes[a].Text) {
				w.same.union(a, b)
			}
		}
	}
}

func (w *weaver) parentClass(i int) int {
	if w.parent[i] == none {
		return none
	}
	return w.same.find(w.parent[i])
}

// settleParents makes the smallest node of each class its root, with the parent that a record names before one that
// was inferred. From here on only roots have parents.
func (w *weaver) settleParents() {
	for i := range w.nodes {
		root := w.same.find(i)
		if root != i && w.inferred[root] && !w.inferred[i] {
			w.parent[root], w.inferred[root] = w.parent[i], false
		}
	}
	for i := range w.nodes {
		if w.parent[i] != none {
			w.parent[i] = w.same.find(w.parent[i])
		}
	}
}

func (w *weaver) root(i int) bool { return w.same.find(i) == i }
