package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// script is the plan of one run in the making: what is said in every thread,
// and the truth that the scenes have decided so far.
type script struct {
	cfg     *Config
	rng     *rand.Rand
	model   *Model
	ways    Behaviour // how the model behaves with the variant it sees now
	variant string    // that results carry now
	marked  bool      // results carry their variant, since the run sees two
	heat    float64   // the day's factor on faults and repeats
	truth   Truth
	stages  []*stage
	stories []*story
	serial  int             // makes entities distinct within the run
	base    int             // makes entities differ between runs
	done    bool            // a scene has ended the run
	seen    map[string]bool // calls made so far, so that no two scenes make one call
}

// stage is one thread of the run: its messages so far and its clock.
type stage struct {
	*script
	thread, parent string
	items          []item
	turns          []*turn
	clock          time.Time
	context        int             // tokens of all that was said so far
	previous       int             // the same before the turn before
	burnt          map[string]bool // tools with an error that nobody repaired
	named          bool            // a tool that does not exist was called
	pause          time.Duration   // before the next turn, 0 for the usual
	human          bool            // a person can step in
}

// item is one thing said: by a person, or a turn of the model.
type item struct {
	user string
	at   time.Time
	turn *turn
}

// turn is one generation of the model with its calls.
type turn struct {
	number   int
	at       time.Time // when the model spoke
	resultAt time.Time // when the results came
	text     string
	calls    []*call
	tokens   Tokens
	thoughts int64 // within tokens.Output
}

// call is one tool call with what came back.
type call struct {
	id, tool string
	args     object
	outcome  string
	body     string // of the result
	variant  string // set where the result carries it
	shadow   object // what the other variant would have said, nil for none
	place    int    // in truth.Calls
}

// act is a call about to be made, and what the plan notes once it is.
type act struct {
	call *call
	note func(t *turn, c *call)
}

// openStage starts a thread of the run.
func (p *script) openStage(thread, parent string, at time.Time) *stage {
	s := &stage{script: p, thread: thread, parent: parent, clock: at, burnt: map[string]bool{},
		context: 700 + p.rng.IntN(500), human: thread == ""}
	p.stages = append(p.stages, s)
	return s
}

// user lets a person speak. Every error that still waits for its next step has
// found it, and every episode that is open will have had a person's help.
func (s *stage) user(text string) {
	if len(s.items) > 0 {
		s.clock = s.clock.Add(s.between(8*time.Second, 90*time.Second))
	}
	s.items = append(s.items, item{user: text, at: s.clock})
	s.context += len(text)/4 + 4
	for _, st := range s.stories {
		if st.stage == s && !st.over {
			st.label(User)
			st.helped = true
		}
	}
}

// say is a turn in words alone. Errors that wait for their next step were
// replied to.
func (s *stage) say(text string) {
	for _, st := range s.stories {
		if st.stage == s {
			st.label(Replied)
		}
	}
	s.play(text)
}

// play is a turn with these calls, in this order.
func (s *stage) play(text string, acts ...act) *turn {
	wait := s.between(900*time.Millisecond, 4*time.Second)
	if s.pause > 0 {
		wait, s.pause = s.pause, 0
	}
	t := &turn{number: len(s.turns) + 1, at: s.clock.Add(wait), text: text}
	t.resultAt = t.at
	if slices.ContainsFunc(acts, func(a act) bool { return a.call.outcome != Pending }) {
		t.resultAt = t.at.Add(s.between(80*time.Millisecond, 1500*time.Millisecond))
	}
	for i, a := range acts {
		a.call.id = fmt.Sprintf("call_%s_%d", s.truth.RunID, len(s.truth.Calls)+1)
		s.record(t, i, a.call)
		t.calls = append(t.calls, a.call)
	}
	s.count(t)
	s.turns = append(s.turns, t)
	s.items = append(s.items, item{turn: t})
	s.clock = t.resultAt
	s.truth.Turns++
	for _, a := range acts {
		if a.note != nil {
			a.note(t, a.call)
		}
	}
	return t
}

// record writes the call down in the truth.
func (s *stage) record(t *turn, index int, c *call) {
	if s.marked {
		c.variant = s.variant
	}
	c.place = len(s.truth.Calls)
	s.truth.Calls = append(s.truth.Calls, CallTruth{Thread: s.thread, ID: c.id, Tool: c.tool, Outcome: c.outcome,
		Variant: s.variant, Turn: t.number, Index: index, Time: t.resultAt})
}

// count gives the turn its tokens: all that was said before is its input, of
// which the provider had the part before the last turn in its cache.
func (s *stage) count(t *turn) {
	written := 12 + len(t.text)/4
	read := 0
	for _, c := range t.calls {
		written += 8 + len(c.args.text())/4
		read += 6 + len(c.body)/4
	}
	if s.model.Thinks {
		t.thoughts = int64(20 + s.rng.IntN(120))
	}
	in := int64(s.context)
	t.tokens.Output = int64(written) + t.thoughts
	if s.model.CacheBlock > 0 {
		t.tokens.CacheRead = int64(s.previous / s.model.CacheBlock * s.model.CacheBlock)
	}
	t.tokens.Input = in - t.tokens.CacheRead
	if s.model.CacheWrites && t.tokens.Input > 4 {
		t.tokens.CacheWrite = t.tokens.Input - 4
		t.tokens.Input = 4
	}
	s.truth.Tokens = s.truth.Tokens.Add(t.tokens)
	s.previous = s.context
	s.context += written + read
}

// works is a call that nothing is wrong with.
func (s *stage) works(tool string, args object) act {
	return s.answers(tool, args, s.okBody(tool, args))
}

// answers is a call that works with this result.
func (s *stage) answers(tool string, args object, body string) act {
	s.seen[tool+"?"+args.key()] = true
	return act{call: &call{tool: tool, args: args, outcome: OK, body: body}}
}

// between draws a duration in whole milliseconds.
func (p *script) between(low, high time.Duration) time.Duration {
	return (low + time.Duration(p.rng.Int64N(int64(high-low)))).Truncate(time.Millisecond)
}

// chance is true with this probability.
func (p *script) chance(of float64) bool { return p.rng.Float64() < of }

// pick draws one of the list.
func pick[T any](rng *rand.Rand, list []T) T { return list[rng.IntN(len(list))] }
