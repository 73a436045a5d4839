package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Paired compares two judgements of the same results: the share that the second one calls an error less the share that the
// first one does.
type Paired struct {
	Difference *float64 `json:"difference"`
	Interval
	// Statistic is McNemar's χ² with one degree of freedom, P its probability where neither direction is likelier.
	Statistic *float64 `json:"statistic"`
	P         *float64 `json:"p"`
}

// Paired is McNemar's comparison, with runs as clusters: X counts a run's results, Y those that became an error less those
// that ceased to be one. The interval is that of the ratio ΣY/ΣX, t with k−1 degrees of freedom over k runs, and the statistic
// (ΣY)²/ΣY²; with one result in each run they are the usual ones, (c−b)/n and (c−b)²/(c+b). Where no result changed its side
// nothing varies, and the interval is as wide as the share of changes could be by Wilson's bound over runs.
//
// Sources: McNemar, Psychometrika 12, 1947; Agresti, Categorical Data Analysis, section 11.1, for the interval.
func (m Moments) Paired() Paired {
	ratio := m.Ratio()
	if !ratio.exists() {
		return Paired{}
	}
	p := Paired{Difference: ratio.point()}
	if m.YY > 0 {
		p.Statistic = known(m.Y * m.Y / m.YY)
		p.P = known(distuv.ChiSquared{K: 1}.Survival(*p.Statistic))
	}
	if m.Runs < 2 {
		return p
	}
	if m.YY == 0 {
		could := Moments{Runs: m.Runs, X: m.X, XX: m.XX}.Share()
		if could.High != nil {
			p.Interval = between(-*could.High, *could.High)
		}
		return p
	}
	half := studentQuantile(1-Alpha/2, m.Runs-1) * math.Sqrt(ratio.Variance)
	p.Interval = between(math.Max(-1, ratio.Value-half), math.Min(1, ratio.Value+half))
	return p
}
