package metrics

// The periods of cycles: how many calls there are until they come again.
const (
	minPeriod = 2
	maxPeriod = 4
)

// followCycles looks at the last call of the trail: for each period, does it equal the call a period before? A stretch of
// calls that do, together with the period before the first of them, is a maximal repetition in the sense of Kolpakov and
// Kucherov (1999); it ends where one does not.
func (s *threadState) followCycles() {
	end := len(s.trail.path) - 1
	for period := minPeriod; period <= maxPeriod; period++ {
		if end >= period && s.sameStep(end-period, end) {
			s.trail.cycles[period]++
			continue
		}
		s.patterns = append(s.patterns, s.cycleFacts(period, end)...)
		s.trail.cycles[period] = 0
	}
}

// sameStep tells whether two positions of the trail hold identical calls with the same outcome.
func (s *threadState) sameStep(a, b int) bool {
	x, y := &s.calls[s.trail.path[a]].fact, &s.calls[s.trail.path[b]].fact
	return x.Hash == y.Hash && x.Outcome == y.Outcome
}

// cycleFacts is the fact of the stretch of a period that ends before a position of the trail, if it is a cycle: two whole
// periods at least, the period its smallest, two distinct calls, one that fails. A period begun again at its end is part
// of the stretch. Tool and code are those of its first failing call.
func (s *threadState) cycleFacts(period, end int) []PatternFact {
	length := s.trail.cycles[period] + period
	if length < 2*period || end <= s.trail.fresh || s.trail.replay {
		return nil
	}
	start := end - length
	if s.hasSmallerPeriod(start, period) {
		return nil
	}
	first := &s.calls[s.trail.path[start]].fact
	var failing *CallFact
	distinct := false
	for i := start; i < start+period; i++ {
		c := &s.calls[s.trail.path[i]]
		distinct = distinct || c.fact.Hash != first.Hash
		if failing == nil && c.errored() {
			failing = &c.fact
		}
	}
	if failing == nil || !distinct {
		return nil
	}
	fact := patternAt(PatternCycle, first, length)
	fact.Tool, fact.Code = failing.Tool, failing.Folded
	return []PatternFact{fact}
}

// hasSmallerPeriod tells whether the calls from start on repeat sooner than after the period. In a stretch of two periods
// or more that is so exactly when a divisor of the period is one too (Fine and Wilf).
func (s *threadState) hasSmallerPeriod(start, period int) bool {
	for divisor := 1; divisor <= period/2; divisor++ {
		if period%divisor != 0 {
			continue
		}
		same := true
		for i := start; i+divisor < start+period; i++ {
			same = same && s.sameStep(i, i+divisor)
		}
		if same {
			return true
		}
	}
	return false
}
