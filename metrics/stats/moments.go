package stats

import "math"

// Moments are the sums over runs from which a ratio ΣY/ΣX and its uncertainty
// follow, so that SQL can aggregate per-run sums and only these six numbers
// travel. X counts a run's units (errors, episodes, or 1 for a figure that is
// one per run), Y what is measured on them (hits, tokens).
//
// Runs without a unit are not part of a ratio and must not be summed: the SQL
// filters X > 0, as Add does.
type Moments struct {
	Runs float64 `json:"runs"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	XX   float64 `json:"xx"`
	XY   float64 `json:"xy"`
	YY   float64 `json:"yy"`
}

// Add takes in one run with x units and the sum y over them.
func (m *Moments) Add(x, y float64) {
	if !(x > 0) {
		return
	}
	m.Runs++
	m.X += x
	m.Y += y
	m.XX += x * x
	m.XY += x * y
	m.YY += y * y
}

// Merge is the moments of two disjoint sets of runs taken together.
func (m Moments) Merge(o Moments) Moments {
	return Moments{
		Runs: m.Runs + o.Runs,
		X:    m.X + o.X,
		Y:    m.Y + o.Y,
		XX:   m.XX + o.XX,
		XY:   m.XY + o.XY,
		YY:   m.YY + o.YY,
	}
}

// residual is Σ(Y_i − r·X_i)² over the runs. Rounding leaves about 1e-16 of
// the terms where the true sum is zero, which must not pass for a spread.
func (m Moments) residual(r float64) float64 {
	sum := m.YY - 2*r*m.XY + r*r*m.XX
	if sum <= 1e-12*(m.YY+r*r*m.XX) {
		return 0
	}
	return sum
}

// Estimate is one arm's figure with its variance over runs. The zero value is
// "nothing seen".
type Estimate struct {
	Runs     float64
	Value    float64
	Variance float64
}

// exists says whether there is a figure at all.
func (e Estimate) exists() bool { return e.Runs > 0 }

// point is the figure as a result.
func (e Estimate) point() *float64 {
	if !e.exists() {
		return nil
	}
	return known(e.Value)
}

// Ratio is R = ΣY/ΣX with the delta-method variance
// n/(n−1)·Σ(Y_i − R·X_i)²/(ΣX)² over the n runs with a unit. With one run the
// variance is infinite, since one run says nothing about the next.
func (m Moments) Ratio() Estimate {
	if !(m.X > 0) {
		return Estimate{}
	}
	e := Estimate{Runs: m.Runs, Value: m.Y / m.X, Variance: math.Inf(1)}
	if m.Runs > 1 {
		e.Variance = m.Runs / (m.Runs - 1) * m.residual(e.Value) / (m.X * m.X)
	}
	return e
}
