package web

import (
	"strings"
	"time"

	"errata/metrics/ask"
	"errata/web/ui"
)

// sparks draws the five numbers on top over one and the same time, with the cutovers in it. Counts of a stretch that the
// window cuts off are left out: they would look like a fall.
func (q *request) sparks(cards []ui.Figure, got overviewAnswers, window ask.Filters) {
	if len(cards) != 5 {
		return
	}
	g := q.grain()
	lines := [5]map[time.Time]*float64{{}, {}, {}, {}, {}}
	var starts []time.Time
	if got.days.ok() {
		var days []ask.Loops
		days, starts = every(g, got.days.Rows, loopsGroup)
		for i, l := range days {
			if l.Runs >= leastPointRuns {
				lines[1][starts[i]] = errorShare(l)
			}
			if l.By == nil {
				l.Calls = new(int64) // a stretch without a row is one without a call
			}
			if !g.partly(starts[i], window) {
				lines[0][starts[i]] = float(l.Calls)
			}
		}
		for _, p := range loopPoints(g, got.days.Rows) {
			lines[2][p.starts] = p.shown().rate
		}
	}
	if got.recoveries.ok() {
		for _, p := range neverPoints(g, got.recoveries.Rows) {
			lines[3][p.starts] = p.shown().rate
		}
	}
	if got.costs.ok() {
		costs, at := every(g, got.costs.Rows, costGroup)
		for i, c := range costs {
			if tokens := float64(c.Tokens); !g.partly(at[i], window) {
				lines[4][at[i]] = &tokens
			}
		}
	}
	word := strings.ToLower(g.head)
	for i, name := range []string{"Calls by ", "Failed calls by ", "Loop rate by ", "Never recovered by ", "Tokens spent on recovery by "} {
		values := make([]*float64, len(starts))
		for j, at := range starts {
			values[j] = lines[i][at]
		}
		cards[i].Spark = ui.NewSpark(name+word, values)
		q.tick(cards[i].Spark, overTime{g, starts}, got)
	}
}

// tick puts the cutovers into a spark, whose values stand for the middles of their stretches.
func (q *request) tick(s *ui.Spark, o overTime, got overviewAnswers) {
	if len(o.starts) < 2 || !got.cutovers.ok() {
		return
	}
	first := o.starts[0].Add(o.grain.step / 2)
	long := o.starts[len(o.starts)-1].Sub(o.starts[0])
	for _, m := range o.among(got.cutovers.Rows) {
		s.Mark(float64(m.At.Sub(first))/float64(long), ui.Visible(m.Name)+", "+ui.Minute(m.At)+" UTC")
	}
}

func float(n *int64) *float64 {
	if n == nil {
		return nil
	}
	v := float64(*n)
	return &v
}
