package assemble

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"errata/transcript"
)

var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// conversation makes a random thread of a chat without message ids: system text, a task, turns with zero to three
// calls, their results in any order, text and user messages between. Reuse makes it use two call ids again and again.
func conversation(r *rand.Rand, turns int, reuse bool) []transcript.Message {
	out := []transcript.Message{
		{Role: transcript.RoleSystem, Text: "You are a helper."},
		{Role: transcript.RoleUser, Text: "Do the task."},
	}
	calls := 0
	for turn := range turns {
		m := transcript.Message{Role: transcript.RoleAssistant, Text: fmt.Sprintf("step %d", turn)}
		n := r.IntN(4)
		for i := range n {
			calls++
			id := fmt.Sprintf("c%d", calls)
			if reuse {
				id = fmt.Sprintf("c%d", i%2)
			}
			m.Calls = append(m.Calls, transcript.Call{ID: id, Tool: "tool", Arguments: fmt.Sprintf(`{"n":%d}`, r.IntN(3))})
		}
		m.Usage = &transcript.Usage{Input: int64(turn), Output: 7}
		out = append(out, m)
		for _, i := range r.Perm(n) {
			out = append(out, transcript.Message{Role: transcript.RoleTool, Results: []transcript.Result{
				{CallID: m.Calls[i].ID, Body: fmt.Sprintf("result of turn %d call %d", turn, i)},
			}})
		}
		if n == 0 {
			out = append(out, transcript.Message{Role: transcript.RoleUser, Text: fmt.Sprintf("answer %d", turn)})
		}
	}
	return out
}

// branching makes a log of messages with ids and parents, as coding agents write them, one call a line.
func branching(r *rand.Rand, turns int) []transcript.Message {
	var out []transcript.Message
	at := begin
	parent := ""
	add := func(m transcript.Message) {
		m.ID, m.Parent, m.Seq, m.Time = fmt.Sprintf("m%d", len(out)+1), parent, int64(len(out)+1), at
		at = at.Add(time.Second)
		parent = m.ID
		out = append(out, m)
	}
	add(transcript.Message{Role: transcript.RoleUser, Text: "task"})
	for turn := range turns {
		if turn > 0 && r.IntN(5) == 0 { // a rewind
			parent = out[r.IntN(len(out))].ID
			add(transcript.Message{Role: transcript.RoleUser, Text: fmt.Sprintf("again %d", turn)})
		}
		n := 1 + r.IntN(3)
		var lines []string
		for i := range n {
			add(transcript.Message{
				Role: transcript.RoleAssistant, Generation: fmt.Sprintf("g%d", turn),
				Calls: []transcript.Call{{ID: fmt.Sprintf("c%d-%d", turn, i), Tool: "tool", Arguments: "{}"}},
				Usage: &transcript.Usage{Output: int64(i + 1)},
			})
			lines = append(lines, parent)
		}
		for _, i := range r.Perm(n) {
			parent = lines[i]
			add(transcript.Message{Role: transcript.RoleTool, Results: []transcript.Result{{CallID: fmt.Sprintf("c%d-%d", turn, i), Body: "ok"}}})
		}
	}
	return out
}

// records cuts a thread into increments and snapshots that cover it, some of them more than once.
func records(r *rand.Rand, messages []transcript.Message, meta transcript.Meta) []Arrival {
	var out []Arrival
	add := func(first, to int, snapshot bool) {
		out = append(out, Arrival{
			Fragments: []transcript.Fragment{{Meta: meta, First: first, Snapshot: snapshot, Messages: messages[first:to]}},
			Time:      begin.Add(time.Duration(len(out)) * time.Second),
		})
	}
	for at := 0; at < len(messages); {
		to := min(at+1+r.IntN(5), len(messages))
		switch r.IntN(3) {
		case 0:
			add(0, to, true)
		case 1:
			add(at, to, false)
		default:
			add(at, to, false)
			add(0, to, true)
		}
		at = to
	}
	return out
}

// lines cuts a log into records without positions.
func lines(r *rand.Rand, messages []transcript.Message, meta transcript.Meta) []Arrival {
	var out []Arrival
	for at := 0; at < len(messages); {
		to := min(at+1+r.IntN(5), len(messages))
		out = append(out, Arrival{
			Fragments: []transcript.Fragment{{Meta: meta, First: transcript.Unplaced, Messages: messages[at:to]}},
			Time:      begin.Add(time.Duration(len(out)) * time.Second),
		})
		at = to
	}
	return out
}

// disorder repeats some records and shuffles all.
func disorder(r *rand.Rand, in []Arrival) []Arrival {
	out := slices.Clone(in)
	for range r.IntN(3) {
		out = append(out, in[r.IntN(len(in))])
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// compacting gives the records of a conversation whose history is compacted again and again: a summary stands for all
// but the last messages. Records are snapshots of what the history is, and increments to it.
func compacting(r *rand.Rand, whole []transcript.Message, meta transcript.Meta) []Arrival {
	var out []Arrival
	add := func(messages []transcript.Message, first int) {
		out = append(out, Arrival{
			Fragments: []transcript.Fragment{{Meta: meta, First: first, Snapshot: first == 0, Messages: slices.Clone(messages[first:])}},
			Time:      begin.Add(time.Duration(len(out)) * time.Second),
		})
	}
	history := slices.Clone(whole[:2])
	add(history, 0)
	for at := 2; at < len(whole); {
		known := len(history)
		to := min(at+1+r.IntN(4), len(whole))
		history = append(history, whole[at:to]...)
		at = to
		if r.IntN(3) == 0 {
			add(history, known)
		} else {
			add(history, 0)
		}
		if keep := 2 + r.IntN(4); len(history) > 10 && hasCall(history[len(history)-keep:]) {
			summary := transcript.Message{Role: transcript.RoleUser, Text: fmt.Sprintf("Summary %d of all before.", at)}
			history = append([]transcript.Message{whole[0], summary}, history[len(history)-keep:]...)
			add(history, 0)
		}
	}
	return out
}

func hasCall(messages []transcript.Message) bool {
	return slices.ContainsFunc(messages, func(m transcript.Message) bool { return len(m.Calls) > 0 || len(m.Results) > 0 })
}
