package simulate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// never is a behaviour in which nothing happens but the plain repair.
func never() Behaviour {
	return Behaviour{Scenes: map[string]float64{}, Reasons: map[string]float64{}}
}

// stageFor is an empty run of one agent whose model behaves so, after the
// person's first message.
func stageFor(variant string, ways Behaviour) *stage {
	cfg := Default()
	cfg.Shadow, cfg.Ways = 0, map[string]Behaviour{variant: ways}
	cfg.Models = cfg.Models[:1]
	p, s := newScript(&cfg, start{at: cfg.Start, heat: 1, variant: variant})
	p.truth.RunID = "r"
	s.user("Please look into it.")
	return s
}

// told is the truth of a run in lines, as the tests below write it by hand.
func told(s *stage) string {
	if s.truth.EndReason == "" {
		s.say("Done.")
		s.truth.EndReason = "completed"
	}
	s.close()
	t := &s.truth
	var lines []string
	var labels []string
	for _, e := range t.Errors {
		labels = append(labels, e.Label)
	}
	lines = append(lines, "labels "+strings.Join(labels, " "))
	for i, e := range t.Episodes {
		turns := map[int]bool{}
		for _, c := range t.Charges {
			if c.Episode == i {
				turns[c.Turn] = true
			}
		}
		line := fmt.Sprintf("episode %s %s %s", e.Tool, e.Code, e.Ending)
		if e.Reason != "" {
			line += " " + e.Reason
		}
		line += fmt.Sprintf(" attempts=%d turns=%d paid=%d", e.Attempts, e.Turns, len(turns))
		if e.SerialFaults+e.CollateralChanged > 0 {
			line += fmt.Sprintf(" serial=%d collateral=%d", e.SerialFaults, e.CollateralChanged)
		}
		for _, h := range e.Helpers {
			line += fmt.Sprintf(" helper=%s×%d/%v", h.Tool, h.Calls, h.ValueFromHelper)
		}
		lines = append(lines, line)
	}
	for _, c := range t.Chains {
		lines = append(lines, fmt.Sprintf("chain %d", c.Repeats))
	}
	for name, n := range map[string]int{"idle": t.IdleRepeats, "streaks": t.StuckStreaks, "cycles": t.Cycles} {
		if n > 0 {
			lines = append(lines, fmt.Sprintf("%s %d", name, n))
		}
	}
	for _, a := range t.Aliases {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s→%s %s %v %s", a.Level, a.Field, a.Rejected, a.Accepted, a.Kind, a.Inferred, a.Guard)))
	}
	slices.Sort(lines[1:])
	return strings.Join(lines, "\n")
}

// ticketStatus is the argument of the worked example, with one right value.
var ticketStatus = choice{tool: "update_ticket", name: "status", code: "INVALID_ENUM", helper: "get_ticket", targets: []target{
	{"open", []planted{{"OPEN", kindCase}, {"Open", kindCase}, {"ACTIVE", kindAlias}}},
}}

// sceneCases are scenes with the truth that a reader of the specification finds.
var sceneCases = []struct {
	name    string
	variant string
	ways    func(*Behaviour)
	play    func(*stage)
	want    string
}{
	{"the ticket of the worked example: three wrong values, a look, the right one", BareV1,
		func(b *Behaviour) { b.Guess, b.Look = 1, 1 },
		func(s *stage) {
			s.rng = seeded(3) // a helper that shows the value
			s.valueStory(&ticketStatus)
		},
		`labels corrected corrected switched
episode update_ticket ~invalid_status recovered attempts=3 turns=4 paid=4 helper=get_ticket×1/true
streaks 1
value status ACTIVE→open alias true
value status OPEN→open case true
value status Open→open case true`},
	{"a structured error repaired at once names its argument itself", StructuredV2, nil,
		func(s *stage) {
			c := ticketStatus
			c.targets = []target{{"open", []planted{{"OPEN", kindCase}}}}
			s.valueStory(&c)
		},
		`labels corrected
episode update_ticket invalid_enum recovered attempts=1 turns=1 paid=1
value status OPEN→open case false`},
	{"the same call twice more, then a person: no alias of another value", BareV1,
		func(b *Behaviour) { b.AskUser = 1 },
		func(s *stage) {
			st := s.begin("get_ticket", object{{"ticket", "T-1"}}, faultTimeout())
			st.repeats()
			st.repeats()
			st.user("Try again.")
			s.play("", st.winsSame())
		},
		`labels repeat repeat user
chain 2
episode get_ticket timeout recovered_with_user attempts=3 turns=3 paid=3`},
	{"an identical call that works is a repeat too", BareV1, nil,
		func(s *stage) {
			st := s.begin("get_ticket", object{{"ticket", "T-1"}}, faultUnavailable())
			st.repeats()
			s.play("", st.winsSame())
		},
		`labels repeat repeat
chain 2
episode get_ticket ~service_unavailable recovered attempts=2 turns=2 paid=2`},
	{"three wrong values told one at a time", BareV1, nil,
		func(s *stage) { s.inSeries() },
		`labels corrected corrected corrected
episode create_shipment ~invalid_carrier recovered attempts=3 turns=3 paid=3 serial=2 collateral=0
VALUES true`},
	{"three wrong values told as a batch", StructuredV2,
		func(b *Behaviour) { b.Batched = 1 },
		func(s *stage) { s.inSeries() },
		`labels corrected
episode create_shipment validation_failed recovered attempts=1 turns=1 paid=1
VALUES false`},
	{"a tool that does not exist", StructuredV2, nil,
		func(s *stage) {
			for !s.misnomer() {
			}
		},
		`labels switched
episode MISSING unknown_tool recovered attempts=1 turns=1 paid=1
TOOL`},
	{"two calls of one tool in a turn, one fails", BareV1, nil,
		func(s *stage) { s.twins() },
		`labels corrected
episode update_ticket ~invalid_status recovered attempts=1 turns=1 paid=1
STATUS`},
	{"somebody else saved meanwhile", StructuredV2, nil,
		func(s *stage) { s.conflict() },
		`labels switched
episode update_ticket conflict recovered attempts=1 turns=2 paid=2 serial=0 collateral=2 helper=get_ticket×1/false`},
	{"a poll whose result changes is nothing", BareV1, nil, func(s *stage) { s.poll() }, `labels `},
	{"a declined call is no error", BareV1, nil, func(s *stage) { s.refusal() }, `labels `},
	{"given up in words", BareV1, func(b *Behaviour) { b.Reasons[HandedToUser] = 1 },
		func(s *stage) { giveUp(s) },
		`labels replied
episode update_ticket ~not_allowed abandoned handed_to_user attempts=0 turns=0 paid=1`},
	{"given up for another tool that works", BareV1, func(b *Behaviour) { b.Reasons[MovedOn] = 1 },
		func(s *stage) { giveUp(s) },
		`labels switched
episode update_ticket ~not_allowed abandoned moved_on attempts=0 turns=0 paid=1`},
	{"out of turns: no turn reads the last error", BareV1, func(b *Behaviour) { b.Reasons[TurnLimit] = 1 },
		func(s *stage) {
			st := s.begin("update_ticket", s.argsOf("update_ticket"), faultNotAllowed())
			st.repeats()
			st.givesUp()
		},
		`labels repeat ended
chain 1
episode update_ticket ~not_allowed abandoned turn_limit attempts=1 turns=0 paid=1`},
	{"cut off before anything follows", BareV1, func(b *Behaviour) { b.Reasons[CutOff] = 1 },
		func(s *stage) { giveUp(s) },
		`labels ended
episode update_ticket ~not_allowed abandoned cut_off attempts=0 turns=0 paid=0`},
	{"the user leaves a question unanswered", BareV1, func(b *Behaviour) { b.Reasons[UserLeft] = 1 },
		func(s *stage) { giveUp(s) },
		`labels replied
episode update_ticket ~not_allowed abandoned user_left attempts=0 turns=0 paid=1`},
}

func TestScenes(t *testing.T) {
	for _, c := range sceneCases {
		t.Run(c.name, func(t *testing.T) {
			ways := never()
			if c.ways != nil {
				c.ways(&ways)
			}
			s := stageFor(c.variant, ways)
			c.play(s)
			if got := hidden(told(s)); got != hidden(c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, hidden(c.want))
			}
		})
	}
}

func giveUp(s *stage) {
	s.begin("update_ticket", s.argsOf("update_ticket"), faultNotAllowed()).givesUp()
}

// hidden puts a word in the place of names that the scene draws: three pairs
// of values of a shipment, the pair of a status, the missing tool.
func hidden(text string) string {
	var lines []string
	values := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		w := strings.Fields(line)
		switch {
		case len(w) > 1 && w[0] == "value" && slices.Contains([]string{"carrier", "country", "weight"}, w[1]):
			values[w[1]] = true
			if len(values) == 3 {
				lines = append(lines, "VALUES "+w[len(w)-1])
			}
			continue
		case len(w) > 1 && w[0] == "value" && w[1] == "status" && !strings.Contains(text, "streaks") && !strings.Contains(text, "invalid_enum"):
			line = "STATUS"
		case len(w) > 2 && w[0] == "tool":
			line = "TOOL"
		case len(w) > 2 && w[2] == "unknown_tool":
			line = strings.Replace(line, w[1], "MISSING", 1)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestCycleIsCountedOnceAndRepeatsNothing(t *testing.T) {
	s := stageFor(BareV1, never())
	s.cycle()
	told(s)
	if s.truth.Cycles != 1 || s.truth.Labelled(Repeat) != 0 || s.truth.IdleRepeats != 0 || s.truth.StuckStreaks != 0 {
		t.Errorf("cycles %d, repeats %d, idle %d, streaks %d; want 1, 0, 0, 0",
			s.truth.Cycles, s.truth.Labelled(Repeat), s.truth.IdleRepeats, s.truth.StuckStreaks)
	}
	if n := len(s.truth.Errors); n < 3 || s.truth.Labelled(Switched) < n-1 {
		t.Errorf("%d errors of which %d switched; want at least 3, all but the last", n, s.truth.Labelled(Switched))
	}
}

func TestTwoEpisodesShareATurn(t *testing.T) {
	s := stageFor(BareV1, never())
	s.pair()
	told(s)
	if len(s.truth.Episodes) != 2 || len(s.truth.Charges) != 2 {
		t.Fatalf("%d episodes, %d charges; want 2 and 2", len(s.truth.Episodes), len(s.truth.Charges))
	}
	a, b := s.truth.Charges[0], s.truth.Charges[1]
	whole := s.turns[1].tokens
	if a.Tokens.Add(b.Tokens) != whole || a.Turns != 1 || b.Turns != 0 {
		t.Errorf("parts %v (%d) and %v (%d) of %v", a.Tokens, a.Turns, b.Tokens, b.Turns, whole)
	}
	if d := a.Tokens.Output - b.Tokens.Output; d != whole.Output%2 {
		t.Errorf("the first part has %d output tokens more, want the remainder %d", d, whole.Output%2)
	}
}

func TestSiblingIsCancelledAndOpensNothing(t *testing.T) {
	s := stageFor(BareV1, never())
	s.sibling()
	told(s)
	if s.truth.Count(Cancelled) != 1 || len(s.truth.Errors) != 1 || s.truth.Errors[0].Label != Corrected || len(s.truth.Episodes) != 1 {
		t.Errorf("cancelled %d, errors %v, episodes %d", s.truth.Count(Cancelled), s.truth.Errors, len(s.truth.Episodes))
	}
	if e := s.truth.Episodes[0]; e.Turns != 1 || len(e.Helpers) != 0 {
		t.Errorf("episode %+v; want 1 turn and no helper", e)
	}
}

func TestRetryAfter(t *testing.T) {
	for _, kept := range []float64{0, 1} {
		ways := never()
		ways.HonourRetryAfter = kept
		s := stageFor(StructuredV2, ways)
		st := s.begin("get_ticket", object{{"ticket", "T-1"}}, faultRateLimited(2000))
		s.play("", st.winsSame())
		told(s)
		e := s.truth.Errors[0]
		waited := s.turns[1].at.Sub(s.turns[0].resultAt)
		if e.Honoured == nil || *e.Honoured != (kept == 1) || (waited >= 2*time.Second) != (kept == 1) {
			t.Errorf("honoured %v after %v, want %v", e.Honoured, waited, kept == 1)
		}
		if !e.Sanctioned || e.Label != Repeat || e.Code != "rate_limited" {
			t.Errorf("%+v; want a sanctioned repeat of rate_limited", e)
		}
	}
}

func TestPart(t *testing.T) {
	f := func(n int64, k int, want ...int64) {
		t.Helper()
		for i, w := range want {
			if got := (Tokens{Input: n}).part(i, k).Input; got != w {
				t.Errorf("part %d of %d in %d: %d, want %d", i, n, k, got, w)
			}
		}
	}
	f(10, 3, 4, 3, 3)
	f(11, 3, 4, 4, 3)
	f(2, 3, 1, 1, 0)
	f(7, 1, 7)
}

func TestOpenRunSettles(t *testing.T) {
	s := stageFor(BareV1, never())
	s.truth.Open = true
	s.begin("update_ticket", s.argsOf("update_ticket"), faultNotAllowed())
	s.close()
	f := func(after time.Duration, label, ending, reason string) {
		t.Helper()
		at := s.truth.At(s.truth.LastActivity.Add(after), 5*time.Minute, 30*time.Minute)
		if at.Errors[0].Label != label || at.Episodes[0].Ending != ending || at.Episodes[0].Reason != reason {
			t.Errorf("after %v: %q, %q, %q; want %q, %q, %q", after, at.Errors[0].Label, at.Episodes[0].Ending, at.Episodes[0].Reason, label, ending, reason)
		}
	}
	f(time.Minute, Unlabelled, Open, "")
	f(6*time.Minute, Ended, Open, "")
	f(31*time.Minute, Ended, Abandoned, Stopped)
	if settled := s.truth.Settled(); settled.Episodes[0].Ending != Abandoned || s.truth.Episodes[0].Ending != Open {
		t.Error("Settled changes the truth itself, or not its copy")
	}
}
