package stats

import (
	"math"
	"math/rand/v2"
)

// Labels is the number of next-action labels.
const Labels = 6

// FieldCounts are the runs of one stratum, a variant × tool, by the label of
// their first error of the code, without and with the field in it. One error a
// run, so that the runs can be permuted.
type FieldCounts struct {
	Without [Labels]int
	With    [Labels]int
}

// FieldEffect is how the labels of errors with a field differ from those
// without it.
type FieldEffect struct {
	Without int
	With    int
	// SharesWithout and SharesWith are nil where there is no such error.
	SharesWithout []float64
	SharesWith    []float64
	ChiSquare     float64
	// P is the permutation p-value, nil where all or none have the field.
	P *float64
	// Unchanged says that every share's difference lies within ± 5 points
	// with 90 % confidence, which is what "changes nothing" needs.
	Unchanged bool
}

// Permutations is how often the presence of a field is reshuffled.
const Permutations = 9999

// equivalence is the difference of a share that counts as none.
const equivalence = 0.05

// NewFieldEffect tests a field of one code: χ² over the six labels against
// random permutations of the field's presence over the runs of each stratum,
// p = (1 + #≥)/(1 + Permutations). Equal seeds give equal results.
//
// Sources: Phipson & Smyth 2010 for the p-value; Schuirmann 1987 for two
// one-sided tests as a 90 % interval.
func NewFieldEffect(strata []FieldCounts, seed uint64) FieldEffect {
	var without, with [Labels]int
	for _, s := range strata {
		for l := range Labels {
			without[l] += s.Without[l]
			with[l] += s.With[l]
		}
	}
	e := FieldEffect{Without: total(without), With: total(with)}
	e.SharesWithout, e.SharesWith = shares(without), shares(with)
	if e.Without == 0 || e.With == 0 {
		return e
	}
	e.ChiSquare = chiSquare(without, with)
	e.Unchanged = e.unchanged(without, with)
	p := permutationP(strata, e.ChiSquare, seed)
	e.P = &p
	return e
}

// unchanged holds every label's difference against the margin.
func (e FieldEffect) unchanged(without, with [Labels]int) bool {
	for l := range Labels {
		i := Newcombe(
			Proportion{Hits: float64(without[l]), Runs: float64(e.Without)},
			Proportion{Hits: float64(with[l]), Runs: float64(e.With)}, .90)
		if *i.Low < -equivalence || *i.High > equivalence {
			return false
		}
	}
	return true
}

// total is the number of runs over all labels.
func total(counts [Labels]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

// shares turns counts into shares of their total.
func shares(counts [Labels]int) []float64 {
	n := total(counts)
	if n == 0 {
		return nil
	}
	s := make([]float64, Labels)
	for l, c := range counts {
		s[l] = float64(c) / float64(n)
	}
	return s
}

// chiSquare is Pearson's statistic of the 2 × 6 table.
func chiSquare(without, with [Labels]int) float64 {
	na, nb := float64(total(without)), float64(total(with))
	sum := 0.0
	for l := range Labels {
		a, b := float64(without[l]), float64(with[l])
		if a+b == 0 {
			continue
		}
		// The two cells of a column deviate by the same amount.
		expected := (a + b) * na / (na + nb)
		deviation := a - expected
		sum += deviation * deviation * (1/expected + 1/(a+b-expected))
	}
	return sum
}

// permutationP draws tables with the margins of every stratum held, which is
// what permuting the presence within strata amounts to, and counts those at
// least as extreme as the observed one.
func permutationP(strata []FieldCounts, observed float64, seed uint64) float64 {
	var fixedWithout, fixedWith [Labels]int
	var mixed []stratum
	largest := 0
	for _, s := range strata {
		if total(s.With) > 0 && total(s.Without) > 0 {
			mixed = append(mixed, newStratum(s))
			largest = max(largest, total(s.With)+total(s.Without))
			continue
		}
		for l := range Labels {
			fixedWithout[l] += s.Without[l]
			fixedWith[l] += s.With[l]
		}
	}
	draw := sampler{random: rand.New(rand.NewPCG(seed, uint64(largest))), logs: logFactorials(largest)}
	// Equal tables must count as equal whatever the order of their sums.
	observed -= 1e-9 * math.Max(1, observed)
	count := 1
	for range Permutations {
		without, with := fixedWithout, fixedWith
		for _, s := range mixed {
			draw.permute(s, &without, &with)
		}
		if chiSquare(without, with) >= observed {
			count++
		}
	}
	return float64(count) / (1 + Permutations)
}

// stratum is what permutations hold fixed.
type stratum struct {
	labels [Labels]int
	runs   int
	with   int
}

func newStratum(c FieldCounts) stratum {
	s := stratum{with: total(c.With)}
	for l := range Labels {
		s.labels[l] = c.With[l] + c.Without[l]
		s.runs += s.labels[l]
	}
	return s
}

// FieldVerdict is what is said about a field of a code.
type FieldVerdict string

// The verdicts on a field.
const (
	FieldChanges       FieldVerdict = "changes"
	FieldChangesNone   FieldVerdict = "changes nothing"
	FieldNotShown      FieldVerdict = "no difference shown"
	FieldNotComparable FieldVerdict = ""
)

// MarshalJSON writes a field that cannot be compared as null.
func (v FieldVerdict) MarshalJSON() ([]byte, error) {
	return Verdict(v).MarshalJSON()
}

// JudgeFields gives all (code, field) pairs shown their verdicts together: a
// difference counts where Benjamini–Hochberg rejects at 5 % over all of them.
func JudgeFields(effects []FieldEffect) []FieldVerdict {
	var at []int
	var ps []float64
	for i, e := range effects {
		if e.P != nil {
			at = append(at, i)
			ps = append(ps, *e.P)
		}
	}
	verdicts := make([]FieldVerdict, len(effects))
	for i, rejected := range BenjaminiHochberg(ps, Alpha) {
		switch {
		case rejected:
			verdicts[at[i]] = FieldChanges
		case effects[at[i]].Unchanged:
			verdicts[at[i]] = FieldChangesNone
		default:
			verdicts[at[i]] = FieldNotShown
		}
	}
	return verdicts
}
