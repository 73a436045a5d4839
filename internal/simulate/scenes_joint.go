package simulate

// twins: one turn with two calls of one tool on two tickets; one fails, and
// the next turn repairs it. One episode, of the failing call: the other is in
// the same turn and cannot belong; the repair is equal to the failing call but
// for the named argument.
func (s *stage) twins() bool {
	if s.burnt["update_ticket"] {
		return false
	}
	sl := s.slip(choiceOf("update_ticket", "status"))
	st, bad := s.opens("update_ticket", sl.send(0), s.slipFault(sl, 0))
	st.suspects(sl, 0)
	good := s.works("update_ticket", s.argsOf("update_ticket"))
	acts := []act{bad, good}
	if s.chance(0.5) {
		acts = []act{good, bad}
	}
	s.play(pick(s.rng, starts), acts...)
	s.play(s.maybe(fixes), st.wins(sl.args))
	return true
}

// pair: one turn with two calls of two tools that both fail, and the next turn
// repairs both. Each error is corrected, since the turn holds a call of its
// tool with other arguments. The turn serves two episodes: its tokens are
// split in two, the remainder to the first. Neither repair helps the other, for they are
// made in one turn.
func (s *stage) pair() bool {
	a := s.choice(func(*choice) bool { return true })
	if a == nil {
		return false
	}
	b := s.choice(func(c *choice) bool { return c.tool != a.tool })
	if b == nil {
		return false
	}
	one, two := s.slip(a), s.slip(b)
	st1, bad1 := s.opens(a.tool, one.send(0), s.slipFault(one, 0))
	st2, bad2 := s.opens(b.tool, two.send(0), s.slipFault(two, 0))
	st1.suspects(one, 0)
	st2.suspects(two, 0)
	s.play(pick(s.rng, starts), bad1, bad2)
	s.play(s.maybe(fixes), st1.wins(one.args), st2.wins(two.args))
	return true
}

// The texts by which a harness says that a call never ran or was declined.
const (
	siblingText = "<tool_use_error>Sibling tool call errored</tool_use_error>"
	declineText = "The user doesn't want to proceed with this tool use. The tool use was rejected."
)

// sibling: one turn with two calls of two tools; the first fails and takes the
// second down, which is cancelled and opens nothing. The next turn repairs the
// first alone, the turn after makes the second again, which is no repeat. It
// comes after the recovery, so it helps nobody.
func (s *stage) sibling() bool {
	c := s.choice(func(*choice) bool { return true })
	if c == nil {
		return false
	}
	tool := s.plainTool(c.tool)
	if tool == "" {
		return false
	}
	sl := s.slip(c)
	st, bad := s.opens(c.tool, sl.send(0), s.slipFault(sl, 0))
	st.suspects(sl, 0)
	down := s.works(tool, s.argsOf(tool))
	args := down.call.args
	down.call.outcome, down.call.body = Cancelled, siblingText
	s.play(pick(s.rng, starts), bad, down)
	s.play(s.maybe(fixes), st.wins(sl.args))
	s.play("", s.works(tool, args))
	return true
}

// plainTool draws a tool in question other than this one, "" if there is none.
func (s *stage) plainTool(but string) string {
	var open []string
	for _, tool := range plainTools {
		if tool != but && !s.burnt[tool] {
			open = append(open, tool)
		}
	}
	if len(open) == 0 {
		return ""
	}
	return pick(s.rng, open)
}

// plain: turns in which nothing fails, now and then with two calls.
func (s *stage) plain() {
	for range 1 + s.rng.IntN(3) {
		var acts []act
		if tool := s.plainTool(""); tool != "" {
			acts = append(acts, s.works(tool, s.argsOf(tool)))
			if other := s.plainTool(tool); other != "" && s.chance(0.2) {
				acts = append(acts, s.works(other, s.argsOf(other)))
			}
		}
		s.play(s.maybe(starts), acts...)
	}
}

// poll: the same call four times with a result that changes each time. Its
// repeats follow no error and its results differ: nothing is counted.
func (s *stage) poll() {
	args := s.argsOf("track_shipment")
	for _, state := range []string{"label_created", "picked_up", "in_transit", "delivered"} {
		s.play(s.maybe(peeks), s.answers("track_shipment", args, object{{"shipment", args.get("shipment")}, {"state", state}}.text()))
	}
}

// idle: the same call in turn after turn with the same result: one idle repeat
// for each after the first.
func (s *stage) idle() {
	args := s.argsOf("track_shipment")
	body := object{{"shipment", args.get("shipment")}, {"state", "in_transit"}}.text()
	s.play(s.maybe(peeks), s.answers("track_shipment", args, body))
	for range 1 + s.rng.IntN(3) {
		s.play(s.maybe(peeks), s.answers("track_shipment", args, body))
		s.truth.IdleRepeats++
	}
}

// refusal: a person declines a call. Refused, not an error: it opens nothing,
// and the next turn does something else.
func (s *stage) refusal() {
	if s.burnt["refund_order"] || s.burnt["convert_currency"] {
		return
	}
	a := s.works("refund_order", s.argsOf("refund_order"))
	a.call.outcome, a.call.body = Refused, declineText
	s.play(pick(s.rng, starts), a)
	s.play("", s.works("convert_currency", s.argsOf("convert_currency")))
}

// delegate: a call that has a sub-agent do a part, in a thread of its own, in
// which no error is abandoned and no person speaks. The call itself works.
func (s *stage) delegate() {
	a := act{call: &call{tool: "run_specialist", args: object{{"task", "Settle the matter of " + s.order()}},
		outcome: OK, body: object{{"report", "All of it is settled."}}.text()}}
	a.note = func(t *turn, c *call) {
		sub := s.openStage("sub-"+c.id, c.id, t.at)
		sub.items = append(sub.items, item{user: c.args.get("task").(string), at: t.at})
		sub.plain()
		for range 1 + s.rng.IntN(2) {
			sub.trouble()
		}
		sub.say("All of it is settled.")
		t.resultAt = sub.clock.Add(s.between(200, 2000) * 1e6)
		s.clock = t.resultAt
		s.truth.Calls[c.place].Time = t.resultAt
	}
	s.play(pick(s.rng, starts), a)
}
