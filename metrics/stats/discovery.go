package stats

import (
	"math"
	"slices"
)

// EBH is the e-BH procedure: which hypotheses are rejected at false discovery
// rate alpha, however their e-values depend on each other. With the e-values
// in falling order, the first k are rejected for the greatest k whose k-th is
// at least K/(α·k). Source: Wang & Ramdas, JRSS-B 84(3), 2022,
// arXiv 2009.02824.
func EBH(evidence []float64, alpha float64) []bool {
	falling := slices.Clone(evidence)
	slices.SortFunc(falling, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	threshold := math.Inf(1)
	for k := len(falling); k > 0; k-- {
		if needed := float64(len(falling)) / (alpha * float64(k)); falling[k-1] >= needed {
			threshold = needed
			break
		}
	}
	rejected := make([]bool, len(evidence))
	for i, e := range evidence {
		rejected[i] = e >= threshold
	}
	return rejected
}

// BenjaminiHochberg says which p-values are rejected at false discovery rate
// q. Source: Benjamini & Hochberg 1995.
func BenjaminiHochberg(ps []float64, q float64) []bool {
	rising := slices.Sorted(slices.Values(ps))
	threshold := -1.0
	for k := len(rising); k > 0; k-- {
		if limit := q * float64(k) / float64(len(rising)); rising[k-1] <= limit {
			threshold = rising[k-1]
			break
		}
	}
	rejected := make([]bool, len(ps))
	for i, p := range ps {
		rejected[i] = p <= threshold
	}
	return rejected
}
