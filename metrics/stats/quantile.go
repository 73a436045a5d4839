package stats

import (
	"encoding/json"
	"fmt"
)

// Number is a number of attempts or turns that may also be "never", which is
// larger than any number, or unknown. The zero value is unknown.
type Number struct {
	kind  numberKind
	value int
}

type numberKind uint8

const (
	unknownNumber numberKind = iota
	exactNumber
	beyondNumber
	neverNumber
)

// Exactly is the number n.
func Exactly(n int) Number { return Number{kind: exactNumber, value: n} }

// Beyond is some number larger than n, or never: observation ended at n.
func Beyond(n int) Number { return Number{kind: beyondNumber, value: n} }

// NeverReached is larger than any number.
func NeverReached() Number { return Number{kind: neverNumber} }

// Int is the number, and whether it is one.
func (n Number) Int() (int, bool) { return n.value, n.kind == exactNumber }

// IsNever says whether it is "never".
func (n Number) IsNever() bool { return n.kind == neverNumber }

// IsKnown says whether there is anything to show: a number, "> K" or never.
func (n Number) IsKnown() bool { return n.kind != unknownNumber }

// String is the number as a page shows it: "3", "> 12", "never", or nothing.
func (n Number) String() string {
	switch n.kind {
	case exactNumber:
		return fmt.Sprint(n.value)
	case beyondNumber:
		return fmt.Sprintf("> %d", n.value)
	case neverNumber:
		return "never"
	default:
		return ""
	}
}

// MarshalJSON writes a number, "never", or null. "> K" is null as well: the
// value is not known, and readers expect a number or that one word.
func (n Number) MarshalJSON() ([]byte, error) {
	switch n.kind {
	case exactNumber:
		return json.Marshal(n.value)
	case neverNumber:
		return json.Marshal("never")
	default:
		return []byte("null"), nil
	}
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "null":
		*n = Number{}
		return nil
	case `"never"`:
		*n = NeverReached()
		return nil
	}
	var value int
	if err := json.Unmarshal(data, &value); err != nil {
		return fmt.Errorf("read %.40q as a number, \"never\" or null: %w", data, err)
	}
	*n = Exactly(value)
	return nil
}

// Quantile is the number of attempts by which a share q of episodes recovered,
// with a 95 % interval of which an end may be "never".
type Quantile struct {
	Value Number `json:"value"`
	Low   Number `json:"low"`
	High  Number `json:"high"`
}

// leastExpected is the number of effective episodes that must lie beyond a
// quantile before it is shown.
const leastExpected = 5

// Quantile is the least number of attempts k with F1(k) ≥ q. It is unknown
// where fewer than five effective episodes lie beyond it.
func (c *Curve) Quantile(q float64) Quantile {
	if c.runs < 2 || !(q > 0 && q < 1) {
		return Quantile{}
	}
	value := c.quantile(q)
	at, exact := value.Int()
	if !exact {
		at = c.last
	}
	e := c.Estimate(Window{Ends: Recovered, Upto: at})
	if effectiveSize(e, c.episodes)*(1-q) < leastExpected {
		return Quantile{}
	}
	low, high := c.quantileInterval(q)
	return Quantile{Value: value, Low: low, High: high}
}

// reaches allows for rounding when a curve is compared with a quantile.
func reaches(f, q float64) bool { return f >= q-1e-12 }

// quantile is the point estimate.
func (c *Curve) quantile(q float64) Number {
	f := 0.0
	for _, s := range c.steps {
		f += s.before * s.recovered / s.atRisk
		if reaches(f, q) {
			return Exactly(s.at)
		}
	}
	if c.incidence(Abandoned|RecoveredWithUser, c.last) > 1-q {
		return NeverReached()
	}
	return Beyond(c.last)
}

// quantileInterval inverts the pointwise band of F1 at q: the low end is where
// the upper bound first reaches q, the high end where the lower bound does. A
// high end that is not reached is "never", since nothing excludes it. A low end
// that is not reached is "never" only where that much is known to be lost, or
// nobody is left who could still recover.
func (c *Curve) quantileInterval(q float64) (low, high Number) {
	high = NeverReached()
	for _, s := range c.steps {
		if s.recovered == 0 {
			continue
		}
		band := c.Interval(Window{Ends: Recovered, Upto: s.at})
		if !low.IsKnown() && band.High != nil && reaches(*band.High, q) {
			low = Exactly(s.at)
		}
		if band.Low != nil && reaches(*band.Low, q) {
			return low, Exactly(s.at)
		}
	}
	if low.IsKnown() {
		return low, high
	}
	lost := c.Interval(Window{Ends: Abandoned | RecoveredWithUser})
	if c.remaining(c.last) == 0 || (lost.Low != nil && *lost.Low > 1-q) {
		return NeverReached(), high
	}
	return Beyond(c.last), high
}
