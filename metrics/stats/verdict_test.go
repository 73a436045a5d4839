package stats

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

// known interval and evidence, as a Difference would have them.
func shownDifference(value, half, e float64, runs float64) Difference {
	return Difference{
		A: known(.5), B: known(.5 + value), ARuns: runs, BRuns: runs,
		Value: known(value), Always: around(value, half), E: known(e),
	}
}

func TestEBH(t *testing.T) {
	for _, test := range []struct {
		name     string
		evidence []float64
		want     []bool
	}{
		{"nothing", nil, []bool{}},
		{"one at the edge", []float64{20}, []bool{true}},
		{"one below", []float64{19.9}, []bool{false}},
		// Four rows: one alone needs 80, two need 40 each, three 26.67.
		{"one of four", []float64{79, 1, 1, 1}, []bool{false, false, false, false}},
		{"alone", []float64{80, 1, 1, 1}, []bool{true, false, false, false}},
		{"two carry each other", []float64{1, 41, 0, 40}, []bool{false, true, false, true}},
		{"three, the second short of two's", []float64{27, 39, 100, 1}, []bool{true, true, true, false}},
	} {
		if got := EBH(test.evidence, .05); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestVerdicts(t *testing.T) {
	holds := Row{Role: Guardrail, HigherIsBetter: true, Difference: shownDifference(0, .04, 1, 100)}
	open := Row{Role: Guardrail, HigherIsBetter: true, Difference: shownDifference(0, .06, 1, 100)}
	violated := Row{Role: Guardrail, HigherIsBetter: true, Difference: shownDifference(-.1, .09, 30, 100)}
	lower := Row{Role: Primary, Difference: shownDifference(-.2, .1, 1000, 100)}
	rate := func(d Difference) Row { return Row{Role: Primary, Difference: d} }
	for _, test := range []struct {
		name string
		page Page
		want []Verdict
	}{
		{"lower is better, guarded", Page{Rows: []Row{holds, lower}}, []Verdict{Holds, Better}},
		{"guard not shown", Page{Rows: []Row{open, lower}}, []Verdict{NotShown, BetterGuardrailOpen}},
		{"no guard at all", Page{Rows: []Row{lower}}, []Verdict{BetterGuardrailOpen}},
		{"guard violated", Page{Rows: []Row{violated, lower}}, []Verdict{Violated, BetterGuardrailViolated}},
		{"the margin is set", Page{Rows: []Row{open}, Margin: .1}, []Verdict{Holds}},
		{"guard withheld", Page{Rows: []Row{{Role: Guardrail, Withheld: true, Difference: holds.Difference}, lower}},
			[]Verdict{NoVerdict, BetterGuardrailOpen}},
		{"worse", Page{Rows: []Row{rate(shownDifference(.2, .1, 1000, 100))}}, []Verdict{Worse}},
		{"higher is better", Page{Rows: []Row{holds, {Role: Primary, HigherIsBetter: true, Difference: shownDifference(.2, .1, 1000, 100)}}},
			[]Verdict{Holds, Better}},
		{"no difference", Page{Rows: []Row{rate(shownDifference(.2, .3, 2, 100))}}, []Verdict{NoDifferenceShown}},
		{"29 runs", Page{Rows: []Row{rate(shownDifference(.2, .1, 1000, 29))}}, []Verdict{Collecting}},
		{"29 runs with success", Page{Rows: []Row{{Role: Guardrail, Difference: shownDifference(0, .01, 1, 29)}}}, []Verdict{Collecting}},
		{"no interval", Page{Rows: []Row{rate(Difference{ARuns: 50, BRuns: 50})}}, []Verdict{NoDifferenceShown}},
		{"page withheld", Page{Rows: []Row{holds, lower}, Withheld: true}, []Verdict{NoVerdict, NoVerdict}},
		{"description", Page{Rows: []Row{{Role: Description, Difference: lower.Difference}}}, []Verdict{NoVerdict}},
	} {
		if got := test.page.Judge(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// A secondary row needs more evidence the more rows are shown; the primary one
// does not.
func TestOtherRowsPassTogether(t *testing.T) {
	secondary := func(e float64) Row {
		return Row{Role: Secondary, Difference: shownDifference(.2, .1, e, 100)}
	}
	alone := Page{Rows: []Row{secondary(25)}}.Judge()
	among := Page{Rows: []Row{secondary(25), secondary(1), {Role: Primary, Difference: shownDifference(.2, .1, 25, 100)}}}.Judge()
	if alone[0] != Worse || among[0] != NoDifferenceShown || among[2] != Worse {
		t.Errorf("alone %q, among others %q", alone, among)
	}
	// A row that is still collecting is shown, and lends no evidence.
	young := secondary(1e9)
	young.Difference.BRuns = 10
	if got := (Page{Rows: []Row{secondary(25), young}}).Judge(); got[0] != NoDifferenceShown || got[1] != Collecting {
		t.Errorf("beside a collecting row: %q", got)
	}
	// Description rows are none of the rows that are judged together.
	described := Page{Rows: []Row{secondary(25), {Role: Description}}}.Judge()
	if described[0] != Worse {
		t.Errorf("beside a description: %q", described)
	}
}

func TestBeforeAfter(t *testing.T) {
	row := Row{Role: Primary, Difference: shownDifference(.2, .1, 1000, 100)}
	for _, test := range []struct {
		p    *float64
		want Verdict
	}{{nil, NoHistory}, {known(.06), CauseNotShown}, {known(.05), Worse}} {
		row.PlaceboP = test.p
		if got := (Page{Rows: []Row{row}, Observational: true}).Judge()[0]; got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	guard := Row{Role: Guardrail, HigherIsBetter: true, Difference: shownDifference(-.1, .09, 30, 100)}
	if got := (Page{Rows: []Row{guard}, Observational: true}).Judge()[0]; got != NoHistory {
		t.Errorf("success that fell on some day: %q", got)
	}
}

func TestCheckSplit(t *testing.T) {
	// B(1+2, 1+1) = 2!·1!/4! = 1/12, over .5³: 2/3.
	near(t, "E", CheckSplit(2, 1, .5).E, 8.0/12, 1e-12)
	if s := CheckSplit(500, 500, .5); s.Flagged || s.E >= 1 {
		t.Errorf("an even split: %+v", s)
	}
	if s := CheckSplit(600, 400, .5); !s.Flagged {
		t.Errorf("600 to 400 at one half: %+v", s)
	}
	if s := CheckSplit(800, 200, .8); s.Flagged {
		t.Errorf("800 to 200 at .8: %+v", s)
	}
	for _, share := range []float64{0, 1, -1, math.NaN()} {
		if CheckSplit(5, 5, share).Flagged {
			t.Errorf("a share of %v is a split", share)
		}
	}
	if s := CheckSplit(1_000_000, 0, .5); math.IsInf(s.E, 0) || !s.Flagged {
		t.Errorf("all on one side: %+v", s)
	}
}

func TestVerdictsAsJSON(t *testing.T) {
	data, err := json.Marshal([]any{Better, NoVerdict, FieldChanges, FieldNotComparable})
	if want := `["better",null,"changes",null]`; err != nil || string(data) != want {
		t.Errorf("%s (%v), want %s", data, err, want)
	}
}

// Five points are allowed, more are not.
func TestWhatForbidsAVerdict(t *testing.T) {
	if TooManyStraddlers(5, 100) || !TooManyStraddlers(6, 100) || TooManyStraddlers(0, 0) {
		t.Error("straddlers are judged at another share than 5 %")
	}
	even, uneven := UnevenSuccess(Proportion{80, 100}, Proportion{170, 200}), UnevenSuccess(Proportion{80, 100}, Proportion{172, 200})
	if even || !uneven || UnevenSuccess(Proportion{}, Proportion{1, 2}) {
		t.Errorf("80 %% against 85 %%: %v, against 86 %%: %v", even, uneven)
	}
}
