package web

import (
	"fmt"
	"net/url"
	"strconv"

	"errata/metrics/ask"
	"errata/web/ui"
	"errata/web/view"
)

// A page of a run shows about 100 calls with what is said between them, or some hundred messages.
const (
	pageWeight = 500
	callWeight = 4 // of a message: 1
)

// part is a message of a run, or a turn with what was said in it.
type part struct {
	thread   int
	turn     *ask.Turn // nil: a message alone
	messages []int
	calls    bool // whether the turn's calls follow here
}

// weight is how much of a page a part takes.
func (p part) weight() int {
	if p.calls {
		return len(p.messages) + callWeight*len(p.turn.Calls)
	}
	return len(p.messages)
}

// wanted is which page of a run an address asks for; a call stands for its page.
type wanted struct{ page, call int }

// parts divides a thread: messages in order, each turn's calls after its last message.
func parts(t *ask.Thread, thread int) []part {
	turns := make(map[int]*ask.Turn, len(t.Turns))
	last := map[int]int{} // the last message of each turn
	for i := range t.Turns {
		turns[t.Turns[i].Number] = &t.Turns[i]
	}
	for i, m := range t.Messages {
		last[m.Turn] = i
	}
	var all []part
	done := map[int]bool{}
	for i, m := range t.Messages {
		turn := turns[m.Turn]
		if turn == nil {
			if m.Text != "" || m.Reasoning != "" {
				all = append(all, part{thread: thread, messages: []int{i}})
			}
			continue
		}
		if n := len(all); n == 0 || all[n-1].turn != turn {
			all = append(all, part{thread: thread, turn: turn})
		}
		open := &all[len(all)-1]
		open.messages = append(open.messages, i)
		if last[m.Turn] == i {
			open.calls, done[m.Turn] = true, true
		}
	}
	for i := range t.Turns {
		if turn := &t.Turns[i]; !done[turn.Number] {
			all = append(all, part{thread: thread, turn: turn, calls: true})
		}
	}
	return all
}

// divide lays the whole run out in pages. A turn is never divided, so that a page may be longer.
func (v *runView) divide() {
	v.pageOf = map[int]int{}
	v.pages = [][]part{nil}
	weight := 0
	for i := range v.run.Threads {
		for _, p := range parts(&v.run.Threads[i], i) {
			if weight > 0 && weight+p.weight() > pageWeight {
				v.pages, weight = append(v.pages, nil), 0
			}
			at := len(v.pages) - 1
			v.pages[at] = append(v.pages[at], p)
			weight += p.weight()
			if p.calls {
				for _, c := range p.turn.Calls {
					v.pageOf[v.numbers[ask.Place{Thread: v.run.Threads[i].ID, Turn: p.turn.Number, Index: c.Index}]] = at
				}
			}
		}
	}
}

// last says whether the page at hand is the last one.
func (v *runView) last() bool { return v.at == len(v.pages)-1 }

// callAddress is where a call is shown: on this page, or on another one of a long run.
func (v *runView) callAddress(number int) string {
	if !v.whole && v.pageOf[number] == v.at {
		return "#" + anchor(number)
	}
	return v.pageAddress("call", number) + "#" + anchor(number)
}

// within is an anchor of the run's own page.
func (v *runView) within(fragment string) string {
	if v.whole {
		return v.pageAddress("", 0) + fragment
	}
	return fragment
}

func (v *runView) pageAddress(name string, number int) string {
	values := url.Values{}
	if v.asOf != "" {
		values.Set("as_of", v.asOf)
	}
	if name != "" {
		values.Set(name, strconv.Itoa(number))
	}
	return address(v.address, values)
}

// page lays out the page that is wanted.
func (v *runView) page(w wanted) (view.RunPage, error) {
	v.divide()
	v.room = roomBytes
	switch {
	case w.call > 0:
		at, ok := v.pageOf[w.call]
		if !ok {
			return view.RunPage{}, errNoPage
		}
		v.at = at
	case w.page > len(v.pages):
		return view.RunPage{}, errNoPage
	case w.page > 0:
		v.at = w.page - 1
	}
	p := view.RunPage{ID: ui.Visible(v.run.RunID), Facts: v.facts(), Strip: v.strip(v.placesHere(), mostMarks), Episodes: v.episodeTable(), Pages: v.pageLinks(), Walk: len(v.numbers) > 1}
	if v.run.LeakedCalls > 0 {
		p.Notices = append(p.Notices, ui.Plural(int64(v.run.LeakedCalls), "call stands", "calls stand")+" in the text of messages instead of being made; they are in no figure.")
	}
	if !v.run.Timed {
		p.Notices = append(p.Notices, "Its messages carry no time of their own; times are those of the records.")
	}
	byThread := make([][]part, len(v.run.Threads))
	for _, part := range v.pages[v.at] {
		byThread[part.thread] = append(byThread[part.thread], part)
	}
	for i, parts := range byThread {
		if len(parts) > 0 || v.last() && len(v.run.Threads[i].Orphans) > 0 {
			p.Threads = append(p.Threads, v.thread(i, parts))
		}
	}
	return p, nil
}

// alone lays out one call, whole.
func (v *runView) alone(number int) (view.RunPage, error) {
	v.divide()
	v.whole = true
	for i, t := range v.run.Threads {
		for j := range t.Turns {
			turn := t.Turns[j]
			for k := range turn.Calls {
				if v.numbers[ask.Place{Thread: t.ID, Turn: turn.Number, Index: turn.Calls[k].Index}] != number {
					continue
				}
				turn.Calls = turn.Calls[k : k+1]
				p := view.RunPage{ID: ui.Visible(v.run.RunID), Threads: []view.RunThread{v.thread(i, []part{{thread: i, turn: &turn, calls: true}})}}
				p.Threads[0].Orphans = nil
				p.Notices = []string{fmt.Sprintf("Call %d alone.", number)}
				return p, nil
			}
		}
	}
	return view.RunPage{}, errNoPage
}

// placesHere are the calls of the page at hand, in order.
func (v *runView) placesHere() []ask.Place {
	var here []ask.Place
	for _, at := range v.places() {
		if v.pageOf[v.numbers[at]] == v.at {
			here = append(here, at)
		}
	}
	return here
}

// pageLinks lead through a long run; pages on which a call failed are marked.
func (v *runView) pageLinks() *view.RunPages {
	if len(v.pages) == 1 {
		return nil
	}
	first, last, failed := make([]int, len(v.pages)), make([]int, len(v.pages)), make([]int, len(v.pages))
	for _, at := range v.places() {
		n := v.numbers[at]
		page := v.pageOf[n]
		if first[page] == 0 {
			first[page] = n
		}
		last[page] = n
		if callClass(v.calls[at]) == "error" {
			failed[page]++
		}
	}
	p := &view.RunPages{Text: fmt.Sprintf("Calls %s to %s of %s. Pages with a failed call are marked:", ui.Count(int64(first[v.at])), ui.Count(int64(last[v.at])), ui.Count(int64(len(v.numbers))))}
	for i := range v.pages {
		l := view.RunPageLink{Label: strconv.Itoa(i + 1), Href: v.pageAddress("page", i+1), Here: i == v.at, Failed: failed[i] > 0,
			Title: fmt.Sprintf("calls %d to %d, %d failed", first[i], last[i], failed[i])}
		p.Pages = append(p.Pages, l)
	}
	if v.at > 0 {
		p.Previous = p.Pages[v.at-1].Href
	}
	if !v.last() {
		p.Next = p.Pages[v.at+1].Href
	}
	return p
}
