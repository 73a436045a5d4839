package ask

import (
	"context"
	"slices"

	"errata/metrics/stats"
)

// Loops is how errored calls were followed: by the very same call again, or by something else. Counts are of all that
// is known at as_of; LoopRate and its interval rest on mature errored calls, MatureRepeats of Mature.
type Loops struct {
	By        Group  `json:"by"`
	Runs      int64  `json:"runs"`
	Calls     *int64 `json:"calls"`
	Errored   int64  `json:"errored"`
	Refused   *int64 `json:"refused"`
	Cancelled *int64 `json:"cancelled"`
	Pending   *int64 `json:"pending"`
	// ErrorShare is that of the errored calls among those with a result, ok or error.
	ErrorShare *float64 `json:"error_share"`

	Labelled  int64 `json:"labelled"`
	Maturing  int64 `json:"maturing"`
	Repeat    int64 `json:"repeat"`
	Corrected int64 `json:"corrected"`
	Switched  int64 `json:"switched"`
	Replied   int64 `json:"replied"`
	User      int64 `json:"user"`
	Ended     int64 `json:"ended"`

	Futile     int64 `json:"futile"`
	Sanctioned int64 `json:"sanctioned"`

	LoopRate      *float64 `json:"loop_rate"`
	LoopRateLow   *float64 `json:"loop_rate_low"`
	LoopRateHigh  *float64 `json:"loop_rate_high"`
	Mature        int64    `json:"mature"`
	MatureRepeats int64    `json:"mature_repeats"`

	Loops        int64 `json:"loops"`
	LongestChain int64 `json:"longest_chain"`

	// RunsWithLoop are the runs whose first counted error is a repeat. Their share rests on the mature ones, with plain
	// Wilson's interval, since it is one observation a run; and a payload that changes which errors happen moves neither
	// its denominator nor that of RepeatsPerRun, which is of all runs with a call.
	RunsWithError       int64    `json:"runs_with_error"`
	RunsWithLoop        int64    `json:"runs_with_loop"`
	MatureRunsWithError int64    `json:"mature_runs_with_error"`
	MatureRunsWithLoop  int64    `json:"mature_runs_with_loop"`
	LoopRunShare        *float64 `json:"loop_run_share"`
	LoopRunShareLow     *float64 `json:"loop_run_share_low"`
	LoopRunShareHigh    *float64 `json:"loop_run_share_high"`
	RepeatsPerRun       *float64 `json:"repeats_per_run"`

	IdleRepeats  *int64 `json:"idle_repeats"`
	StuckStreaks int64  `json:"stuck_streaks"`
	Cycles       int64  `json:"cycles"`
}

// loopsRow is a row of loops.sql.
type loopsRow struct {
	group
	moments
	CallsRuns           int64 `ch:"calls_runs"`
	Calls               int64 `ch:"calls"`
	Refused             int64 `ch:"refused"`
	Cancelled           int64 `ch:"cancelled"`
	Pending             int64 `ch:"pending"`
	Errored             int64 `ch:"errored"`
	Labelled            int64 `ch:"labelled"`
	Mature              int64 `ch:"mature"`
	Repeat              int64 `ch:"repeat"`
	Corrected           int64 `ch:"corrected"`
	Switched            int64 `ch:"switched"`
	Replied             int64 `ch:"replied"`
	User                int64 `ch:"user"`
	Ended               int64 `ch:"ended"`
	Sanctioned          int64 `ch:"sanctioned"`
	Chains              int64 `ch:"chains"`
	Longest             int64 `ch:"longest"`
	RunsWithError       int64 `ch:"runs_with_error"`
	RunsWithLoop        int64 `ch:"runs_with_loop"`
	MatureRunsWithError int64 `ch:"mature_runs_with_error"`
	MatureRunsWithLoop  int64 `ch:"mature_runs_with_loop"`
	IdleRepeats         int64 `ch:"idle_repeats"`
	StuckStreaks        int64 `ch:"stuck_streaks"`
	Cycles              int64 `ch:"cycles"`
}

func (r *loopsRow) add(o loopsRow) {
	r.moments.add(o.moments)
	r.CallsRuns += o.CallsRuns
	r.Calls += o.Calls
	r.Refused += o.Refused
	r.Cancelled += o.Cancelled
	r.Pending += o.Pending
	r.Errored += o.Errored
	r.Labelled += o.Labelled
	r.Mature += o.Mature
	r.Repeat += o.Repeat
	r.Corrected += o.Corrected
	r.Switched += o.Switched
	r.Replied += o.Replied
	r.User += o.User
	r.Ended += o.Ended
	r.Sanctioned += o.Sanctioned
	r.Chains += o.Chains
	r.Longest = max(r.Longest, o.Longest)
	r.RunsWithError += o.RunsWithError
	r.RunsWithLoop += o.RunsWithLoop
	r.MatureRunsWithError += o.MatureRunsWithError
	r.MatureRunsWithLoop += o.MatureRunsWithLoop
	r.IdleRepeats += o.IdleRepeats
	r.StuckStreaks += o.StuckStreaks
	r.Cycles += o.Cycles
}

// runs are the runs with a counted row.
func (r loopsRow) runs(f Filters) int64 {
	if f.OfACode() {
		return r.RunsWithError
	}
	return r.CallsRuns
}

// moments are the columns of a ratio's sums over runs.
type moments struct {
	MomentRuns float64 `ch:"moment_runs"`
	MomentX    float64 `ch:"moment_x"`
	MomentY    float64 `ch:"moment_y"`
	MomentXX   float64 `ch:"moment_xx"`
	MomentXY   float64 `ch:"moment_xy"`
	MomentYY   float64 `ch:"moment_yy"`
}

func (m *moments) add(o moments) {
	m.MomentRuns += o.MomentRuns
	m.MomentX += o.MomentX
	m.MomentY += o.MomentY
	m.MomentXX += o.MomentXX
	m.MomentXY += o.MomentXY
	m.MomentYY += o.MomentYY
}

func (m moments) share() stats.Share {
	return stats.Moments{
		Runs: m.MomentRuns,
		X:    m.MomentX, Y: m.MomentY,
		XX: m.MomentXX, XY: m.MomentXY, YY: m.MomentYY,
	}.Share()
}

// Loops asks how often agents send the very call again that was just refused.
func (db *DB) Loops(ctx context.Context, f Filters) (Answer[Loops], error) {
	f, _, err := db.settled(ctx, f)
	if err != nil {
		return Answer[Loops]{}, err
	}
	rows, q, err := readSum[loopsRow](ctx, db, "loops.sql", f.parameters(db.settings))
	if err != nil {
		return Answer[Loops]{}, err
	}
	rows = slices.DeleteFunc(rows, func(r loopsRow) bool { return r.runs(f) == 0 })
	if len(rows) == 0 && len(f.By) == 0 {
		rows = []loopsRow{{}}
	}
	a := answer[Loops](f, q)
	for _, row := range rows {
		a.Rows = append(a.Rows, row.result(f))
	}
	return a, nil
}

func (r loopsRow) result(f Filters) Loops {
	rate := r.share()
	looping := stats.Wilson(float64(r.MatureRunsWithLoop), float64(r.MatureRunsWithError))
	l := Loops{
		By:      r.by(f.By),
		Runs:    r.runs(f),
		Errored: r.Errored,

		Labelled:  r.Labelled,
		Maturing:  r.Errored - r.Mature,
		Repeat:    r.Repeat,
		Corrected: r.Corrected,
		Switched:  r.Switched,
		Replied:   r.Replied,
		User:      r.User,
		Ended:     r.Ended,

		Futile:     r.Repeat - r.Sanctioned,
		Sanctioned: r.Sanctioned,

		LoopRate:      rate.Value,
		LoopRateLow:   rate.Low,
		LoopRateHigh:  rate.High,
		Mature:        r.Mature,
		MatureRepeats: int64(r.MomentY),

		Loops:        r.Chains,
		LongestChain: r.Longest,

		RunsWithError:       r.RunsWithError,
		RunsWithLoop:        r.RunsWithLoop,
		MatureRunsWithError: r.MatureRunsWithError,
		MatureRunsWithLoop:  r.MatureRunsWithLoop,
		LoopRunShare:        looping.Value,
		LoopRunShareLow:     looping.Low,
		LoopRunShareHigh:    looping.High,

		StuckStreaks: r.StuckStreaks,
		Cycles:       r.Cycles,
	}
	if f.OfACode() {
		return l
	}
	l.Calls, l.Refused, l.Cancelled, l.Pending, l.IdleRepeats = &r.Calls, &r.Refused, &r.Cancelled, &r.Pending, &r.IdleRepeats
	l.ErrorShare = ratio(r.Errored, r.Calls-r.Refused-r.Cancelled-r.Pending)
	l.RepeatsPerRun = ratio(r.Repeat, l.Runs)
	return l
}
