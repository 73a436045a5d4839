package ask_test

import (
	"testing"

	"errata/metrics"
	"errata/metrics/ask"
)

// Each figure leads to its runs: a has one of everything, b only what is like it but for one thing.
func TestRunsOfEveryFigure(t *testing.T) {
	f := open(t)
	yes, no := true, false
	a, b := run("a", 0), run("b", 0)
	stop := failed(0, "search", "bad", metrics.LabelReplied)
	stop.ErrorRule, stop.Error.NextAction, stop.Honoured = "flag", "stop", &yes
	a.Calls = []metrics.CallFact{stop, call(0, "edit", metrics.OutcomeRefused)}
	a.Patterns = []metrics.PatternFact{{Kind: metrics.PatternCycle, Time: t0, Tool: "search", Code: "bad", Model: "gpt", Variant: "plain", Length: 4}}
	a.Findings = []metrics.FindingFact{{Finding: "not_json", Time: t0, Tool: "search", Code: "bad", Model: "gpt", Variant: "plain"}}
	a.Episodes = []metrics.EpisodeFact{episode(0, "search", "bad", metrics.EndingRecovered, 2), episode(0, "edit", "worse", metrics.EndingOpen, 0)}
	a.Episodes[0].Helpers = []metrics.HelperFact{{Tool: "look", Calls: 1}}
	a.Episodes[0].Serial, a.Episodes[0].Changed, a.Episodes[0].Rejected, a.Episodes[0].Streak = 1, 1, 1, 2
	a.Episodes[1].Reason = metrics.ReasonMovedOn // which holds once the run has ended
	a.Charges = []metrics.ChargeFact{charge(0, "bad", 10)}
	a.Charges[0].Streak = 3
	other := failed(0, "search", "bad", metrics.LabelRepeat)
	other.ErrorRule, other.Error.NextAction, other.Honoured = "opening", "stop", &no
	b.Calls = []metrics.CallFact{other}
	b.Episodes = []metrics.EpisodeFact{episode(0, "search", "bad", metrics.EndingAbandoned, 0)}
	b.Charges = []metrics.ChargeFact{charge(0, "bad", 10)}
	b.Charges[0].Streak = 1
	f.put(a, b, run("c", 0))
	ids := func(name string, e ask.Evidence, want string) {
		t.Helper()
		for _, tool := range []string{"", "search", "nothing"} {
			filters := ask.RunFilters{Evidence: e, Sort: "run_id"}
			if tool != "" {
				filters.Tool = []string{tool}
			}
			answer, err := f.Runs(t.Context(), filters)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, row := range answer.Rows {
				got += row.RunID
			}
			switch {
			case tool == "" && got != want, tool == "nothing" && got != "":
				t.Errorf("%s of tool %q: got %q, want %q", name, tool, got, want)
			case tool == "search" && name != "refused" && name != "moved on" && got != want:
				t.Errorf("%s of tool %q: got %q, want %q", name, tool, got, want)
			}
		}
	}
	ids("refused", ask.Evidence{Outcome: []string{"refused"}}, "a")
	ids("errors", ask.Evidence{Outcome: []string{"error"}}, "ab")
	ids("cycle", ask.Evidence{Pattern: []string{"cycle", "stuck_streak"}}, "a")
	ids("idle", ask.Evidence{Pattern: []string{"idle_repeat"}}, "")
	ids("finding", ask.Evidence{Finding: []string{"not_json"}}, "a")
	ids("rule", ask.Evidence{Rule: []string{"opening"}}, "b")
	ids("obeyed", ask.Evidence{Obeyed: []string{"true"}}, "a")
	ids("disobeyed", ask.Evidence{Obeyed: []string{"false"}}, "b")
	ids("honoured", ask.Evidence{Honoured: []string{"true"}}, "a")
	ids("not honoured", ask.Evidence{Honoured: []string{"false"}}, "b")
	ids("one row is both", ask.Evidence{Obeyed: []string{"true"}, Honoured: []string{"false"}}, "")
	ids("moved on", ask.Evidence{Reason: []string{"moved_on"}}, "a")
	ids("stopped", ask.Evidence{Reason: []string{"stopped"}}, "b")
	ids("helper", ask.Evidence{Helper: []string{"look"}}, "a")
	ids("serial", ask.Evidence{Waste: []string{"serial"}}, "a")
	ids("changed", ask.Evidence{Waste: []string{"changed"}}, "a")
	ids("rejected", ask.Evidence{Waste: []string{"rejected"}}, "a")
	ids("streak", ask.Evidence{StreakMin: 1}, "ab")
	ids("longer streak", ask.Evidence{StreakMin: 3}, "a")
	ids("longest streak", ask.Evidence{StreakMin: 4}, "")

	_, err := f.Runs(t.Context(), ask.RunFilters{Evidence: ask.Evidence{Pattern: []string{"loop"}}})
	refused(t, err, "pattern")
	_, err = f.Runs(t.Context(), ask.RunFilters{Evidence: ask.Evidence{StreakMin: -1}})
	refused(t, err, "streak_min")
}
