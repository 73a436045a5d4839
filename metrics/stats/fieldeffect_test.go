package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// R 4.2.2: m <- rbind(c(10,4,3,2,1,0), c(3,9,4,1,2,1)); chisq.test(m) and
// chisq.test(m, simulate.p.value = TRUE, B = 2e6), whose tables have the same
// distribution as those of one stratum.
func TestFieldEffectAgainstR(t *testing.T) {
	e := NewFieldEffect([]FieldCounts{
		{Without: [Labels]int{10, 4, 3, 2, 1, 0}, With: [Labels]int{3, 9, 4, 1, 2, 1}},
	}, 1)
	near(t, "chi-square", e.ChiSquare, 7.501831502, 1e-8)
	near(t, "p", value(t, "p", e.P), .16855, .015) // 4 standard errors
}

// Two strata, permuted within each by sample() 60,000 times in R.
func TestFieldEffectWithinStrata(t *testing.T) {
	e := NewFieldEffect([]FieldCounts{
		{Without: [Labels]int{6, 2, 1, 0, 0, 1}, With: [Labels]int{1, 5, 2, 1, 1, 0}},
		{Without: [Labels]int{4, 3, 1, 0, 0, 0}, With: [Labels]int{2, 6, 0, 1, 0, 0}},
	}, 1)
	near(t, "chi-square", e.ChiSquare, 9.999507985, 1e-8)
	near(t, "p", value(t, "p", e.P), .03537, .008) // 4 standard errors of either
}

// Where the stratum decides on the presence, nothing can be permuted and no
// difference can be shown, however large it is.
func TestFieldEffectConfounded(t *testing.T) {
	e := NewFieldEffect([]FieldCounts{
		{Without: [Labels]int{100}},
		{With: [Labels]int{0, 100}},
	}, 1)
	near(t, "p", value(t, "p", e.P), 1, 0)
}

func TestFieldEffectOfOneSide(t *testing.T) {
	e := NewFieldEffect([]FieldCounts{{Without: [Labels]int{3, 4}}}, 1)
	if e.P != nil || e.SharesWith != nil || e.SharesWithout == nil {
		t.Errorf("%+v", e)
	}
	if v := JudgeFields([]FieldEffect{e}); v[0] != FieldNotComparable {
		t.Errorf("verdict %q", v[0])
	}
}

func TestJudgeFields(t *testing.T) {
	strata := func(without, with [Labels]int) []FieldCounts {
		return []FieldCounts{{Without: without, With: with}}
	}
	effects := []FieldEffect{
		NewFieldEffect(strata([Labels]int{400, 100}, [Labels]int{100, 400}), 1),
		NewFieldEffect(strata([Labels]int{3000, 3000}, [Labels]int{3000, 3000}), 1),
		NewFieldEffect(strata([Labels]int{10, 10}, [Labels]int{10, 10}), 1),
	}
	want := []FieldVerdict{FieldChanges, FieldChangesNone, FieldNotShown}
	if got := JudgeFields(effects); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	near(t, "least p", *effects[0].P, 1.0/10000, 1e-12)
}

// R: p.adjust(p, "BH") <= .05 is TRUE TRUE and then FALSE.
func TestBenjaminiHochberg(t *testing.T) {
	got := BenjaminiHochberg([]float64{.205, .001, .008, .039, .041, .042, .06, .074}, .05)
	want := []bool{false, true, true, false, false, false, false, false}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// A later one that passes takes the earlier ones with it.
	got = BenjaminiHochberg([]float64{.04, .045, .05}, .05)
	if !slices.Equal(got, []bool{true, true, true}) {
		t.Errorf("%v", got)
	}
}

// The draws have the mean and the variance of the hypergeometric law.
func TestHypergeometric(t *testing.T) {
	const all, marked, taking, n = 120, 45, 70, 40000
	s := sampler{random: rand.New(rand.NewPCG(13, 14)), logs: logFactorials(all)}
	var sum, squares float64
	for range n {
		k := float64(s.draw(all, marked, taking))
		sum += k
		squares += k * k
	}
	p := float64(marked) / all
	variance := taking * p * (1 - p) * (all - taking) / (all - 1)
	mean := sum / n
	near(t, "mean", mean, taking*p, 4*math.Sqrt(variance/n))
	near(t, "variance", squares/n-mean*mean, variance, .05*variance)
}

func BenchmarkFieldEffect(b *testing.B) {
	strata := make([]FieldCounts, 4)
	for i := range strata {
		strata[i] = FieldCounts{
			Without: [Labels]int{300, 200, 100, 50, 40, 30},
			With:    [Labels]int{250, 220, 90, 60, 20, 50},
		}
	}
	for b.Loop() {
		NewFieldEffect(strata, 1)
	}
}
