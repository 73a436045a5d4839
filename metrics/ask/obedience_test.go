package ask_test

import (
	"fmt"
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/transcript"
)

// What an error asks for, and whether it is obeyed, is said once in Go for the view of a run and once in SQL for figures:
// both must say the same of every next action, retryable and label, in next_actions as in a comparison.
func TestObedienceInGoAndSQLIsOne(t *testing.T) {
	f := open(t)
	var runs []metrics.Facts
	want := map[string][2]int64{}
	for _, action := range []string{"", "stop", "STOP", "Ask-User", "ask_user", "ask user", "retry", "Retry", "re-try", " retry", "wait", "fix_arguments", "\u017ftop", "as\u212a_user", "arrêter"} {
		for _, retryable := range []transcript.Tristate{transcript.Unset, transcript.True, transcript.False} {
			for _, label := range []metrics.Label{metrics.LabelNone, metrics.LabelUser, metrics.LabelRepeat, metrics.LabelCorrected, metrics.LabelSwitched, metrics.LabelReplied, metrics.LabelEnded} {
				id := fmt.Sprintf("%q %v %s", action, retryable, label)
				r := run(id, 0)
				r.Run.Meta.Agent = id
				c := failed(0, "search", "bad", label)
				c.Error.NextAction, c.Error.Retryable = action, retryable
				r.Calls = []metrics.CallFact{c}
				runs = append(runs, r)
				if label == metrics.LabelNone {
					label = metrics.LabelEnded // by then the run has ended
				}
				if obeyed := metrics.Obeyed(&c.Error, label); obeyed != nil && *obeyed {
					want[id] = [2]int64{1, 0}
				} else if obeyed != nil {
					want[id] = [2]int64{0, 1}
				}
			}
		}
	}
	f.put(runs...)
	a, err := f.NextActions(t.Context(), ask.Filters{By: []string{"agent"}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, len(a.Rows), len(runs))
	asked, obeyed := int64(0), int64(0)
	for _, row := range a.Rows {
		id := row.By["agent"]
		if got := [2]int64{row.Obeyed, row.Disobeyed}; got != want[id] {
			t.Errorf("%s: SQL says obeyed, disobeyed %v, Go says %v", id, got, want[id])
		}
		asked, obeyed = asked+want[id][0]+want[id][1], obeyed+want[id][0]
	}
	if asked == 0 || obeyed == 0 || obeyed == asked {
		t.Fatalf("%d of %d are obeyed: these errors show nothing", obeyed, asked)
	}
	// A comparison reads them in its own way: all of these runs are before the cutover.
	c, err := f.Compare(t.Context(), ask.CompareFilters{Cutover: t0.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	r := row(t, c, "obedience")
	same(t, r.AN, asked)
	near(t, "obedience", r.A.Value, float64(obeyed)/float64(asked))
}
