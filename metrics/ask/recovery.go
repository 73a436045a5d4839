package ask

import (
	"context"
	"strconv"

	"errata/metrics/stats"
)

// Recovery is what became of episodes. Counts are of all that is known at as_of; shares, quantiles and the curve rest on
// the mature episodes, as many as Mature says.
type Recovery struct {
	By                Group `json:"by"`
	Runs              int64 `json:"runs"`
	Episodes          int64 `json:"episodes"`
	Maturing          int64 `json:"maturing"`
	Mature            int64 `json:"mature"`
	Recovered         int64 `json:"recovered"`
	RecoveredWithUser int64 `json:"recovered_with_user"`
	Abandoned         int64 `json:"abandoned"`
	Open              int64 `json:"open"`

	// Reasons counts the abandoned ones by reason, Attempts and Turns the recovered ones of both kinds by number.
	Reasons  map[string]int64 `json:"reasons"`
	Attempts map[string]int64 `json:"attempts"`
	Turns    map[string]int64 `json:"turns"`

	// The shares, read off the cumulative incidence, each with its interval over runs.
	stats.Recovery
	Within3Low   *float64 `json:"le3_low"`
	Within3High  *float64 `json:"le3_high"`
	From4To7Low  *float64 `json:"f4_7_low"`
	From4To7High *float64 `json:"f4_7_high"`
	From8Low     *float64 `json:"ge8_low"`
	From8High    *float64 `json:"ge8_high"`
	WithUserLow  *float64 `json:"with_user_low"`
	WithUserHigh *float64 `json:"with_user_high"`
	NeverLow     *float64 `json:"never_low"`
	NeverHigh    *float64 `json:"never_high"`

	AttemptsP50 stats.Number `json:"attempts_p50"`
	AttemptsP90 stats.Number `json:"attempts_p90"`
	AttemptsP95 stats.Number `json:"attempts_p95"`
	AttemptsP99 stats.Number `json:"attempts_p99"`
	TurnsP50    stats.Number `json:"turns_p50"`
	TurnsP90    stats.Number `json:"turns_p90"`
	TurnsP95    stats.Number `json:"turns_p95"`
	TurnsP99    stats.Number `json:"turns_p99"`

	// AttemptsSpread and TurnsSpread are the quantiles' intervals, from P50 to P99.
	AttemptsSpread []stats.Quantile `json:"attempts_quantiles"`
	TurnsSpread    []stats.Quantile `json:"turns_quantiles"`

	Incidence []stats.Point `json:"incidence"`
}

// incidenceLimit is the number of attempts that a curve is drawn for.
const incidenceLimit = 200

// recoveryRow is a row of recovery.sql.
type recoveryRow struct {
	group
	Shape    string   `ch:"shape"`
	Outcomes []uint64 `ch:"outcomes"`
	Times    int64    `ch:"times"`
}

// Recovery asks what became of episodes.
func (db *DB) Recovery(ctx context.Context, f Filters) (Answer[Recovery], error) {
	f, _, err := db.settled(ctx, f)
	if err != nil {
		return Answer[Recovery]{}, err
	}
	rows, q, err := read[recoveryRow](ctx, db, "recovery.sql", f.parameters(db.settings))
	if err != nil {
		return Answer[Recovery]{}, err
	}
	a := answer[Recovery](f, q)
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].group == rows[0].group {
			n++
		}
		a.Rows = append(a.Rows, recovery(f, rows[:n]))
		rows = rows[n:]
	}
	if len(a.Rows) == 0 && len(f.By) == 0 {
		a.Rows = append(a.Rows, recovery(f, []recoveryRow{{}}))
	}
	return a, nil
}

// recovery makes one group's result of its rows.
func recovery(f Filters, rows []recoveryRow) Recovery {
	r := Recovery{
		By:      rows[0].by(f.By),
		Reasons: map[string]int64{}, Attempts: map[string]int64{}, Turns: map[string]int64{},
	}
	var attempts, turns stats.Cohort
	for _, row := range rows {
		switch row.Shape {
		case "episodes":
			r.count(row)
		case "attempts":
			r.Runs += row.Times
			attempts = append(attempts, row.pattern())
		case "turns":
			turns = append(turns, row.pattern())
		}
	}
	r.estimate(attempts.Curve(), turns.Curve())
	return r
}

// The numbers that the tables give endings and reasons.
const (
	endRecovered         = 1
	endRecoveredWithUser = 2
	endAbandoned         = 3
)

// reasons are named by their number; an abandoned episode without one just stopped.
var reasons = [...]string{"stopped", "turn_limit", "cut_off", "user_left", "moved_on", "handed_to_user", "stopped"}

// count takes in one kind of episode.
func (r *Recovery) count(row recoveryRow) {
	end, why, attempts, turns, mature := row.Outcomes[0], row.Outcomes[1], row.Outcomes[2], row.Outcomes[3], row.Outcomes[4]
	r.Episodes += row.Times
	if mature == 1 {
		r.Mature += row.Times
	} else {
		r.Maturing += row.Times
	}
	switch end {
	case endRecovered:
		r.Recovered += row.Times
	case endRecoveredWithUser:
		r.RecoveredWithUser += row.Times
	case endAbandoned:
		r.Abandoned += row.Times
		r.Reasons[reasons[why]] += row.Times
		return
	default:
		r.Open += row.Times
		return
	}
	r.Attempts[strconv.FormatUint(attempts, 10)] += row.Times
	r.Turns[strconv.FormatUint(turns, 10)] += row.Times
}

// pattern is the row as a number of runs with equal outcomes.
func (row recoveryRow) pattern() stats.Pattern {
	outcomes := make([]stats.Outcome, len(row.Outcomes))
	for i, packed := range row.Outcomes {
		outcomes[i] = stats.Outcome{Attempts: int(packed >> 3), End: ends[packed&7]}
	}
	return stats.Pattern{Runs: int(row.Times), Outcomes: outcomes}
}

var ends = [8]stats.End{
	endRecovered:         stats.Recovered,
	endRecoveredWithUser: stats.RecoveredWithUser,
	endAbandoned:         stats.Abandoned,
}

// estimate reads shares, quantiles and the curve off the two curves.
func (r *Recovery) estimate(attempts, turns *stats.Curve) {
	r.Recovery = attempts.Recovery()
	r.Within3Low, r.Within3High = bounds(attempts, stats.Within3)
	r.From4To7Low, r.From4To7High = bounds(attempts, stats.From4To7)
	r.From8Low, r.From8High = bounds(attempts, stats.From8)
	r.WithUserLow, r.WithUserHigh = bounds(attempts, stats.WithUser)
	r.NeverLow, r.NeverHigh = bounds(attempts, stats.Never)

	r.AttemptsSpread, r.TurnsSpread = quantiles(attempts), quantiles(turns)
	for i, value := range []*stats.Number{&r.AttemptsP50, &r.AttemptsP90, &r.AttemptsP95, &r.AttemptsP99} {
		*value = r.AttemptsSpread[i].Value
	}
	for i, value := range []*stats.Number{&r.TurnsP50, &r.TurnsP90, &r.TurnsP95, &r.TurnsP99} {
		*value = r.TurnsSpread[i].Value
	}
	r.Incidence = attempts.Points(incidenceLimit)
}

func bounds(c *stats.Curve, w stats.Window) (low, high *float64) {
	i := c.Interval(w)
	return i.Low, i.High
}

func quantiles(c *stats.Curve) []stats.Quantile {
	values := make([]stats.Quantile, 0, 4)
	for _, q := range []float64{.50, .90, .95, .99} {
		values = append(values, c.Quantile(q))
	}
	return values
}
