package stats

import "math"

// SplitLimit is the evidence at which a declared split counts as broken.
const SplitLimit = 1000

// Split is the check of a declared random split.
type Split struct {
	// E is the evidence against the declared share, capped at the largest
	// number; it may be looked at as often as one likes.
	E       float64 `json:"e_value"`
	Flagged bool    `json:"flagged"`
}

// CheckSplit holds the numbers of runs of two arms against the share of arm A
// that was declared: E = B(1+n_A, 1+n_B)/(θ^n_A·(1−θ)^n_B). By Ville's
// inequality it reaches 1000 at any look in at most one of 1000 true splits.
// A share outside of 0 and 1 is no split and is never flagged.
//
// Source: the two-arm form, with a uniform prior, of the test of Lindon &
// Malek, NeurIPS 2022.
func CheckSplit(a, b int, share float64) Split {
	if a < 0 || b < 0 || !(share > 0 && share < 1) {
		return Split{E: 1}
	}
	log := logBeta(1+float64(a), 1+float64(b)) - float64(a)*math.Log(share) - float64(b)*math.Log1p(-share)
	e := math.Min(math.MaxFloat64, math.Exp(log))
	return Split{E: e, Flagged: e >= SplitLimit}
}

// logBeta is ln B(a, b).
func logBeta(a, b float64) float64 {
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	return la + lb - lab
}
