package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// near fails unless got is within tolerance of want.
func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > tolerance {
		t.Errorf("%s = %.8g, want %.8g (± %g)", what, got, want, tolerance)
	}
}

// value dereferences a result that must be known.
func value(t *testing.T, what string, v *float64) float64 {
	t.Helper()
	if v == nil {
		t.Fatalf("%s is unknown", what)
	}
	return *v
}

// The lower bounds of unanimous votes are printed in the specification.
func TestAgreementLow(t *testing.T) {
	for _, test := range []struct {
		agreeing, runs int
		want           float64
	}{{3, 3, .44}, {5, 5, .57}, {10, 10, .72}} {
		near(t, "agreement", value(t, "agreement", AgreementLow(test.agreeing, test.runs)), test.want, .005)
	}
	for _, test := range [][2]int{{0, 0}, {2, 1}, {-1, 3}} {
		if AgreementLow(test[0], test[1]) != nil {
			t.Errorf("AgreementLow(%d, %d) is known", test[0], test[1])
		}
	}
}

// Values of an independent program, R 4.2.2:
//
//	options(digits = 11)
//	prop.test(1, 10, correct=FALSE); prop.test(48, 200, correct=FALSE)
//	prop.test(0, 30, correct=FALSE)
func TestWilson(t *testing.T) {
	for _, test := range []struct{ hits, runs, low, high float64 }{
		{1, 10, 0.0178762131, 0.4041500268},
		{48, 200, 0.1860661599, 0.3037334098},
		{0, 30, 0, 0.1135133932},
	} {
		s := Wilson(test.hits, test.runs)
		near(t, "low", value(t, "low", s.Low), test.low, 1e-9)
		near(t, "high", value(t, "high", s.High), test.high, 1e-9)
	}
	if s := Wilson(0, 0); s.Value != nil || s.Low != nil {
		t.Error("a share of nothing is known")
	}
}

// The example of Newcombe's paper: 56/70 − 48/80, method 10 without continuity
// correction: .0524 to .3339.
func TestNewcombe(t *testing.T) {
	i := Newcombe(Proportion{48, 80}, Proportion{56, 70}, .95)
	near(t, "low", value(t, "low", i.Low), .0524, 5e-5)
	near(t, "high", value(t, "high", i.High), .3339, 5e-5)
	if Newcombe(Proportion{}, Proportion{1, 2}, .95).Low != nil {
		t.Error("the difference to an empty arm is known")
	}
}

// One unit a run makes n_e = n−1 but for the factor of few clusters: v is then
// p(1−p)/(n−1).
func TestShareOfOnePerRun(t *testing.T) {
	var m Moments
	for i := range 40 {
		hit := 0.0
		if i < 10 {
			hit = 1
		}
		m.Add(1, hit)
	}
	s := m.Share()
	// qt(.975, 39) = 2.0226909
	want := 39 * math.Pow(1.959963985/2.022690901, 2)
	near(t, "effective size", s.Effective, want, 1e-5)
	near(t, "share", value(t, "share", s.Value), .25, 1e-12)
}

// By hand: runs (X, Y) = (4, 4), (2, 0), (2, 1): p = 5/8, z = 1.5, −1.25,
// −.25, Σz² = 3.875, v = 3/2·3.875/64 = .0908203; p(1−p)/v = 2.580645;
// t.975,2 = 4.3026527, so n_e = 2.580645·(1.959964/4.302653)² = .535495.
func TestShareByHand(t *testing.T) {
	var m Moments
	m.Add(4, 4)
	m.Add(2, 0)
	m.Add(2, 1)
	m.Add(0, 0)
	if m.Runs != 3 {
		t.Fatalf("runs = %v, a run without units counted", m.Runs)
	}
	s := m.Share()
	near(t, "share", value(t, "share", s.Value), .625, 1e-12)
	near(t, "effective size", s.Effective, .535495, 1e-5)
}

// The linearised variance of a share of clustered units is that of a survival curve of one step. R 4.2.2 with survival
// 3.5.3, for the runs' units X and hits Y:
//
//	d <- data.frame(run = rep(seq_along(X), X), hit = unlist(mapply(function(x, y) rep(c(1, 0), c(y, x-y)), X, Y)))
//	s <- survfit(Surv(rep(1, nrow(d)), hit) ~ 1, data = d, cluster = run, influence = TRUE)
//	v <- sum(s$influence.surv^2) * k/(k-1)
//	ne <- min(sum(X), p*(1-p)/v) * (qnorm(.975)/qt(.975, k-1))^2
//
// and Wilson's bounds with ne.
func TestShareAgainstSurvfit(t *testing.T) {
	for _, test := range []struct {
		x, y                           []float64
		variance, effective, low, high float64
	}{
		{[]float64{3, 1, 4, 2, 5}, []float64{1, 0, 3, 2, 1}, .0254320987654, 4.8768714380763, .1498712248962, .8128366844296},
		{[]float64{3, 1, 4, 2, 5, 7, 2, 6}, []float64{3, 0, 4, 0, 1, 6, 0, 6}, .0228571428571, 6.6793999168123, .3145341182061, .8970899226148},
	} {
		var m Moments
		for i := range test.x {
			m.Add(test.x[i], test.y[i])
		}
		s := m.Share()
		near(t, "variance", m.Ratio().Variance, test.variance, 1e-11)
		near(t, "effective size", s.Effective, test.effective, 1e-9)
		near(t, "low", value(t, "low", s.Low), test.low, 1e-9)
		near(t, "high", value(t, "high", s.High), test.high, 1e-9)
	}
}

// All hits: only the clusters count, however many errors each had.
func TestShareAtTheEnds(t *testing.T) {
	var m Moments
	for range 10 {
		m.Add(50, 50)
	}
	s := m.Share()
	// qt(.975, 9) = 2.2621572
	near(t, "effective size", s.Effective, 10*math.Pow(1.959963985/2.262157163, 2), 1e-6)
	near(t, "high", value(t, "high", s.High), 1, 1e-12)
	if low := value(t, "low", s.Low); low > .75 {
		t.Errorf("ten runs bound the share to %v", low)
	}
}

func TestShareOfTooLittle(t *testing.T) {
	var none, one Moments
	one.Add(5, 2)
	if s := none.Share(); s.Value != nil || s.Low != nil || s.High != nil {
		t.Error("a share of no errors is known")
	}
	if s := one.Share(); s.Value == nil || s.Low != nil {
		t.Error("one run must give a share and no interval")
	}
	var more Moments
	more.Add(1, 3)
	more.Add(1, 2)
	if s := more.Share(); s.Low != nil {
		t.Error("a ratio above 1 has the interval of a share")
	}
}

// Moments must give what the per-run definition gives.
func TestMomentsEqualPerRun(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var whole, left, right Moments
		var xs, ys []float64
		for i := range 60 {
			x := float64(1 + random.IntN(9))
			y := float64(random.IntN(int(x) + 1))
			xs, ys = append(xs, x), append(ys, y)
			whole.Add(x, y)
			if i%3 == 0 {
				left.Add(x, y)
			} else {
				right.Add(x, y)
			}
		}
		if merged := left.Merge(right); merged != whole {
			t.Fatalf("merged %v, whole %v", merged, whole)
		}
		r := whole.Ratio()
		sum := 0.0
		for i := range xs {
			z := ys[i] - r.Value*xs[i]
			sum += z * z
		}
		near(t, "variance", r.Variance, 60.0/59*sum/(whole.X*whole.X), 1e-12)
	}
}
