package ui

import "math"

// NewDifference places a difference and its interval on an axis with nothing in the middle, as wide as the row itself: rows
// have units of their own.
func NewDifference(value, low, high *float64, words string) *RangeMark {
	if value == nil {
		return nil
	}
	reach := math.Abs(*value)
	for _, v := range []*float64{low, high} {
		if v != nil {
			reach = math.Max(reach, math.Abs(*v))
		}
	}
	if reach == 0 || math.IsInf(reach, 0) || math.IsNaN(reach) {
		return nil
	}
	at := func(v float64) float64 { return 50 + 48*v/reach }
	m := &RangeMark{Value: number(at(*value)), Mid: "50.00", Label: words}
	if low == nil || high == nil {
		m.Hollow, m.Label = true, "no interval yet"
		return m
	}
	m.Low, m.Width = number(at(*low)), number(math.Max(at(*high)-at(*low), 0.5))
	return m
}
