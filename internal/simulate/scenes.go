package simulate

import "strings"

// The names of the scenes in which a call fails.
const (
	sceneValue     = "value"
	sceneSerial    = "serial"
	sceneRename    = "rename"
	sceneMisnomer  = "misnomer"
	sceneTransient = "transient"
	scenePermanent = "permanent"
	sceneTwins     = "twins"
	scenePair      = "pair"
	sceneSibling   = "sibling"
	sceneConflict  = "conflict"
	sceneIdentity  = "identity"
	sceneEmail     = "email"
	sceneCycle     = "cycle"
)

// failingScenes are the scenes by name; each says with false that it found
// nothing to play, since its tools are out of the question.
var failingScenes = []struct {
	name string
	play func(*stage) bool
}{
	{sceneValue, (*stage).value},
	{sceneSerial, (*stage).inSeries},
	{sceneRename, (*stage).rename},
	{sceneMisnomer, (*stage).misnomer},
	{sceneTransient, (*stage).transient},
	{scenePermanent, (*stage).permanent},
	{sceneTwins, (*stage).twins},
	{scenePair, (*stage).pair},
	{sceneSibling, (*stage).sibling},
	{sceneConflict, (*stage).conflict},
	{sceneIdentity, (*stage).identity},
	{sceneEmail, (*stage).email},
	{sceneCycle, (*stage).cycle},
}

// value: a wrong value of an argument with few accepted ones, then whatever
// the behaviour says, then the right one or none.
//
// All calls differ from each other in that argument alone. The error names it
// (in the bare variant its message does, and other leaves remain), so it is
// left out of the similarity and the rest is equal: 1, every call belongs.
// The labels are the verbs: the same call is a repeat, another value is
// corrected, a look elsewhere is switched. Each wrong value of a recovered
// episode gives one pair. Three failures in a row with two values or more are
// a stuck streak; a look comes only just before the call that works, so that
// it cannot split one. Values never come back, so there is no cycle.
func (s *stage) value() bool {
	c := s.choice(func(c *choice) bool { return true })
	if c == nil {
		return false
	}
	s.valueStory(c)
	return true
}

// choice draws an argument whose tool is in question.
func (s *stage) choice(fits func(*choice) bool) *choice {
	var open []*choice
	for i := range choices {
		if !s.burnt[choices[i].tool] && fits(&choices[i]) {
			open = append(open, &choices[i])
		}
	}
	if len(open) == 0 {
		return nil
	}
	return pick(s.rng, open)
}

// slip is one wrong choice about to be played.
type slip struct {
	c     *choice
	right target
	args  object // with the right value
	wrong []planted
	hint  string // of its structured errors, "" for none
}

// slip draws a target and the wrong values to be sent, in falling frequency.
func (s *stage) slip(c *choice) slip {
	sl := slip{c: c, right: pick(s.rng, c.targets)}
	sl.args = s.argsOf(c.tool).with(c.name, sl.right.value)
	for s.seen[c.tool+"?"+sl.args.key()] {
		sl.args = s.argsOf(c.tool).with(c.name, sl.right.value)
	}
	sl.hint = s.hint(c)
	sl.wrong = s.slips(sl.right)
	return sl
}

// slips are the wrong values for a target in the order in which they are sent:
// the first of the catalogue come first more often, so that some are common
// and others rare.
func (s *stage) slips(right target) []planted {
	left := append([]planted(nil), right.wrong...)
	var list []planted
	for len(left) > 0 {
		i := 0
		for i < len(left)-1 && s.chance(0.4) {
			i++
		}
		list = append(list, left[i])
		left = append(left[:i], left[i+1:]...)
	}
	return list
}

// hint is what the structured errors of a choice advise, often nothing, now and
// then the tool that shows the value.
func (s *stage) hint(c *choice) string {
	switch {
	case c.helper != "" && s.chance(0.3):
		return c.helper + " shows the value in use."
	case s.chance(0.4):
		return "Send one of the allowed values, spelled as listed."
	}
	return ""
}

// names says that the slip's errors name the tool that shows the value.
func (s *stage) names(sl slip) bool {
	return s.variant == StructuredV2 && strings.HasPrefix(sl.hint, sl.c.helper)
}

// slipFault is what the tool says to the i-th wrong value.
func (s *stage) slipFault(sl slip, i int) *fault {
	d := detail{name: sl.c.name, code: sl.c.code, received: sl.wrong[i].value, allowed: sl.c.accepted()}
	if s.chance(s.ways.DidYouMean) {
		d.meant = sl.right.value
	}
	f := faultInvalid(d)
	f.hint = sl.hint
	return f
}

// send gives the arguments with the i-th wrong value.
func (sl slip) send(i int) object { return sl.args.with(sl.c.name, sl.wrong[i].value) }

// suspects notes the pair that the i-th wrong value gives once it is repaired.
func (st *story) suspects(sl slip, i int) {
	st.suspect(AliasTruth{Level: "value", Tool: sl.c.tool, Field: sl.c.name, Rejected: scalar(sl.wrong[i].value),
		Accepted: scalar(sl.right.value), Kind: sl.wrong[i].kind, Inferred: st.variant == BareV1})
}

// suspect notes a pair of the episode.
func (st *story) suspect(a AliasTruth) {
	a.Episode = st.place
	st.pairs = append(st.pairs, a)
}

// valueStory tells one wrong choice to its end.
func (s *stage) valueStory(c *choice) {
	sl := s.slip(c)
	st := s.begin(c.tool, sl.send(0), s.slipFault(sl, 0))
	st.suspects(sl, 0)
	next, again := 1, false
	for {
		switch {
		case st.episode().Attempts < 12 && s.chance(s.repeatChance(again)):
			st.repeats()
			again = true
			continue
		case s.human && s.chance(s.ways.GiveUp):
			st.givesUp()
			return
		case s.human && s.chance(s.ways.AskUser):
			st.asks()
		case next < len(sl.wrong) && s.chance(s.ways.Guess):
			st.retries(sl.send(next), s.slipFault(sl, next))
			st.suspects(sl, next)
			next, again = next+1, false
			continue
		case c.helper != "" && !s.burnt[c.helper] && s.chance(s.ways.Look):
			s.lookUp(st, sl)
		}
		s.play(s.maybe(fixes), st.wins(sl.args))
		return
	}
}

// repeatChance is the chance of the identical call, by day.
func (s *stage) repeatChance(again bool) float64 {
	if again {
		return min(0.9, s.ways.RepeatMore)
	}
	return min(0.9, s.ways.Repeat*s.heat)
}

// lookUp reads the right value from another tool; of a ticket now and then one
// that does not show it.
func (s *stage) lookUp(st *story, sl slip) {
	named := s.names(sl)
	if sl.c.helper == "search_orders" {
		args := s.argsOf("search_orders")
		body := object{{"orders", []object{{{"order", sl.args.get("order")}, {sl.c.name, sl.right.value}}}}}.text()
		st.looks(HelperTruth{Tool: "search_orders", ValueFromHelper: true, NamedByError: named}, s.answers("search_orders", args, body))
		return
	}
	args := object{{"ticket", sl.args.get("ticket")}}
	shows := s.chance(0.8)
	body := bareTicket(sl.args)
	if shows {
		body = object{{"ticket", sl.args.get("ticket")}, {sl.c.name, sl.right.value}}.text()
	}
	st.looks(HelperTruth{Tool: "get_ticket", ValueFromHelper: shows, NamedByError: named}, s.answers("get_ticket", args, body))
}

// asks has a person help: of their own accord, or asked in words.
func (st *story) asks() {
	if st.chance(0.5) {
		st.say(pick(st.rng, questions))
	}
	st.user(pick(st.rng, answers))
}
