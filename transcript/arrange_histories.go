package transcript

import (
	"cmp"
	"slices"
)

// uniteHistories unites messages of different histories by their ids. An id that one history bears twice names no
// message (some agents use call ids again) and is left out.
func (w *weaver) uniteHistories() {
	enter, leave := w.tour()
	bearers := make(map[anchor][]int, len(w.nodes))
	for i := range w.nodes {
		root := w.same.find(i)
		eachAnchor(&w.nodes[i].Message, func(a anchor) {
			if list := bearers[a]; len(list) == 0 || list[len(list)-1] != root {
				bearers[a] = append(list, root)
			}
		})
	}
	w.one = slices.Clone(w.same)
	for i := range w.nodes {
		eachAnchor(&w.nodes[i].Message, func(a anchor) {
			list := bearers[a]
			if len(list) < 2 {
				return
			}
			delete(bearers, a)
			slices.SortFunc(list, func(i, j int) int { return cmp.Compare(enter[i], enter[j]) })
			list = slices.Compact(list)
			for k := 1; k < len(list); k++ {
				if enter[list[k]] < leave[list[k-1]] {
					return // one stands before the other in one history
				}
			}
			for k := 1; k < len(list); k++ {
				w.one.union(list[0], list[k])
			}
		})
	}
}

// uniteFollowers unites messages without ids that say the same after the same message, in different histories.
func (w *weaver) uniteFollowers() {
	type follower struct {
		after int
		says  uint64
	}
	first := make(map[follower]int)
	for i := range w.nodes {
		m := &w.nodes[i].Message
		if p := w.parent[i]; p != none && w.root(i) && !anchored(m) {
			d := digest{}
			d.reset()
			d.field(string(m.Role))
			d.heads(m)
			key := follower{w.one.find(p), d.sum()}
			if j, ok := first[key]; ok {
				w.one.union(i, j)
				continue
			}
			first[key] = i
		}
	}
}

// tour numbers the roots so that those below a root are the numbers from its own up to its end.
func (w *weaver) tour() (enter, leave []int) {
	n := len(w.nodes)
	size, enter, leave, next := make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	for i := n - 1; i >= 0; i-- {
		if !w.root(i) {
			continue
		}
		size[i]++
		if p := w.parent[i]; p != none {
			size[p] += size[i]
		}
	}
	top := 0
	for i := range n {
		if !w.root(i) {
			continue
		}
		at := &top
		if p := w.parent[i]; p != none {
			at = &next[p]
		}
		enter[i] = *at
		leave[i] = enter[i] + size[i]
		next[i] = enter[i] + 1
		*at = leave[i]
	}
	return enter, leave
}

// setAside finds the histories that share no message with the first that arrived, but system text. A record that began
// in the middle is never aside: it is known by its position.
func (w *weaver) setAside() {
	n := len(w.nodes)
	weak, joined := w.weak, newDisjoint(n)
	loose := none
	for i := range n {
		if !w.root(i) {
			continue
		}
		p := w.parent[i]
		switch {
		case weak[i]:
		case p != none && !weak[p]:
			joined.union(i, p)
		case w.inferred[i] && loose == none:
			loose = i
		case w.inferred[i]:
			joined.union(i, loose)
		}
		if one := w.one.find(i); !weak[i] && one != i {
			joined.union(i, one)
		}
	}
	main := w.mainHistory(joined)
	if main == none {
		return
	}
	keep := make([]bool, n)
	for i := n - 1; i >= 0; i-- {
		if !w.root(i) {
			continue
		}
		component := joined.find(i)
		if !weak[i] {
			keep[i] = component == main || (loose != none && component == joined.find(loose))
		}
		if p := w.parent[i]; p != none && keep[i] {
			keep[p] = true
		}
	}
	for i := range n {
		if !keep[w.same.find(i)] {
			w.aside[w.nodes[i].Slot] = true
		}
	}
}

// mainHistory chooses, of histories that share nothing, the one that arrived first, then the one with more messages.
func (w *weaver) mainHistory(joined disjoint) int {
	first, count := make(map[int]int), make(map[int]int)
	for i := range w.nodes {
		if w.weak[w.same.find(i)] {
			continue
		}
		c := joined.find(w.same.find(i))
		count[c]++
		if j, ok := first[c]; !ok || w.nodes[i].Arrived.Before(w.nodes[j].Arrived) {
			first[c] = i
		}
	}
	best := none
	for c, i := range first {
		if best == none {
			best = c
			continue
		}
		order := cmp.Or(w.nodes[i].Arrived.Compare(w.nodes[first[best]].Arrived), cmp.Compare(count[best], count[c]), cmp.Compare(c, best))
		if order < 0 {
			best = c
		}
	}
	return best
}

// order walks from the last messages back to the first and gives every message after those that stood before it. Where
// a message stands in several histories the one with the most before it is the whole one; what the others have before
// it, and nobody else knows, comes directly before it: the summary of a compaction.
func (w *weaver) order() []Message {
	members, tips := w.messages()
	v := visit{w: w, members: members, done: make(map[int]bool, len(members)), texts: make(map[spoken]bool)}
	for _, tip := range tips {
		v.from(tip)
	}
	return v.out
}

// messages gives the kept roots of every message, the one furthest back in its history first, and the messages after
// which none comes.
func (w *weaver) messages() (members map[int][]int, tips []int) {
	members = make(map[int][]int, len(w.nodes))
	followed := make(map[int]bool, len(w.nodes))
	for i := range w.nodes {
		if w.aside[w.nodes[i].Slot] {
			continue
		}
		one := w.one.find(i)
		if known, ok := w.merged[one]; ok {
			known.Message = unite(known.Message, w.nodes[i].Message)
			w.merged[one] = known
		} else {
			w.merged[one] = *w.nodes[i]
		}
		if !w.root(i) {
			continue
		}
		members[one] = append(members[one], i)
		if p := w.parent[i]; p != none && w.one.find(p) != one {
			followed[w.one.find(p)] = true
		}
	}
	for one, roots := range members {
		slices.Reverse(roots) // nodes are in order of position
		if !followed[one] {
			tips = append(tips, one)
		}
	}
	if len(tips) == 0 { // ids that contradict each other's order
		for one := range members {
			tips = append(tips, one)
		}
	}
	slices.SortFunc(tips, func(a, b int) int {
		x, y := w.merged[a], w.merged[b]
		return cmp.Or(x.Arrived.Compare(y.Arrived), cmp.Compare(a, b))
	})
	return members, tips
}

// visit is one walk over the messages.
type visit struct {
	w       *weaver
	members map[int][]int
	done    map[int]bool
	texts   map[spoken]bool // what is in out without an id
	out     []Message
}

type spoken struct {
	role Role
	text string
}

// step is a message on the way back, and how many of its predecessors were visited.
type step struct {
	one, next int
	prefix    bool // reached only as the beginning of a compacted history
}

func (v *visit) from(tip int) {
	if v.done[tip] {
		return
	}
	v.done[tip] = true
	stack := []step{{one: tip}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		roots := v.members[top.one]
		if top.next == len(roots) {
			v.emit(top.one, top.prefix)
			stack = stack[:len(stack)-1]
			continue
		}
		p := v.w.parent[roots[top.next]]
		prefix := top.prefix || top.next > 0
		top.next++
		if p == none {
			continue
		}
		if one := v.w.one.find(p); !v.done[one] {
			v.done[one] = true
			stack = append(stack, step{one: one, prefix: prefix})
		}
	}
}

// emit adds a message. What a compacted history begins with is no user's, and not added again.
func (v *visit) emit(one int, prefix bool) {
	m := v.w.merged[one].Message
	if !anchored(&m) {
		text := spoken{m.Role, m.Text}
		if prefix && v.texts[text] {
			return
		}
		v.texts[text] = true
		if prefix && m.Role == RoleUser {
			m.Role = RoleHarness
		}
	}
	v.out = append(v.out, m)
}
