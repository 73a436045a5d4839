package stats

import (
	"math"
	"slices"
)

// Verdict is what a comparison says in words.
type Verdict string

// The verdicts of a row. Those of the guardrail are Holds, Violated and
// NotShown.
const (
	NoVerdict               Verdict = ""
	Collecting              Verdict = "collecting"
	Better                  Verdict = "better"
	BetterGuardrailOpen     Verdict = "better, guardrail not shown"
	BetterGuardrailViolated Verdict = "better, guardrail violated"
	Worse                   Verdict = "worse"
	NoDifferenceShown       Verdict = "no difference shown"
	CauseNotShown           Verdict = "differs, cause not shown"
	NoHistory               Verdict = "differs, no history to judge"
	Holds                   Verdict = "holds"
	Violated                Verdict = "violated"
	NotShown                Verdict = "not shown"
)

// Role is the part a row plays in a comparison.
type Role string

// The roles of rows, in the order of a page.
const (
	Guardrail   Role = "guardrail"
	Primary     Role = "primary"
	FirstError  Role = "first_error"
	Secondary   Role = "secondary"
	Description Role = "description"
)

const (
	// LeastRuns is the number of runs with a unit that each arm needs before
	// a row has a verdict.
	LeastRuns = 30
	// LeastPlacebos is the number of earlier moments that a before/after
	// comparison must outdo.
	LeastPlacebos = 20
	// DefaultMargin is how much success may fall before a guardrail is
	// broken, in shares of runs.
	DefaultMargin = 0.05
)

// Row is one compared figure.
type Row struct {
	Role Role
	// HigherIsBetter says that a rise is good, as for success or recovery.
	HigherIsBetter bool
	Difference     Difference
	// PlaceboP is the row's place among earlier moments, nil without enough
	// of them. Only read for observational comparisons.
	PlaceboP *float64
	// Withheld leaves the row without a verdict, as for success when the
	// arms differ in how many runs carry it.
	Withheld bool
}

// Page is all rows of one comparison. They are judged together, because the
// more rows are shown the more of them differ by chance.
type Page struct {
	Rows []Row
	// Observational marks a before/after comparison.
	Observational bool
	// Margin is the guardrail's; 0 means DefaultMargin.
	Margin float64
}

// Judge gives each row its verdict. The primary row and the guardrail stand at
// 5 % each; every other row must pass e-BH over all rows that may have one.
// Description rows have none.
func (p Page) Judge() []Verdict {
	verdicts := make([]Verdict, len(p.Rows))
	guard := NotShown
	for i, r := range p.Rows {
		if r.Role == Guardrail {
			verdicts[i] = p.guardrail(r)
			guard = verdicts[i]
		}
	}
	passed := p.discoveries()
	for i, r := range p.Rows {
		if r.Role == Guardrail || r.Role == Description || r.Withheld {
			continue
		}
		shown := passed[i]
		if r.Role == Primary {
			shown = r.Difference.Always.Excludes(0)
		}
		verdicts[i] = p.judge(r, shown, guard)
	}
	return verdicts
}

// discoveries says which rows pass e-BH. Rows that may not have a verdict yet
// count with no evidence, as they are shown all the same.
func (p Page) discoveries() []bool {
	var at []int
	var evidence []float64
	for i, r := range p.Rows {
		if r.Role == Description || r.Withheld {
			continue
		}
		e := 0.0
		if r.Difference.E != nil && r.Difference.enough() {
			e = *r.Difference.E
		}
		at = append(at, i)
		evidence = append(evidence, e)
	}
	passed := make([]bool, len(p.Rows))
	for i, ok := range EBH(evidence, Alpha) {
		passed[at[i]] = ok
	}
	return passed
}

// enough says whether both arms have the runs that a verdict needs.
func (d Difference) enough() bool {
	return d.ARuns >= LeastRuns && d.BRuns >= LeastRuns
}

// judge is the verdict of a row that is no guardrail.
func (p Page) judge(r Row, shown bool, guard Verdict) Verdict {
	if !r.Difference.enough() {
		return Collecting
	}
	if !shown {
		return NoDifferenceShown
	}
	if v := p.cause(r); v != NoVerdict {
		return v
	}
	if (*r.Difference.Value > 0) != r.HigherIsBetter {
		return Worse
	}
	switch guard {
	case Holds:
		return Better
	case Violated:
		return BetterGuardrailViolated
	default:
		return BetterGuardrailOpen
	}
}

// cause is the verdict of a difference for which the cutover is not shown to
// be the cause, and none where it is. Days differ from one another, so a
// before/after comparison must stand out from comparisons at moments where
// nothing happened.
func (p Page) cause(r Row) Verdict {
	switch {
	case !p.Observational:
		return NoVerdict
	case r.PlaceboP == nil:
		return NoHistory
	case *r.PlaceboP > Alpha:
		return CauseNotShown
	}
	return NoVerdict
}

// guardrail asks whether success fell by less than the margin.
func (p Page) guardrail(r Row) Verdict {
	margin := p.Margin
	if margin == 0 {
		margin = DefaultMargin
	}
	always := r.Difference.Always
	switch {
	case r.Withheld:
		return NoVerdict
	case !r.Difference.enough():
		return Collecting
	case always.Low == nil:
		return NotShown
	case *always.Low > -margin:
		return Holds
	case *always.High >= 0:
		return NotShown
	}
	if v := p.cause(r); v != NoVerdict {
		return v
	}
	return Violated
}

// EBH is the e-BH procedure: which hypotheses are rejected at false discovery
// rate alpha, however their e-values depend on each other. With the e-values
// in falling order, the first k are rejected for the greatest k whose k-th is
// at least K/(α·k). Source: Wang & Ramdas, JRSS-B 84(3), 2022,
// arXiv 2009.02824.
func EBH(evidence []float64, alpha float64) []bool {
	falling := slices.Clone(evidence)
	slices.SortFunc(falling, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	threshold := math.Inf(1)
	for k := len(falling); k > 0; k-- {
		if needed := float64(len(falling)) / (alpha * float64(k)); falling[k-1] >= needed {
			threshold = needed
			break
		}
	}
	rejected := make([]bool, len(evidence))
	for i, e := range evidence {
		rejected[i] = e >= threshold
	}
	return rejected
}

// PlaceboP is the place of a before/after difference among the same comparison
// at moments where nothing happened: (1 + #{|D_placebo| ≥ |D|})/(1 + K). Nil
// with fewer than LeastPlacebos of them.
func PlaceboP(difference float64, placebos []float64) *float64 {
	if len(placebos) < LeastPlacebos {
		return nil
	}
	count := 1.0
	for _, d := range placebos {
		if math.Abs(d) >= math.Abs(difference) {
			count++
		}
	}
	return known(count / float64(1+len(placebos)))
}
