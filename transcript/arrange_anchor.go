package transcript

// anchor is an id by which a message is known in several histories.
type anchor struct {
	kind byte // 'm' the message's own id, 'c' a call's, 'r' a result's
	id   string
}

// eachAnchor calls f with every id in a message.
func eachAnchor(m *Message, f func(anchor)) {
	if m.ID != "" {
		f(anchor{'m', m.ID})
	}
	for i := range m.Calls {
		if id := m.Calls[i].ID; id != "" {
			f(anchor{'c', id})
		}
	}
	for i := range m.Results {
		if id := m.Results[i].CallID; id != "" {
			f(anchor{'r', id})
		}
	}
}

// anchored tells whether a message has an id of any kind.
func anchored(m *Message) bool {
	found := false
	eachAnchor(m, func(anchor) { found = true })
	return found
}

// disjoint is a union-find structure whose roots are the smallest members.
type disjoint []int

func newDisjoint(n int) disjoint {
	d := make(disjoint, n)
	for i := range d {
		d[i] = i
	}
	return d
}

func (d disjoint) find(i int) int {
	for d[i] != i {
		d[i] = d[d[i]]
		i = d[i]
	}
	return i
}

func (d disjoint) union(i, j int) {
	i, j = d.find(i), d.find(j)
	if i < j {
		d[j] = i
		return
	}
	d[i] = j
}
