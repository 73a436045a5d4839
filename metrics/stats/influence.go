package stats

import "sort"

// influence is IF_i(k) of F for the given ends, one value per kind of outcome:
//
//	IF_i(k) = Σ_{j≤k} S(j−1)·(N1_ij − Y_ij·h1_j)/n_j
//	        − Σ_{j≤k} (F(k) − F(j))·(N_ij − Y_ij·h_j)/(n_j(1−h_j))
//
// where the second term is 0 for h_j = 1. The parts with Y_ij are sums over
// the steps up to the exit, so three running sums serve all outcomes.
func (c *Curve) influence(ends End, k int) []float64 {
	values := make([]float64, len(c.kinds))
	if k < 1 {
		return values
	}
	total := c.incidence(ends, k)
	running := c.runningSums(ends, k)
	for i, o := range c.kinds {
		r := running.through(o.exit)
		values[i] = total*r.leaving - r.leavingAfter - r.entering
		if o.end == Open || o.exit > k || len(running) == 0 {
			continue
		}
		if o.end&ends != 0 {
			values[i] += r.own
		}
		values[i] -= (total - r.reached) * r.leave
	}
	return values
}

// running holds, through one step of the curve, the sums that influences are
// made of.
type running struct {
	at           int
	entering     float64 // Σ S(j−1)·h1_j/n_j
	leaving      float64 // Σ h_j/(n_j(1−h_j))
	leavingAfter float64 // Σ F(j)·h_j/(n_j(1−h_j))
	own          float64 // S(j−1)/n_j of this step
	leave        float64 // 1/(n_j(1−h_j)) of this step, 0 where h_j = 1
	reached      float64 // F(j)
}

type runningSums []running

// runningSums computes the sums for the steps up to k.
func (c *Curve) runningSums(ends End, k int) runningSums {
	sums := make(runningSums, 0, len(c.steps))
	var now running
	for _, s := range c.steps {
		if s.at > k {
			break
		}
		all, wanted := s.ended(allEnds), s.ended(ends)
		now.at = s.at
		now.reached += s.before * wanted / s.atRisk
		now.own = s.before / s.atRisk
		now.entering += now.own * wanted / s.atRisk
		now.leave = 0
		if all < s.atRisk {
			now.leave = 1 / (s.atRisk - all)
			now.leaving += now.leave * all / s.atRisk
			now.leavingAfter += now.reached * now.leave * all / s.atRisk
		}
		sums = append(sums, now)
	}
	return sums
}

// through is the state after the last step that is not beyond exit.
func (r runningSums) through(exit int) running {
	after := sort.Search(len(r), func(i int) bool { return r[i].at > exit })
	if after == 0 {
		return running{}
	}
	return r[after-1]
}
