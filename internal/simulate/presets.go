package simulate

import "time"

// Demo is what a first start shows: the two weeks up to now, about 3,000 runs.
func Demo(now time.Time) Config {
	c := Default()
	c.Start = now.UTC().Truncate(time.Second).AddDate(0, 0, -c.Days)
	return c
}

// Small is enough for a test: two days with some fifty runs that hold more
// faults than usual.
func Small() Config {
	c := Default()
	c.Start = time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC)
	c.Days, c.RunsPerDay, c.OpenRuns, c.Delegates = 2, 25, 3, 0.15
	for name, w := range c.Ways {
		w.Faulty = 0.5
		c.Ways[name] = w
	}
	return c
}
