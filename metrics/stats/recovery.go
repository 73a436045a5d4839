package stats

// Recovery is how episodes end, read off the curve; the shares add up to 1.
// All are nil without episodes.
type Recovery struct {
	Within3  *float64 `json:"le3"`
	From4To7 *float64 `json:"f4_7"`
	From8    *float64 `json:"ge8"`
	WithUser *float64 `json:"with_user"`
	Never    *float64 `json:"never"`
	Unknown  *float64 `json:"unknown"`
}

// The windows of Recovery, for intervals and comparisons of one of its shares.
var (
	Within3  = Window{Ends: Recovered, Upto: 3}
	From4To7 = Window{Ends: Recovered, After: 3, Upto: 7}
	From8    = Window{Ends: Recovered, After: 7}
	WithUser = Window{Ends: RecoveredWithUser}
	Never    = Window{Ends: Abandoned}
)

// Recovery reads the shares off the curve.
func (c *Curve) Recovery() Recovery {
	if c.episodes == 0 {
		return Recovery{}
	}
	return Recovery{
		Within3:  c.Value(Within3),
		From4To7: c.Value(From4To7),
		From8:    c.Value(From8),
		WithUser: c.Value(WithUser),
		Never:    c.Value(Never),
		Unknown:  known(c.remaining(c.last)),
	}
}

// Point is one point of the recovery curve with its pointwise band.
type Point struct {
	Attempt   int     `json:"attempt"`
	Recovered float64 `json:"recovered"`
	Interval
}

// Points is the curve of recovery for the attempts 1 … limit, or fewer where
// nobody was at risk any more.
func (c *Curve) Points(limit int) []Point {
	points := make([]Point, 0, min(limit, c.last))
	var p Point
	next := 0
	for k := 1; k <= min(limit, c.last); k++ {
		moved := k == 1
		for ; next < len(c.steps) && c.steps[next].at <= k; next++ {
			moved = moved || c.steps[next].recovered > 0
		}
		if moved {
			e := c.Estimate(Window{Ends: Recovered, Upto: k})
			p = Point{Recovered: e.Value, Interval: c.interval(e)}
		}
		p.Attempt = k
		points = append(points, p)
	}
	return points
}

// MeanLimit is the K up to which attempts are averaged.
const MeanLimit = 10

// RestrictedMean is the mean number of attempts until recovery when counting
// stops at MeanLimit, Σ_{k<K}(1 − F1(k)): an episode that never recovers counts
// as the limit. Beyond the last observed step the curve is carried on flat.
func (c *Curve) RestrictedMean() Estimate {
	if c.episodes == 0 {
		return Estimate{}
	}
	e := Estimate{Runs: c.runs, Value: MeanLimit}
	influence := make([]float64, len(c.kinds))
	for k := 1; k < MeanLimit; k++ {
		e.Value -= c.incidence(Recovered, k)
		for i, v := range c.influence(Recovered, k) {
			influence[i] -= v
		}
	}
	e.Variance = c.variance(influence)
	return e
}
