package simulate

// inSeries: three wrong values of one shipment. Told one at a time each is a
// turn: the second and the third rejection name a value that stood the same in
// the call before and that the error before did not name, so 2 serial faults
// and 3 attempts. Told as a batch and fixed at once: 0 and 1. Three pairs
// either way. An identical repeat in between is no serial fault, since the
// error before it named the same value. The three codes are never one code in
// a row of three with two arguments in the bare variant (each message its own
// code); told one by one in the structured variant carrier and country share a
// code and weight has another, and none is repeated there, so no streak.
func (s *stage) inSeries() bool {
	if s.burnt["create_shipment"] {
		return false
	}
	var slips []slip
	args := s.argsOf("create_shipment")
	for _, name := range []string{"carrier", "country", "weight"} {
		c := choiceOf("create_shipment", name)
		right := pick(s.rng, c.targets)
		args = args.with(name, right.value)
		slips = append(slips, slip{c: c, right: right, wrong: s.slips(right)[:1]})
	}
	call := args
	for _, sl := range slips {
		call = call.with(sl.c.name, sl.wrong[0].value)
	}
	if s.variant == StructuredV2 && s.chance(s.ways.Batched) {
		s.batched(slips, call, args)
		return true
	}
	st := s.begin("create_shipment", call, s.slipFault(slips[0], 0))
	st.suspects(slips[0], 0)
	for i, sl := range slips {
		if s.variant == BareV1 && s.chance(s.repeatChance(false)) {
			st.repeats()
		}
		call = call.with(sl.c.name, sl.right.value)
		if i == len(slips)-1 {
			break
		}
		st.retries(call, s.slipFault(slips[i+1], 0))
		st.suspects(slips[i+1], 0)
		st.episode().SerialFaults++
	}
	s.play(s.maybe(fixes), st.wins(call))
	return true
}

// batched tells all wrong values at once; they are fixed at once.
func (s *stage) batched(slips []slip, call, args object) {
	var details []detail
	for _, sl := range slips {
		details = append(details, detail{name: sl.c.name, code: sl.c.code, received: sl.wrong[0].value,
			allowed: sl.c.accepted(), meant: sl.right.value})
	}
	st := s.begin("create_shipment", call, faultInvalid(details...))
	for _, sl := range slips {
		st.suspects(sl, 0)
	}
	s.play(s.maybe(fixes), st.wins(args))
}

// choiceOf is the choice of one argument.
func choiceOf(tool, name string) *choice {
	for i := range choices {
		if choices[i].tool == tool && choices[i].name == name {
			return &choices[i]
		}
	}
	panic("BUG: simulate: no choice for " + tool + "." + name)
}

// rename: an argument under a wrong name, then under the right one with the
// same value. The leaf that vanished and the one that appeared are one renamed
// leaf: similarity 1. The error names the right argument, which the rejected
// call lacks, so there is no pair of values; a pair of names for each wrong
// name. A renamed argument is
// collateral where the error named neither of its names: after a second guess.
func (s *stage) rename() bool {
	r := pick(s.rng, renames)
	if s.burnt[r.tool] {
		return false
	}
	args, f := s.argsOf(r.tool), faultMissing(r.right)
	first := s.rng.IntN(len(r.wrong))
	st := s.begin(r.tool, args.renamed(r.right, r.wrong[first].name), f)
	st.misnames(r, first)
	if s.chance(s.repeatChance(false)) {
		st.repeats()
	}
	if s.chance(s.ways.Guess / 2) {
		other := (first + 1) % len(r.wrong)
		st.episode().CollateralChanged++ // neither name is the one that the error gave
		st.retries(args.renamed(r.right, r.wrong[other].name), f)
		st.misnames(r, other)
	}
	s.play(s.maybe(fixes), st.wins(args))
	return true
}

// misnames notes the pair of names that a renamed argument gives.
func (st *story) misnames(r rename, i int) {
	st.suspect(AliasTruth{Level: "parameter", Tool: r.tool, Rejected: r.wrong[i].name, Accepted: r.right, Kind: r.wrong[i].kind})
}

// misnomer: a tool that does not exist, then the one that does with the same
// arguments (similarity 1, and an episode of a missing tool takes calls of
// other tools). The next turn calls only another tool: switched. One pair of
// tools. Once in a thread, since a second failure of the same missing tool
// could be read as the next of one series.
func (s *stage) misnomer() bool {
	m := pick(s.rng, misnomers)
	if s.named || s.burnt[m.right] {
		return false
	}
	s.named = true
	st := s.begin(m.wrong, s.argsOf(m.right), faultUnknownTool(m.right))
	st.suspect(AliasTruth{Level: "tool", Tool: m.wrong, Rejected: m.wrong, Accepted: m.right, Kind: kindAlias})
	for st.episode().Attempts < 4 && s.chance(s.repeatChance(st.episode().Errors > 1)) {
		st.repeats()
	}
	s.play(s.maybe(fixes), st.winsElsewhere(m.right))
	return true
}

// transient: a call that fails for reasons of its own and works when it is
// made again. Every error is followed by the identical call: all repeats, one
// chain, sanctioned where the error calls itself retryable. Or a person speaks
// first: the last error is then of label user, its chain ends there, and the
// recovery is with a user; not where the error names a time to wait, since
// whether a call after a person's word honours it could be read either way.
// Nothing differs, so there is no pair.
func (s *stage) transient() bool {
	tool := pick(s.rng, []string{"get_ticket", "search_orders", "track_shipment", "lookup_customer"})
	if s.burnt[tool] {
		return false
	}
	f := pick(s.rng, []*fault{faultRateLimited(1000 * (1 + s.rng.IntN(4))), faultTimeout(), faultUnavailable()})
	st := s.begin(tool, s.argsOf(tool), f)
	for st.episode().Attempts < 8 && s.chance(0.3) {
		st.repeats()
	}
	if s.human && f.retryAfter == 0 && s.chance(s.ways.AskUser) {
		st.user(pick(s.rng, answers))
	}
	s.play(s.maybe(again), st.winsSame())
	return true
}

// permanent: what no call can repair. The agent makes it again, perhaps with a
// smaller amount (the order and the reason stay equal, two leaves of three, so
// it belongs; the amount was not named: collateral), and gives up. The tool is
// burnt: nothing later in the thread can be taken for its recovery.
func (s *stage) permanent() bool {
	if !s.human {
		return false
	}
	tool, f := "refund_order", faultWindowClosed()
	if s.chance(0.5) {
		tool, f = "update_ticket", faultNotAllowed()
		if s.chance(0.3) {
			tool, f = "send_email", faultInternal()
		}
	}
	if s.burnt[tool] {
		return false
	}
	st := s.begin(tool, s.argsOf(tool), f)
	s.insist(st)
	if amount, ok := st.args.get("amount").(int); ok && s.chance(s.ways.Guess) {
		for _, less := range []int{amount / 2, amount / 4} {
			st.retries(st.args.with("amount", less), f)
			st.episode().CollateralChanged++
			s.insist(st)
		}
	}
	st.givesUp()
	return true
}

// insist makes the same call again, as long as the behaviour says so.
func (s *stage) insist(st *story) {
	for n := 0; n < 9 && s.chance(s.repeatChance(n > 0)); n++ {
		st.repeats()
	}
}

// conflict: somebody else saved meanwhile; the agent reads the ticket, changes
// its mind about the note and the priority, and saves again. The ticket and the
// status stay equal, two leaves of four: at least 0.5, so it belongs. The error
// names nothing and two arguments differ, so there is no pair, which a miner
// that pairs whatever differs would get wrong; 2 collateral changes.
func (s *stage) conflict() bool {
	if s.burnt["update_ticket"] || s.burnt["get_ticket"] {
		return false
	}
	args := s.argsOf("update_ticket").with("note", notes[0]).with("priority", "low")
	st := s.begin("update_ticket", args, faultConflict())
	st.looks(HelperTruth{Tool: "get_ticket"}, s.answers("get_ticket", object{{"ticket", args.get("ticket")}}, bareTicket(args)))
	st.episode().CollateralChanged += 2
	s.play(s.maybe(fixes), st.wins(args.with("note", notes[1+s.rng.IntN(len(notes)-1)]).with("priority", "high")))
	return true
}

// identity: an order number without its prefix. The pair is real and seen
// often enough, but of an argument with as many values as there are orders: a
// trap, guarded as open-ended.
func (s *stage) identity() bool {
	if s.burnt["refund_order"] {
		return false
	}
	args := s.argsOf("refund_order")
	right := args.get("order").(string)
	wrong := right[len("ORD-"):]
	st := s.begin("refund_order", args.with("order", wrong), faultInvalid(detail{name: "order", code: "INVALID_ORDER", received: wrong}))
	st.suspect(AliasTruth{Level: "value", Tool: "refund_order", Field: "order", Rejected: wrong, Accepted: right,
		Kind: kindAlias, Inferred: s.variant == BareV1, Guard: "open_ended"})
	s.play(s.maybe(fixes), st.wins(args))
	return true
}

// email: a mistyped address, two swapped letters. The only argument: in the
// bare variant it is inferred and, with no other leaf, compared, at far more
// than 0.5; in the structured one it is named and nothing is left: 1. Guarded,
// since the values look like e-mail addresses.
func (s *stage) email() bool {
	if s.burnt["lookup_customer"] {
		return false
	}
	args := s.argsOf("lookup_customer")
	right := args.get("email").(string)
	wrong := right[:len(right)-len("le.com")] + "el.com"
	st := s.begin("lookup_customer", args.with("email", wrong), faultInvalid(detail{name: "email", code: "INVALID_EMAIL", received: wrong}))
	st.suspect(AliasTruth{Level: "value", Tool: "lookup_customer", Field: "email", Rejected: wrong, Accepted: right,
		Kind: kindTypo, Inferred: s.variant == BareV1, Guard: "email"})
	s.play(s.maybe(fixes), st.wins(args))
	return true
}

// cycle: the agent saves a ticket, reads it, saves it again in the same way,
// and so on: two calls, one of them failing, at least twice in a row with the
// same outcomes. One cycle however often it turns. Each error is followed by a
// turn that calls only the other tool: switched, no repeat; the readings are
// not in adjacent turns: no idle repeats; the failures have one set of
// arguments: no streak. Then the right value; or one more reading and the end
// of its turns, which is the reason whatever else worked. (Were a failure the
// last call, whether its turn is a recovery turn could be read either way: it
// follows a reading, and nothing follows it.)
func (s *stage) cycle() bool {
	if !s.human || s.burnt["update_ticket"] || s.burnt["get_ticket"] {
		return false
	}
	sl := s.slip(choiceOf("update_ticket", "status"))
	f := s.slipFault(sl, 0)
	st := s.begin("update_ticket", sl.send(0), f)
	st.suspects(sl, 0)
	read := object{{"ticket", sl.args.get("ticket")}}
	help := HelperTruth{Tool: "get_ticket", NamedByError: s.names(sl)}
	look := func() { st.looks(help, s.answers("get_ticket", read, bareTicket(read))) }
	for range 2 + s.rng.IntN(3) {
		look()
		s.play(s.maybe(again), st.failing(st.args, f))
	}
	s.truth.Cycles++
	if !s.truth.Open && s.chance(0.5) {
		look()
		st.ends(TurnLimit)
		return true
	}
	s.play(s.maybe(fixes), st.wins(sl.args))
	return true
}
