package stats

import "math"

// Share is a share of errors or episodes in one arm with its 95 % interval.
type Share struct {
	// Value is ΣY/ΣX, nil where no unit was counted.
	Value *float64 `json:"value"`
	Interval
	// Effective is the number of independent units that would tell as much
	// as the clustered ones did; 0 where there is no interval.
	Effective float64 `json:"effective"`
}

// Share is ΣY/ΣX with Wilson's interval at the effective sample size. The
// interval is nil for fewer than two runs: one run says nothing about others.
//
// The effective size is the variance-based one of Korn & Graubard, Survey
// Methodology 24(2), 1998, with their correction for few clusters; Wilson's
// form with it is the one that Franco et al. 2019 (PMC6690503) recommend.
func (m Moments) Share() Share {
	ratio := m.Ratio()
	if !ratio.exists() {
		return Share{}
	}
	s := Share{Value: ratio.point()}
	if m.Runs < 2 || ratio.Value < 0 || ratio.Value > 1 {
		return s
	}
	s.Effective = effectiveSize(ratio, m.X)
	s.Interval = wilson(ratio.Value, s.Effective, normalQuantile(1-Alpha/2))
	return s
}

// effectiveSize is n_e for a share estimated from clustered units. A share of
// exactly 0 or 1 shows no spread, so that only the clusters count. Needs at
// least two runs.
func effectiveSize(e Estimate, units float64) float64 {
	size := e.Runs
	if e.Value > 0 && e.Value < 1 {
		size = units
		if e.Variance > 0 {
			size = math.Min(units, e.Value*(1-e.Value)/e.Variance)
		}
	}
	few := normalQuantile(1-Alpha/2) / studentQuantile(1-Alpha/2, e.Runs-1)
	return size * few * few
}

// wilson is the score interval of a share p of n, where n need not be whole.
// Source: Wilson, JASA 22, 1927.
func wilson(p, n, z float64) Interval {
	if !(n > 0) {
		return Interval{}
	}
	z2 := z * z
	centre := (p + z2/(2*n)) / (1 + z2/n)
	half := z / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	low, high := math.Max(0, centre-half), math.Min(1, centre+half)
	if p == 0 {
		low = 0 // exactly, where rounding leaves a trace
	}
	if p == 1 {
		high = 1
	}
	return between(low, high)
}

// Wilson is the plain score interval. It is right only for figures that are
// one per run, such as task success; errors of one run need Moments.Share.
func Wilson(hits, runs float64) Share {
	if !(runs > 0) {
		return Share{}
	}
	p := hits / runs
	return Share{
		Value:     known(p),
		Interval:  wilson(p, runs, normalQuantile(1-Alpha/2)),
		Effective: runs,
	}
}

// Proportion is a count of runs out of all runs of an arm.
type Proportion struct {
	Hits float64
	Runs float64
}

// Newcombe is the interval of the difference b − a of two proportions that are
// one per run, with the given confidence (0.95, or 0.90 to show equivalence).
// Source: Newcombe, Statistics in Medicine 17, 1998, method 10.
func Newcombe(a, b Proportion, confidence float64) Interval {
	if !(a.Runs > 0) || !(b.Runs > 0) {
		return Interval{}
	}
	z := normalQuantile(1 - (1-confidence)/2)
	pa, pb := a.Hits/a.Runs, b.Hits/b.Runs
	ia, ib := wilson(pa, a.Runs, z), wilson(pb, b.Runs, z)
	d := pb - pa
	low := d - math.Hypot(pb-*ib.Low, *ia.High-pa)
	high := d + math.Hypot(*ib.High-pb, pa-*ia.Low)
	return between(low, high)
}
