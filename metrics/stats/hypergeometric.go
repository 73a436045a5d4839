package stats

import (
	"math"
	"math/rand/v2"
)

// sampler draws tables with fixed margins. Drawing the counts directly costs
// the square root of what shuffling runs would.
type sampler struct {
	random *rand.Rand
	logs   []float64 // ln n! for n up to the largest stratum
}

// logFactorials is ln n! for 0 … n.
func logFactorials(n int) []float64 {
	logs := make([]float64, n+1)
	for i := 2; i <= n; i++ {
		logs[i] = logs[i-1] + math.Log(float64(i))
	}
	return logs
}

// permute deals the stratum's presence out over its runs and adds the table.
func (s sampler) permute(st stratum, without, with *[Labels]int) {
	runs, left := st.runs, st.with
	for l, n := range st.labels {
		taken := s.draw(runs, n, left)
		with[l] += taken
		without[l] += n - taken
		runs -= n
		left -= taken
	}
}

// draw is the number of marked ones, of which there are marked among all,
// when taking some without replacement: hypergeometric, by inversion outwards
// from the mode.
func (s sampler) draw(all, marked, taking int) int {
	low, high := max(0, taking+marked-all), min(taking, marked)
	if low == high {
		return low
	}
	mode := int(float64(taking+1) * float64(marked+1) / float64(all+2))
	mode = min(max(mode, low), high)
	p := math.Exp(s.logChoose(marked, mode) + s.logChoose(all-marked, taking-mode) - s.logChoose(all, taking))
	u := s.random.Float64() - p
	up, down, pUp, pDown := mode, mode, p, p
	for u >= 0 && (up < high || down > low) {
		if up < high {
			pUp *= float64(marked-up) * float64(taking-up) / (float64(up+1) * float64(all-marked-taking+up+1))
			up++
			if u -= pUp; u < 0 {
				return up
			}
		}
		if down > low {
			pDown *= float64(down) * float64(all-marked-taking+down) / (float64(marked-down+1) * float64(taking-down+1))
			down--
			if u -= pDown; u < 0 {
				return down
			}
		}
	}
	return mode
}

// logChoose is ln of n over k.
func (s sampler) logChoose(n, k int) float64 {
	return s.logs[n] - s.logs[k] - s.logs[n-k]
}
