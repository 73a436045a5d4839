package stats

import "math"

// Runs is the number of runs that the curve rests on.
func (c *Curve) Runs() float64 { return c.runs }

// Last is K, the last step in which an episode was at risk; 0 without data.
func (c *Curve) Last() int { return c.last }

// Window is a figure read off a curve: the share that ended in one of Ends
// after step After and by step Upto. The zero Upto means the whole curve.
type Window struct {
	Ends  End
	After int
	Upto  int
}

// Value is the share of episodes in the window, nil without episodes.
func (c *Curve) Value(w Window) *float64 {
	if c.episodes == 0 {
		return nil
	}
	return known(c.share(w))
}

// Estimate is the share of episodes in the window with its variance over runs.
func (c *Curve) Estimate(w Window) Estimate {
	if c.episodes == 0 {
		return Estimate{}
	}
	influence := c.influence(w.Ends, c.upto(w))
	for i, v := range c.influence(w.Ends, w.After) {
		influence[i] -= v
	}
	return Estimate{Runs: c.runs, Value: c.share(w), Variance: c.variance(influence)}
}

// share is the value of a window. Sums of shares miss 0 and 1 by rounding,
// which are cases of their own for an interval.
func (c *Curve) share(w Window) float64 {
	const rounding = 1e-12
	f := c.incidence(w.Ends, c.upto(w)) - c.incidence(w.Ends, w.After)
	switch {
	case f < rounding:
		return 0
	case f > 1-rounding:
		return 1
	}
	return f
}

// Interval is the pointwise 95 % interval of the window's share.
func (c *Curve) Interval(w Window) Interval {
	return c.interval(c.Estimate(w))
}

// interval puts a pointwise band on the complementary log-log scale, which
// keeps it inside 0 and 1. Where the share is 0 or 1, or the runs happen to
// show no spread at all, the interval is that of Moments.Share instead.
func (c *Curve) interval(e Estimate) Interval {
	if e.Runs < 2 {
		return Interval{}
	}
	if e.Value == 0 || e.Value == 1 || e.Variance == 0 {
		return wilson(e.Value, effectiveSize(e, c.episodes), normalQuantile(1-Alpha/2))
	}
	scale := math.Abs(e.Value * math.Log(e.Value))
	w := studentQuantile(1-Alpha/2, e.Runs-1) * math.Sqrt(e.Variance) / scale
	return between(math.Pow(e.Value, math.Exp(w)), math.Pow(e.Value, math.Exp(-w)))
}

// upto is the step at which the window closes.
func (c *Curve) upto(w Window) int {
	if w.Upto <= 0 {
		return c.last
	}
	return w.Upto
}

// incidence is F(k) for the ends taken together.
func (c *Curve) incidence(ends End, k int) float64 {
	sum := 0.0
	for _, s := range c.steps {
		if s.at > k {
			break
		}
		sum += s.before * s.ended(ends) / s.atRisk
	}
	return sum
}

// remaining is S(k), the share without an end by step k.
func (c *Curve) remaining(k int) float64 {
	left := 1.0
	for _, s := range c.steps {
		if s.at > k {
			break
		}
		left = s.before * (1 - s.ended(allEnds)/s.atRisk)
	}
	return left
}

// variance is G/(G−1) times the sum over runs of the squared influence of the
// run, which is the sum over its episodes.
func (c *Curve) variance(influence []float64) float64 {
	if c.runs < 2 {
		return math.Inf(1)
	}
	sum := 0.0
	for _, g := range c.patterns {
		run := 0.0
		for _, k := range g.kinds {
			run += influence[k]
		}
		sum += g.runs * run * run
	}
	const rounding = 1e-22
	if sum < rounding {
		return 0
	}
	return c.runs / (c.runs - 1) * sum
}
