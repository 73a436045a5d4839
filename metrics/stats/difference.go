package stats

import "math"

// Arms are the two sides of a comparison, each with its estimate and the least
// variance that it is granted in the always-valid interval.
//
// The floor is what the arm's variance would be with the spread of both arms
// pooled. Without it a small new arm in which hardly anything happened yet has
// almost no variance of its own, and is called different far too often.
type Arms struct {
	A, B           Estimate
	FloorA, FloorB float64
}

// RatioArms prepares the comparison of ΣY/ΣX between two sets of runs. The
// floor is s²_pool·n_arm/(ΣX_arm)², s²_pool = Σ(Y_i − R_pool·X_i)²/(N−1).
func RatioArms(a, b Moments) Arms {
	arms := Arms{A: a.Ratio(), B: b.Ratio()}
	both := a.Merge(b)
	if !arms.A.exists() || !arms.B.exists() || both.Runs < 2 {
		return arms
	}
	s2 := both.residual(both.Y/both.X) / (both.Runs - 1)
	arms.FloorA = s2 * a.Runs / (a.X * a.X)
	arms.FloorB = s2 * b.Runs / (b.X * b.X)
	return arms
}

// FigureArms prepares the comparison of a figure that is no ratio of sums,
// such as a point of a recovery curve, from its estimate in each arm and in
// both taken together. The floor spreads the pooled variance over the arm's
// own number of runs, which for a ratio with equal units per run is the floor
// of RatioArms.
func FigureArms(a, b, pooled Estimate) Arms {
	arms := Arms{A: a, B: b}
	if !a.exists() || !b.exists() || math.IsInf(pooled.Variance, 0) {
		return arms
	}
	arms.FloorA = pooled.Variance * pooled.Runs / a.Runs
	arms.FloorB = pooled.Variance * pooled.Runs / b.Runs
	return arms
}

// Sequence is the confidence sequence of a comparison that is watched while
// data come in: its error rate holds over all looks together. The zero value
// is 95 % and tuned for 500 runs.
//
// Source: Waudby-Smith et al., arXiv 2103.06476v7, eq. 9, 155 and 161. It is
// asymptotic: below about 100 runs an arm it guards against false verdicts but
// promises no coverage.
type Sequence struct {
	// Alpha is the error rate; 0 means Alpha, 5 %.
	Alpha float64
	// Target is N*, the number of runs at which the interval is tightest; 0
	// means 500. It is set before looking and never taken from the data.
	Target float64
}

// DefaultTarget is the number of runs that a sequence is tuned for.
const DefaultTarget = 500

// withDefaults fills in the zero value.
func (s Sequence) withDefaults() Sequence {
	if s.Alpha == 0 {
		s.Alpha = Alpha
	}
	if s.Target == 0 {
		s.Target = DefaultTarget
	}
	return s
}

// information is x = c·N/N*: how far the data have come relative to the
// target, with c = −2 ln α + ln(1 − 2 ln α).
func (s Sequence) information(runs float64) float64 {
	c := -2*math.Log(s.Alpha) + math.Log(1-2*math.Log(s.Alpha))
	return c * runs / s.Target
}

// halfWidth is what to add to and take from an estimate with the standard
// error se after runs runs.
func (s Sequence) halfWidth(se, runs float64) float64 {
	x := s.information(runs)
	return se * math.Sqrt((1+1/x)*math.Log((1+x)/(s.Alpha*s.Alpha)))
}

// eValue is the evidence against no difference: at least 1/α exactly where the
// interval of level α excludes 0. It is capped at the largest number.
func (s Sequence) eValue(z, runs float64) float64 {
	x := s.information(runs)
	return math.Min(math.MaxFloat64, math.Exp(x*z*z/(2*(1+x)))/math.Sqrt(1+x))
}

// Difference is the comparison of one figure between two arms, B − A.
type Difference struct {
	A     *float64 `json:"a"`
	B     *float64 `json:"b"`
	ARuns float64  `json:"a_runs"`
	BRuns float64  `json:"b_runs"`
	Value *float64 `json:"difference"`
	// Fixed is the interval for a size of sample settled beforehand.
	Fixed Interval `json:"fixed"`
	// Always is the interval that holds at every look; verdicts rest on it.
	Always Interval `json:"always_valid"`
	// E is the e-value of no difference, nil where Always is.
	E *float64 `json:"e_value"`
}

// HalfWidth is what could have been missed when no difference is shown.
func (d Difference) HalfWidth() *float64 {
	if d.Always.Low == nil {
		return nil
	}
	return known((*d.Always.High - *d.Always.Low) / 2)
}

// Difference compares the arms. Intervals are nil where an arm has fewer than
// two runs or no run of either arm differs from another: a width of zero would
// claim a certainty that nobody has.
func (arms Arms) Difference(s Sequence) Difference {
	d := arms.Watch(s)
	d.Fixed = arms.Fixed()
	return d
}

// Watch is Difference without the fixed-sample interval, for whoever looks
// often and does not need it.
func (arms Arms) Watch(s Sequence) Difference {
	a, b := arms.A, arms.B
	d := Difference{A: a.point(), B: b.point(), ARuns: a.Runs, BRuns: b.Runs}
	if d.A == nil || d.B == nil {
		return d
	}
	value := b.Value - a.Value
	d.Value = known(value)
	if d.Value == nil || a.Runs < 2 || b.Runs < 2 {
		return d
	}
	se := arms.standardError()
	if !(se > 0) || math.IsInf(se, 0) {
		return d
	}
	s = s.withDefaults()
	runs := 4 * a.Runs * b.Runs / (a.Runs + b.Runs)
	d.Always = around(value, s.halfWidth(se, runs))
	if d.Always.Low != nil {
		d.E = known(s.eValue(value/se, runs))
	}
	return d
}

// standardError is that of the always-valid interval, with the floors.
func (arms Arms) standardError() float64 {
	return math.Sqrt(math.Max(arms.A.Variance, arms.FloorA) + math.Max(arms.B.Variance, arms.FloorB))
}

// Fixed is Welch's interval of B − A with Satterthwaite's degrees of freedom
// on runs, right only where the size of the sample was settled beforehand.
func (arms Arms) Fixed() Interval {
	va, vb := arms.A.Variance, arms.B.Variance
	if arms.A.Runs < 2 || arms.B.Runs < 2 || !(va+vb > 0) {
		return Interval{}
	}
	degrees := (va + vb) * (va + vb) / (va*va/(arms.A.Runs-1) + vb*vb/(arms.B.Runs-1))
	half := studentQuantile(1-Alpha/2, degrees) * math.Sqrt(va+vb)
	return around(arms.B.Value-arms.A.Value, half)
}
