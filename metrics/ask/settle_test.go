package ask_test

import (
	"fmt"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
)

// The view of one run settles in Go what figures settle in SQL: both must say the same of every run at every time.
func TestSettledAlike(t *testing.T) {
	f := open(t)
	var runs []metrics.Facts
	for _, timed := range []bool{true, false} {
		for _, ended := range []bool{true, false} {
			for _, active := range []time.Duration{0, 4 * time.Minute, 20 * time.Minute} {
				r := run(fmt.Sprintf("r%d", len(runs)), active)
				r.Run.Timed, r.Run.Meta.Ended, r.Run.Meta.Agent = timed, ended, fmt.Sprintf("r%d", len(runs))
				r.Calls = []metrics.CallFact{
					failed(0, "search", "bad", metrics.LabelRepeat), failed(active, "search", "bad", ""), call(active, "search", metrics.OutcomeOK),
				}
				r.Episodes = []metrics.EpisodeFact{
					episode(0, "search", "bad", metrics.EndingRecovered, 1), episode(active, "search", "bad", metrics.EndingOpen, 0),
					episode(active, "search", "bad", metrics.EndingAbandoned, 0),
				}
				r.Episodes[1].Reason = metrics.ReasonUserLeft
				runs = append(runs, r)
			}
		}
	}
	f.put(runs...)
	for _, asOf := range []time.Duration{
		0, 5*time.Minute - 1, 5 * time.Minute, 9 * time.Minute, 30 * time.Minute, 30*time.Minute + time.Millisecond,
		34*time.Minute + time.Millisecond, 50 * time.Minute, 50*time.Minute + time.Millisecond,
	} {
		filters := ask.Filters{All: true, AsOf: t0.Add(asOf), By: []string{"agent"}}
		loops, err := f.Loops(t.Context(), filters)
		if err != nil {
			t.Fatal(err)
		}
		recovery, err := f.Recovery(t.Context(), filters)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for i, row := range loops.Rows {
			r := recovery.Rows[i]
			got[row.By["agent"]] = fmt.Sprint(row.Labelled, row.Repeat, row.Ended, r.Recovered, r.Abandoned, r.Open, r.Reasons)
		}
		for _, r := range runs {
			if want := counted(r, t0.Add(asOf)); got[string(r.Run.Meta.ID)] != want {
				t.Errorf("%s (timed %v, ended %v, active %v) after %v: SQL says %s, Go says %s", r.Run.Meta.ID, r.Run.Timed, r.Run.Meta.Ended,
					r.Run.LastActivity.Sub(t0), asOf, got[string(r.Run.Meta.ID)], want)
			}
		}
	}
}

// counted counts one run's settled labels and endings in Go.
func counted(r metrics.Facts, asOf time.Time) string {
	labels, endings, reasons := ask.Settled(ask.DefaultSettings(), asOf.Truncate(time.Millisecond), r)
	byLabel, byEnding, byReason := map[metrics.Label]int{}, map[metrics.Ending]int{}, map[string]int64{}
	labelled := 0
	for _, l := range labels {
		byLabel[l]++
		if l != metrics.LabelNone {
			labelled++
		}
	}
	for i, e := range endings {
		byEnding[e]++
		if e == metrics.EndingAbandoned {
			byReason[string(reasons[i])]++
		}
	}
	return fmt.Sprint(labelled, byLabel[metrics.LabelRepeat], byLabel[metrics.LabelEnded],
		byEnding[metrics.EndingRecovered], byEnding[metrics.EndingAbandoned], byEnding[metrics.EndingOpen], byReason)
}
