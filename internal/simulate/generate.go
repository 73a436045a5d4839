package simulate

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// quiet is how long before the end a run that has ended must have started: no
// run takes as long.
const quiet = 45 * time.Minute

// Generate gives the runs of the configuration one by one, in the order of
// their start, those that are still under way last. It holds one run at a time.
// The configuration must be one that Check has nothing against.
func Generate(cfg Config) iter.Seq[Run] {
	return func(yield func(Run) bool) {
		for _, from := range schedule(&cfg) {
			if !yield(write(&cfg, plan(&cfg, from))) {
				return
			}
		}
	}
}

// write gives a planned run its records, in the form of its model.
func write(cfg *Config, p *script) Run {
	return Run{ID: p.truth.RunID, Truth: p.truth, cfg: cfg, plan: p}.in(p.model.Form)
}

// schedule settles when which run starts and what it sees.
func schedule(cfg *Config) []start {
	rng := rand.New(rand.NewPCG(cfg.Seed, 0))
	var list []start
	for day := range cfg.Days {
		from := cfg.Start.Add(time.Duration(day) * 24 * time.Hour)
		heat := math.Exp(cfg.Variation*rng.NormFloat64() - cfg.Variation*cfg.Variation/2)
		for range runsOn(cfg, rng, from) {
			at := timeOfDay(rng, from)
			if at.After(cfg.End().Add(-quiet)) {
				at = at.Add(-quiet)
			}
			list = append(list, start{at: at, heat: heat})
		}
	}
	slices.SortStableFunc(list, func(a, b start) int { return a.at.Compare(b.at) })
	for i := range list {
		list[i].index = i
		variants(cfg, rng, &list[i])
	}
	return append(list, openRuns(cfg, rng, len(list))...)
}

// runsOn is the number of runs of a day.
func runsOn(cfg *Config, rng *rand.Rand, day time.Time) int {
	n := float64(cfg.RunsPerDay) * math.Exp(0.1*rng.NormFloat64())
	if d := day.Weekday(); d == time.Saturday || d == time.Sunday {
		n *= cfg.Weekend
	}
	return int(math.Round(n))
}

// timeOfDay draws a moment within the 24 hours from the given one, by day more
// often than by night.
func timeOfDay(rng *rand.Rand, from time.Time) time.Time {
	for {
		at := from.Add(time.Duration(rng.Int64N(24*3600*1000)) * time.Millisecond)
		if h := at.UTC().Hour(); (h >= 7 && h < 21) || rng.Float64() < 0.2 {
			return at
		}
	}
}

// variants settles what the run sees, by its start.
func variants(cfg *Config, rng *rand.Rand, s *start) {
	s.variant = cfg.Before
	cutover := cfg.CutoverAt()
	if !s.at.Before(cutover) && rng.Float64() < cfg.Fraction {
		s.variant = cfg.After
	}
	if s.at.Before(cutover) && s.at.After(cutover.Add(-cfg.Straddle)) {
		s.straddle = cfg.After
	}
}

// openRuns are the newest runs, which spoke last within the two minutes before
// the end. How long a run takes shows once it is planned.
func openRuns(cfg *Config, rng *rand.Rand, index int) []start {
	var list []start
	for i := range cfg.OpenRuns {
		s := start{index: index + i, at: cfg.End(), heat: 1, open: true}
		variants(cfg, rng, &s)
		t := plan(cfg, s).truth
		silent := 5*time.Second + time.Duration(rng.Int64N(110_000))*time.Millisecond
		s.at = cfg.End().Add(-silent - t.LastActivity.Sub(t.Started))
		list = append(list, s)
	}
	return list
}
