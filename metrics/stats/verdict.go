package stats

import (
	"encoding/json"
	"math"
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

// MarshalJSON writes no verdict as null.
func (v Verdict) MarshalJSON() ([]byte, error) {
	if v == NoVerdict {
		return []byte("null"), nil
	}
	return json.Marshal(string(v))
}

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
	// DefaultMargin is how much success may fall before a guardrail is
	// broken, in shares of runs.
	DefaultMargin = 0.05
	// mostApart is the share above which runs that saw both payloads, or a
	// difference of the arms in how many runs carry success, forbid a verdict.
	mostApart = 0.05
)

// TooManyStraddlers says whether so many of the runs saw both payloads, and are
// therefore left out of the arms, that the rest may no longer be comparable.
func TooManyStraddlers(straddlers, runs int) bool {
	return runs > 0 && float64(straddlers) > mostApart*float64(runs)
}

// UnevenSuccess says whether the arms differ so much in how many of their runs
// carry success that the guardrail would compare different kinds of runs. Hits
// are the runs that carry it, successful or not.
func UnevenSuccess(a, b Proportion) bool {
	if !(a.Runs > 0) || !(b.Runs > 0) {
		return false
	}
	const rounding = 1e-12
	return math.Abs(b.Hits/b.Runs-a.Hits/a.Runs) > mostApart+rounding
}

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
	// Withheld leaves the whole page without a verdict, as when a declared
	// split is broken or too many runs saw both payloads.
	Withheld bool
	// Margin is the guardrail's; 0 means DefaultMargin.
	Margin float64
}

// Judge gives each row its verdict. The primary row and the guardrail stand at
// 5 % each; every other row must pass e-BH over all rows that may have one.
// Description rows have none.
//
// e-BH takes the evidence of this look, not the greatest so far: on running
// maxima it does not hold its rate (Tavyrikov, Goeman & de Heide, arXiv
// 2501.19360), so that a row may lose a verdict again.
func (p Page) Judge() []Verdict {
	verdicts := make([]Verdict, len(p.Rows))
	if p.Withheld {
		return verdicts
	}
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
