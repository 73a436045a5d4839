package main

import (
	"math"
	"math/rand/v2"

	"errata/metrics/stats"
)

const (
	meanErrors  = 4.0
	correlation = 0.4
	looks       = 100
)

// urn draws the hits of one run: beta-binomial with the given mean and
// correlation inside the run, as Pólya's urn, which needs no beta draw.
type urn struct {
	hits float64
	all  float64
}

func newUrn(rate float64) urn {
	all := (1 - correlation) / correlation
	return urn{hits: rate * all, all: all}
}

// run is what one simulated run shows.
type run struct {
	errors, hits float64
	firstHit     bool
}

// draw plays one run: a geometric number of errors, each a hit or not.
func (u urn) draw(r *rand.Rand) run {
	var out run
	for {
		if r.Float64()*(u.all+out.errors) < u.hits+out.hits {
			out.hits++
			out.firstHit = out.firstHit || out.errors == 0
		}
		out.errors++
		if r.Float64() < 1/meanErrors {
			return out
		}
	}
}

// moments plays n runs and sums hits per error.
func (u urn) moments(r *rand.Rand, n int) stats.Moments {
	var m stats.Moments
	for range n {
		d := u.draw(r)
		m.Add(d.errors, d.hits)
	}
	return m
}

// lookSizes are the sizes of the growing arm at which it is looked at, evenly
// spaced on a logarithmic scale, the first and last as given.
func lookSizes(first, last int) []int {
	sizes := make([]int, 0, looks)
	for i := range looks {
		share := float64(i) / (looks - 1)
		n := int(math.Round(float64(first) * math.Pow(float64(last)/float64(first), share)))
		if len(sizes) > 0 && n <= sizes[len(sizes)-1] {
			n = sizes[len(sizes)-1] + 1
		}
		sizes = append(sizes, n)
	}
	return sizes
}
