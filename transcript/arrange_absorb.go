package transcript

import "slices"

// absorb takes out of the unplaced entries those that only repeat what others hold: the span of a call that
// stands in a history or in the message that made it. Its result, arguments and time are kept with that call. A call
// is thus counted once, whichever of the two came first or came at all.
func (t *thread) absorb(placed, unplaced []entry) (rest, left []entry) {
	if len(unplaced) == 0 {
		return placed, unplaced
	}
	a := absorber{t: t, holder: make(map[string]*entry), answered: make(map[string]bool)}
	for i := range placed {
		a.hold(&placed[i])
	}
	for i := range unplaced {
		if !repeats(&unplaced[i].Message) {
			a.hold(&unplaced[i])
		}
	}
	moved := make([]int, len(unplaced))
	left = make([]entry, 0, len(unplaced))
	for i := range unplaced {
		e := &unplaced[i]
		moved[i] = len(left)
		if a.take(e, len(placed) > 0) {
			if moved[i]--; e.parent != none {
				moved[i] = moved[e.parent]
			}
			continue
		}
		if e.parent != none {
			e.parent = moved[e.parent]
		}
		left = append(left, *e)
	}
	// Holders among the unplaced may have been joined after they were copied.
	for i := range unplaced {
		if j := moved[i]; j >= 0 && !a.taken[&unplaced[i]] {
			parent := left[j].parent
			left[j] = unplaced[i]
			left[j].parent = parent
		}
	}
	return placed, left
}

type absorber struct {
	t        *thread
	holder   map[string]*entry // the first message with a call of this id
	answered map[string]bool   // ids of calls with a result in a history
	taken    map[*entry]bool
}

func (a *absorber) hold(e *entry) {
	for i := range e.Calls {
		if id := e.Calls[i].ID; id != "" && a.holder[id] == nil {
			a.holder[id] = e
		}
	}
	for i := range e.Results {
		a.answered[e.Results[i].CallID] = true
	}
}

// repeats tells whether a message is of the kind that a span of a tool's execution gives: calls together with their own
// results, or calls that are not the model's own words.
func repeats(m *Message) bool {
	if len(m.Calls) == 0 || m.Role == RoleUser {
		return false
	}
	if m.Role != RoleAssistant {
		return true
	}
	answered := make(map[string]bool, len(m.Results))
	for i := range m.Results {
		answered[m.Results[i].CallID] = true
	}
	for i := range m.Calls {
		if !answered[m.Calls[i].ID] {
			return false
		}
	}
	return true
}

// take absorbs an entry if others hold all of its calls, or its results where it has no calls.
func (a *absorber) take(e *entry, histories bool) bool {
	if !a.known(e, histories) {
		return false
	}
	for i := range e.Calls {
		h, c := a.holder[e.Calls[i].ID], &e.Calls[i]
		if at := slices.IndexFunc(h.Calls, func(held Call) bool { return sameCall(&held, c) }); at >= 0 {
			h.Calls = slices.Clone(h.Calls)
			h.Calls[at] = h.Calls[at].Join(*c)
		}
	}
	if len(e.Calls) > 0 {
		h := a.holder[e.Calls[0].ID]
		h.Usage = joinUsage(h.Usage, e.Usage)
		h.Model, h.Provider = longer(h.Model, e.Model), longer(h.Provider, e.Provider)
		h.Text, h.Reasoning = longer(h.Text, e.Text), longer(h.Reasoning, e.Reasoning)
		if h.Time.IsZero() && len(e.Results) == 0 {
			h.Time = e.Time
		}
	}
	for _, r := range e.Results {
		if r.Time.IsZero() {
			r.Time = e.Time
		}
		if r.CallID == "" && len(e.Calls) == 1 {
			r.CallID = e.Calls[0].ID
		}
		a.t.loose = append(a.t.loose, r)
	}
	if a.taken == nil {
		a.taken = make(map[*entry]bool)
	}
	a.taken[e] = true
	return true
}

// sameCall tells whether a call says the same as a held one. Where an id is used again its other calls do not.
func sameCall(held, c *Call) bool {
	return held.ID == c.ID && (held.Arguments == c.Arguments || held.Arguments == "" || c.Arguments == "")
}

func (a *absorber) known(e *entry, histories bool) bool {
	if len(e.Calls) == 0 {
		return histories && e.Role == RoleTool && a.allAnswered(e)
	}
	if !histories && !repeats(&e.Message) {
		return false
	}
	for i := range e.Calls {
		h := a.holder[e.Calls[i].ID]
		if e.Calls[i].ID == "" || h == nil || h == e || h.Role == RoleUser {
			return false
		}
	}
	return true
}

// allAnswered tells whether a history holds a result for each of the entry's.
func (a *absorber) allAnswered(e *entry) bool {
	for i := range e.Results {
		if id := e.Results[i].CallID; id == "" || !a.answered[id] {
			return false
		}
	}
	return len(e.Results) > 0
}
