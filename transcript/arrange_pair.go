package transcript

import (
	"slices"
	"time"
)

// askedCall is a call of a thread, in order.
type askedCall struct {
	Call
	asked    time.Time
	turn     int  // the turn that it was made in, or after
	counted  bool // it is the model's, so that it is in its turn
	result   *Result
	returned time.Time
}

// cameBack is a result of a thread, in order.
type cameBack struct {
	Result
	at   time.Time // when it counts
	turn int       // the turn that it came after
}

// callKey is what a result says of the call that it belongs to.
type callKey struct {
	id    string
	actor Actor
}

// pair gives every result to its call, in three passes over the whole thread, so that it does not matter which of the two
// stands first. By id: to the oldest unanswered call that bears it. Another result of calls that are all answered is
// joined to the one that it equals, else to the last. Without an id: to the oldest unanswered call of its
// tool in the turn that it came after.
func (t *thread) pair() {
	for _, r := range t.loose {
		t.results = append(t.results, cameBack{Result: r, at: r.Time, turn: none})
	}
	byID := make(map[callKey][]int, len(t.calls))
	for i := range t.calls {
		if c := &t.calls[i]; c.ID != "" {
			k := callKey{c.ID, c.Actor}
			byID[k] = append(byID[k], i)
		}
	}
	var nameless, more []*cameBack
	answered := make(map[callKey]int)
	for i := range t.results {
		r := &t.results[i]
		if r.CallID == "" {
			nameless = append(nameless, r)
			continue
		}
		k := keyOf(r, byID)
		calls := byID[k]
		if len(calls) == 0 {
			t.Orphans = append(t.Orphans, r.Result)
			continue
		}
		if answered[k] == len(calls) {
			more = append(more, r)
			continue
		}
		t.calls[calls[answered[k]]].answer(r)
		answered[k]++
	}
	for _, r := range more {
		t.joinToEqual(r, byID[keyOf(r, byID)])
	}
	t.pairNameless(nameless)
}

// keyOf is the key of the calls that a result belongs to. A result that does not say whose call it answers may answer anyone's.
func keyOf(r *cameBack, byID map[callKey][]int) callKey {
	k := callKey{r.CallID, r.Actor}
	if r.Actor == ByAgent && len(byID[k]) == 0 {
		return callKey{r.CallID, ByUser}
	}
	return k
}

// answer gives a call its result, or one more of it.
func (c *askedCall) answer(r *cameBack) {
	at := r.at
	if !r.Time.IsZero() {
		at = r.Time
	}
	if at.IsZero() {
		at = c.asked
	}
	if c.result == nil {
		result := r.Result
		c.result, c.returned = &result, at
		return
	}
	timed := !c.result.Time.IsZero()
	united := c.result.Join(r.Result)
	united.Time = earlier(c.result.Time, r.Time)
	c.result = &united
	if !united.Time.IsZero() {
		c.returned = united.Time
		return
	}
	if !timed {
		c.returned = earlier(c.returned, at)
	}
}

func (t *thread) joinToEqual(r *cameBack, calls []int) {
	for _, i := range calls[:min(len(calls), maxRivals)] {
		if t.calls[i].result.Body == r.Body {
			t.calls[i].answer(r)
			return
		}
	}
	t.calls[calls[len(calls)-1]].answer(r)
}

// maxOpen bounds the unanswered calls of a turn among which one without an id is sought.
const maxOpen = 1024

// pairNameless gives results without an id to the calls of their turn.
func (t *thread) pairNameless(results []*cameBack) {
	if len(results) == 0 {
		return
	}
	byTurn := make(map[int][]int)
	for i := range t.calls {
		byTurn[t.calls[i].turn] = append(byTurn[t.calls[i].turn], i)
	}
	for _, r := range results {
		open := byTurn[r.turn]
		at := slices.IndexFunc(open[:min(len(open), maxOpen)], func(i int) bool {
			c := &t.calls[i]
			return c.result == nil && (r.Tool == "" || r.Tool == c.Tool) && (r.Actor == ByAgent || r.Actor == c.Actor)
		})
		if at < 0 {
			t.Orphans = append(t.Orphans, r.Result)
			continue
		}
		t.calls[open[at]].answer(r)
		if at == 0 {
			byTurn[r.turn] = open[1:]
			continue
		}
		byTurn[r.turn] = slices.Delete(open, at, at+1)
	}
}

// settle puts the calls into their turns. A call counts when its result came, else when it was made.
func (t *thread) settle() {
	for i := range t.calls {
		c := &t.calls[i]
		if !c.counted {
			continue
		}
		turn := &t.Turns[c.turn-1]
		call := TurnCall{Call: c.Call, Index: len(turn.Calls), Asked: c.asked, Time: c.asked, Result: c.result}
		if c.result != nil {
			call.Time = c.returned
		}
		turn.Calls = append(turn.Calls, call)
	}
}
