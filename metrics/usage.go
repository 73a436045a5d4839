package metrics

import (
	"errata/transcript"
)

// maxUsage bounds a kind of token of one generation. No generation is larger; a record that says so is damaged, and its
// sums must not overflow.
const maxUsage = 1_000_000_000

// measure gives the turn that was last added its tokens and its price: the provider's own usage where the record has it,
// else an estimate. A usage of zero tokens is a placeholder, since no generation is empty.
func (s *threadState) measure(thread *transcript.Thread, turn *transcript.Turn) {
	t := &s.turns[len(s.turns)-1]
	if turn.Usage != nil {
		t.usage = credible(*turn.Usage)
	}
	if t.usage.Total() == 0 && !s.env.Unestimated {
		t.usage = transcript.Usage{
			Input:  s.context.before(s, thread, turn),
			Output: s.written(thread, turn),
		}
		t.estimated = t.usage.Total() > 0
	}
	t.money, t.priced = s.prices.cost(t.model, t.usage, t.time)
}

func credible(u transcript.Usage) transcript.Usage {
	limit := func(n int64) int64 { return min(max(n, 0), maxUsage) }
	return transcript.Usage{
		Input:      limit(u.Input),
		CacheRead:  limit(u.CacheRead),
		CacheWrite: limit(u.CacheWrite),
		Output:     limit(u.Output),
	}
}

// written counts what the model wrote in a turn: text, reasoning and calls.
func (s *threadState) written(thread *transcript.Thread, turn *transcript.Turn) int64 {
	var sum int64
	for _, i := range turn.Messages {
		if i >= 0 && i < len(thread.Messages) {
			sum += messageTokens(s.env.Tokens, turn.Model, &thread.Messages[i])
		}
	}
	return sum
}

// messageTokens counts everything in a message.
func messageTokens(t Tokenizer, model string, m *transcript.Message) int64 {
	sum := t.Count(model, m.Text) + t.Count(model, m.Reasoning)
	for i := range m.Calls {
		sum += t.Count(model, string(m.Calls[i].Tool)) + t.Count(model, m.Calls[i].Arguments)
	}
	for i := range m.Results {
		sum += bodyTokens(t, model, &m.Results[i])
	}
	return sum
}

// contextTokens counts what stands in a thread before a turn, each message once however many turns read it.
type contextTokens struct {
	counted int           // messages before this index are in sum
	sum     int64         // their tokens
	byTurn  map[int]int64 // in a thread with rewinds: what stands before each turn on its branch
}

// before counts the tokens of all of the thread before a turn: what a provider would have counted as its input.
func (c *contextTokens) before(s *threadState, thread *transcript.Thread, turn *transcript.Turn) int64 {
	if len(turn.Messages) == 0 {
		return 0
	}
	if s.branched {
		return c.onBranch(s, thread, turn)
	}
	first := min(turn.Messages[0], len(thread.Messages))
	for ; c.counted < first; c.counted++ {
		c.sum += messageTokens(s.env.Tokens, turn.Model, &thread.Messages[c.counted])
	}
	return c.sum
}

// onBranch counts along the turn's branch, as far back as no turn has been counted yet.
func (c *contextTokens) onBranch(s *threadState, thread *transcript.Thread, turn *transcript.Turn) int64 {
	if c.byTurn == nil {
		c.byTurn = map[int]int64{}
	}
	var path []*transcript.Turn
	known := int64(0)
	for t := turn; t != nil; t = turnNumbered(thread, t.Follows) {
		if sum, found := c.byTurn[t.Number]; found {
			known = sum + c.added(s, thread, t)
			break
		}
		path = append(path, t)
		if t.Follows >= t.Number {
			break
		}
	}
	for i := len(path) - 1; i >= 0; i-- {
		t := path[i]
		sum := known + c.between(s, thread, t)
		c.byTurn[t.Number] = sum
		known = sum + c.added(s, thread, t)
	}
	return c.byTurn[turn.Number]
}

// added counts what a turn adds for the turns that follow it: what it wrote and the results that came of it.
func (c *contextTokens) added(s *threadState, thread *transcript.Thread, turn *transcript.Turn) int64 {
	sum := s.written(thread, turn)
	for i := range turn.Calls {
		sum += bodyTokens(s.env.Tokens, turn.Model, turn.Calls[i].Result)
	}
	return sum
}

// between counts the texts between a turn and the one that it follows: back along the parents to the first generation.
func (c *contextTokens) between(s *threadState, thread *transcript.Thread, turn *transcript.Turn) int64 {
	if len(turn.Messages) == 0 || turn.Messages[0] < 0 || turn.Messages[0] >= len(thread.Messages) {
		return 0
	}
	var sum int64
	for i := turn.Messages[0]; ; {
		i = parentOf(thread, i)
		if i < 0 || thread.Messages[i].Role == transcript.RoleAssistant {
			return sum
		}
		sum += s.env.Tokens.Count(turn.Model, thread.Messages[i].Text)
	}
}

// maxParentDistance bounds how far before a message its parent is looked for.
const maxParentDistance = 4096

// parentOf is the index of the message that a message follows, −1 if there is none. Parents stand before their children,
// most of them right before, so it is looked for backwards.
func parentOf(thread *transcript.Thread, index int) int {
	parent := thread.Messages[index].Parent
	if parent == "" {
		return index - 1
	}
	for i := index - 1; i >= max(0, index-maxParentDistance); i-- {
		if thread.Messages[i].ID == parent {
			return i
		}
	}
	return -1
}

func turnNumbered(thread *transcript.Thread, number int) *transcript.Turn {
	if number >= 1 && number <= len(thread.Turns) && thread.Turns[number-1].Number == number {
		return &thread.Turns[number-1]
	}
	return nil
}

// addTotals adds the thread's turns to what the run used, and counts the calls that leaked as text.
func (s *threadState) addTotals(run *RunFact, unpriced map[string]bool) (leaked int) {
	run.Turns += len(s.turns)
	for i := range s.turns {
		t := &s.turns[i]
		leaked += t.leaks
		run.Usage.Input += t.usage.Input
		run.Usage.CacheRead += t.usage.CacheRead
		run.Usage.CacheWrite += t.usage.CacheWrite
		run.Usage.Output += t.usage.Output
		if t.estimated {
			run.Estimated += t.usage.Total()
		}
		if t.usage.Total() == 0 {
			continue
		}
		run.Money += t.money
		if !t.priced {
			name := t.model
			if name == "" {
				name = UnnamedModel
			}
			unpriced[name] = true
		}
	}
	return leaked
}

// UnnamedModel stands in RunFact.Unpriced for generations whose record names no model.
const UnnamedModel = "(no model named)"
