// Package stats says how sure we are of a figure: intervals for shares,
// recovery curves with competing endings, comparisons of two arms that may be
// watched, and verdicts.
//
// The unit of sampling is the run, or a coarser cluster where one is
// configured, and never the single error: errors of one run resemble each
// other, and an interval that takes them as independent is far too narrow.
// Whoever calls this package sums per run first.
//
// Everything here is a pure function of its arguments. What cannot be said is
// a nil pointer, which JSON writes as null; a value is never NaN or infinite.
package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Alpha is the error rate of every interval and verdict: 95 % intervals.
const Alpha = 0.05

// Interval is a 95 % interval unless its producer says otherwise. Both ends
// are nil where there is too little to say anything.
type Interval struct {
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// Contains says whether the interval is known and holds v.
func (i Interval) Contains(v float64) bool {
	return i.Low != nil && i.High != nil && *i.Low <= v && v <= *i.High
}

// Excludes says whether the interval is known and does not hold v.
func (i Interval) Excludes(v float64) bool {
	return i.Low != nil && i.High != nil && (v < *i.Low || v > *i.High)
}

// between builds an interval and drops it whole where an end is not a number.
func between(low, high float64) Interval {
	l, h := known(low), known(high)
	if l == nil || h == nil {
		return Interval{}
	}
	return Interval{Low: l, High: h}
}

// around is the interval of a centre and its half-width.
func around(centre, half float64) Interval {
	return between(centre-half, centre+half)
}

// known turns a computed number into a result: nil where it is none.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// normalQuantile is the standard normal quantile.
func normalQuantile(p float64) float64 {
	return distuv.UnitNormal.Quantile(p)
}

// studentQuantile is the quantile of Student's t. Degrees of freedom beyond a
// million give the normal one, which is then equal to six digits and cheaper.
func studentQuantile(p, degrees float64) float64 {
	if degrees > 1e6 {
		return normalQuantile(p)
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: degrees}.Quantile(p)
}
