package ask

import (
	"context"

	"errata/metrics/stats"
)

// NextActions is what agents did after an error, and whether they did what it asked for. Counts are of all that is known
// at as_of, shares of the Mature errored calls.
type NextActions struct {
	By       Group `json:"by"`
	Runs     int64 `json:"runs"`
	Errored  int64 `json:"errored"`
	Labelled int64 `json:"labelled"`
	Maturing int64 `json:"maturing"`
	Mature   int64 `json:"mature"`

	Repeat    int64 `json:"repeat"`
	Corrected int64 `json:"corrected"`
	Switched  int64 `json:"switched"`
	Replied   int64 `json:"replied"`
	User      int64 `json:"user"`
	Ended     int64 `json:"ended"`

	RepeatShare    *float64 `json:"repeat_share"`
	RepeatLow      *float64 `json:"repeat_low"`
	RepeatHigh     *float64 `json:"repeat_high"`
	CorrectedShare *float64 `json:"corrected_share"`
	CorrectedLow   *float64 `json:"corrected_low"`
	CorrectedHigh  *float64 `json:"corrected_high"`
	SwitchedShare  *float64 `json:"switched_share"`
	SwitchedLow    *float64 `json:"switched_low"`
	SwitchedHigh   *float64 `json:"switched_high"`
	RepliedShare   *float64 `json:"replied_share"`
	RepliedLow     *float64 `json:"replied_low"`
	RepliedHigh    *float64 `json:"replied_high"`
	UserShare      *float64 `json:"user_share"`
	UserLow        *float64 `json:"user_low"`
	UserHigh       *float64 `json:"user_high"`
	EndedShare     *float64 `json:"ended_share"`
	EndedLow       *float64 `json:"ended_low"`
	EndedHigh      *float64 `json:"ended_high"`

	// Errors that asked the model to stop or to retry, and were followed by that or not.
	Obeyed      int64    `json:"obeyed"`
	Disobeyed   int64    `json:"disobeyed"`
	ObeyedShare *float64 `json:"obeyed_share"`
	ObeyedLow   *float64 `json:"obeyed_low"`
	ObeyedHigh  *float64 `json:"obeyed_high"`

	// The same shares apart, each beside that of the errors of the same tools which asked for nothing.
	StopAsked  int64    `json:"stop_asked"`
	StopDone   int64    `json:"stop_done"`
	StopShare  *float64 `json:"stop_share"`
	StopBase   *float64 `json:"stop_base_share"`
	RetryAsked int64    `json:"retry_asked"`
	RetryDone  int64    `json:"retry_done"`
	RetryShare *float64 `json:"retry_share"`
	RetryBase  *float64 `json:"retry_base_share"`

	// Errors that asked for a pause and were followed by the same call. There is no base: without a pause asked for
	// there is none to honour.
	Honoured      int64    `json:"honoured"`
	NotHonoured   int64    `json:"not_honoured"`
	HonouredShare *float64 `json:"honoured_share"`
}

// nextActionsRow is a row of next_actions.sql.
type nextActionsRow struct {
	group
	moments
	Runs          int64     `ch:"runs"`
	Errored       int64     `ch:"errored"`
	Mature        int64     `ch:"mature"`
	Labels        []int64   `ch:"labels"`
	Obeyed        int64     `ch:"obeyed"`
	Disobeyed     int64     `ch:"disobeyed"`
	Honoured      int64     `ch:"honoured"`
	NotHonoured   int64     `ch:"not_honoured"`
	LabelRuns     float64   `ch:"label_runs"`
	LabelXX       float64   `ch:"label_xx"`
	LabelY        []float64 `ch:"label_y"`
	LabelXY       []float64 `ch:"label_xy"`
	LabelYY       []float64 `ch:"label_yy"`
	StopAsked     []int64   `ch:"stop_asked"`
	StopDone      []int64   `ch:"stop_done"`
	RetryAsked    []int64   `ch:"retry_asked"`
	RetryDone     []int64   `ch:"retry_done"`
	Others        []int64   `ch:"others"`
	OthersStopped []int64   `ch:"others_stopped"`
	OthersRetried []int64   `ch:"others_retried"`
}

// labelCount is the number of labels.
const labelCount = 6

func (r *nextActionsRow) add(o nextActionsRow) {
	r.moments.add(o.moments)
	r.Runs += o.Runs
	r.Errored += o.Errored
	r.Mature += o.Mature
	r.Labels = addEach(r.Labels, o.Labels)
	r.Obeyed += o.Obeyed
	r.Disobeyed += o.Disobeyed
	r.Honoured += o.Honoured
	r.NotHonoured += o.NotHonoured
	r.LabelRuns += o.LabelRuns
	r.LabelXX += o.LabelXX
	r.LabelY = addEach(r.LabelY, o.LabelY)
	r.LabelXY = addEach(r.LabelXY, o.LabelXY)
	r.LabelYY = addEach(r.LabelYY, o.LabelYY)
	r.StopAsked = append(r.StopAsked, o.StopAsked...)
	r.StopDone = append(r.StopDone, o.StopDone...)
	r.RetryAsked = append(r.RetryAsked, o.RetryAsked...)
	r.RetryDone = append(r.RetryDone, o.RetryDone...)
	r.Others = append(r.Others, o.Others...)
	r.OthersStopped = append(r.OthersStopped, o.OthersStopped...)
	r.OthersRetried = append(r.OthersRetried, o.OthersRetried...)
}

// addEach adds lists of the same places; none adds nothing.
func addEach[N int64 | float64](to, other []N) []N {
	if len(to) == 0 {
		return other
	}
	for i, n := range other {
		to[i] += n
	}
	return to
}

// NextActions asks what agents do next after an error.
func (db *DB) NextActions(ctx context.Context, f Filters) (Answer[NextActions], error) {
	f, _, err := db.settled(ctx, f)
	if err != nil {
		return Answer[NextActions]{}, err
	}
	rows, q, err := readSum[nextActionsRow](ctx, db, "next_actions.sql", f.parameters(db.settings))
	if err != nil {
		return Answer[NextActions]{}, err
	}
	if len(rows) == 0 && len(f.By) == 0 {
		rows = []nextActionsRow{{
			Labels: make([]int64, labelCount), LabelY: make([]float64, labelCount),
			LabelXY: make([]float64, labelCount), LabelYY: make([]float64, labelCount),
		}}
	}
	a := answer[NextActions](f, q)
	for _, row := range rows {
		a.Rows = append(a.Rows, row.result(f))
	}
	return a, nil
}

// label is the share of one label.
func (r nextActionsRow) label(i int) stats.Share {
	return stats.Moments{
		Runs: r.LabelRuns, X: float64(r.Mature), Y: r.LabelY[i], XX: r.LabelXX, XY: r.LabelXY[i], YY: r.LabelYY[i],
	}.Share()
}

func (r nextActionsRow) result(f Filters) NextActions {
	n := NextActions{
		By: r.by(f.By), Runs: r.Runs, Errored: r.Errored, Labelled: total(r.Labels), Maturing: r.Errored - r.Mature, Mature: r.Mature,
		Repeat: r.Labels[0], Corrected: r.Labels[1], Switched: r.Labels[2], Replied: r.Labels[3], User: r.Labels[4], Ended: r.Labels[5],
		Obeyed: r.Obeyed, Disobeyed: r.Disobeyed, Honoured: r.Honoured, NotHonoured: r.NotHonoured,
		StopAsked: total(r.StopAsked), StopDone: total(r.StopDone), StopBase: base(r.StopAsked, r.Others, r.OthersStopped),
		RetryAsked: total(r.RetryAsked), RetryDone: total(r.RetryDone), RetryBase: base(r.RetryAsked, r.Others, r.OthersRetried),
	}
	for i, to := range []struct{ share, low, high **float64 }{
		{&n.RepeatShare, &n.RepeatLow, &n.RepeatHigh},
		{&n.CorrectedShare, &n.CorrectedLow, &n.CorrectedHigh},
		{&n.SwitchedShare, &n.SwitchedLow, &n.SwitchedHigh},
		{&n.RepliedShare, &n.RepliedLow, &n.RepliedHigh},
		{&n.UserShare, &n.UserLow, &n.UserHigh},
		{&n.EndedShare, &n.EndedLow, &n.EndedHigh},
	} {
		share := r.label(i)
		*to.share, *to.low, *to.high = share.Value, share.Low, share.High
	}
	obeyed := r.share()
	n.ObeyedShare, n.ObeyedLow, n.ObeyedHigh = obeyed.Value, obeyed.Low, obeyed.High
	n.StopShare, n.RetryShare = ratio(n.StopDone, n.StopAsked), ratio(n.RetryDone, n.RetryAsked)
	n.HonouredShare = ratio(n.Honoured, n.Honoured+n.NotHonoured)
	return n
}

func total(counts []int64) int64 {
	sum := int64(0)
	for _, n := range counts {
		sum += n
	}
	return sum
}

// base is the share of others that did the same without being asked, tool by tool, each tool weighing as much as it has
// errors that asked. Tools without others have no base and weigh nothing.
func base(asked, others, did []int64) *float64 {
	weights, sum := int64(0), 0.
	for i, weight := range asked {
		if others[i] == 0 {
			continue
		}
		weights += weight
		sum += float64(weight) * float64(did[i]) / float64(others[i])
	}
	if weights == 0 {
		return nil
	}
	share := sum / float64(weights)
	return &share
}
