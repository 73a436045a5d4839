package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The half-width that GrowthBook documents for SE .02, n 1000, N* 5000.
func TestSequenceFixture(t *testing.T) {
	s := Sequence{Alpha: .05, Target: 5000}
	c := s.information(1) * s.Target
	near(t, "c", c, 7.936, 5e-4)
	near(t, "rho", math.Sqrt(c/s.Target), .0398401, 5e-8)
	near(t, "half-width", s.halfWidth(.02, 1000), .0672778, 5e-8)
}

// E reaches 1/α exactly where the interval leaves 0.
func TestEValueMatchesTheInterval(t *testing.T) {
	s := Sequence{}.withDefaults()
	for _, runs := range []float64{30, 100, 500, 20000} {
		z := s.halfWidth(1, runs)
		near(t, "E at the edge", s.eValue(z, runs), 1/Alpha, 1e-9)
	}
	if e := s.eValue(1e6, 1e6); math.IsInf(e, 0) {
		t.Error("overwhelming evidence is infinite")
	}
}

// Welch's test of R 4.2.2, one observation a run:
//
//	a <- c(1, 3, 2, 5, 4, 4); b <- c(6, 2, 8, 7); t.test(b, a)$conf.int
func TestFixedAgainstWelch(t *testing.T) {
	var a, b Moments
	for _, y := range []float64{1, 3, 2, 5, 4, 4} {
		a.Add(1, y)
	}
	for _, y := range []float64{6, 2, 8, 7} {
		b.Add(1, y)
	}
	d := RatioArms(a, b).Difference(Sequence{})
	near(t, "difference", value(t, "difference", d.Value), 5.75-19.0/6, 1e-12)
	near(t, "low", value(t, "low", d.Fixed.Low), -1.3319587657, 1e-9)
	near(t, "high", value(t, "high", d.Fixed.High), 6.4986254324, 1e-9)
}

// A new arm in which nothing happened has no variance of its own and gets the
// pooled one. By hand: A is 40 runs with one unit and 10 hits, B 10 runs with
// one unit and none: R_pool = .2, Σ = 10·.64 + 40·.04 = 8, s² = 8/49; the
// floors are 8/49/40 and 8/49/10, A's own is .25·.75/39 = .0048077.
func TestFloorByHand(t *testing.T) {
	var a, b Moments
	for i := range 40 {
		a.Add(1, float64(min(1, max(0, 10-i))))
	}
	for range 10 {
		b.Add(1, 0)
	}
	arms := RatioArms(a, b)
	near(t, "floor of A", arms.FloorA, 8.0/49/40, 1e-12)
	near(t, "floor of B", arms.FloorB, 8.0/49/10, 1e-12)
	d := arms.Difference(Sequence{})
	se := math.Sqrt(.25*.75/39 + 8.0/49/10)
	want := Sequence{}.withDefaults().halfWidth(se, 4*40*10/50.0)
	near(t, "half-width", value(t, "half-width", d.HalfWidth()), want, 1e-12)
}

// The floor of a figure is that of a ratio where runs have equal units.
func TestFigureFloorEqualsRatioFloor(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var a, b Moments
	for i := range 300 {
		y := float64(random.IntN(4))
		if i%4 == 0 {
			a.Add(3, y)
			continue
		}
		b.Add(3, y)
	}
	ratio := RatioArms(a, b)
	figure := FigureArms(a.Ratio(), b.Ratio(), a.Merge(b).Ratio())
	near(t, "floor of A", figure.FloorA, ratio.FloorA, 1e-12)
	near(t, "floor of B", figure.FloorB, ratio.FloorB, 1e-12)
}

func TestDifferenceOfTooLittle(t *testing.T) {
	var none, one, flat, spread Moments
	one.Add(2, 1)
	for i := range 5 {
		flat.Add(1, 0)
		spread.Add(1, float64(i%2))
	}
	for name, arms := range map[string]Arms{
		"nothing":   RatioArms(none, spread),
		"one run":   RatioArms(one, spread),
		"no spread": RatioArms(flat, flat),
	} {
		d := arms.Difference(Sequence{})
		if d.Always.Low != nil || d.Fixed.Low != nil || d.E != nil || d.HalfWidth() != nil {
			t.Errorf("%s: an interval is known", name)
		}
	}
	d := RatioArms(flat, spread).Difference(Sequence{})
	if d.Always.Low == nil || d.Fixed.Low == nil {
		t.Error("one arm without spread takes the intervals from the other")
	}
}

// Turning the arms round turns the sign.
func TestDifferenceIsAntisymmetric(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	var a, b Moments
	for range 50 {
		x := 1 + random.IntN(5)
		a.Add(float64(x), float64(random.IntN(x+1)))
		b.Add(float64(x), float64(random.IntN(x+1)/2))
	}
	forth, back := RatioArms(a, b).Difference(Sequence{}), RatioArms(b, a).Difference(Sequence{})
	near(t, "low", *forth.Always.Low, -*back.Always.High, 1e-12)
	near(t, "fixed high", *forth.Fixed.High, -*back.Fixed.Low, 1e-12)
	near(t, "E", *forth.E, *back.E, 1e-9)
}
