package endtoend_test

import (
	"fmt"
	"testing"

	"errata/internal/simulate"
	"errata/metrics/ask"
)

// Every figure leads to its runs: where it counts runs, the list that its filters give has as many; where it counts
// something else, the list is empty exactly where the figure is 0; and the example runs show what they are examples of.
func TestEveryFigureLeadsToItsRuns(t *testing.T) {
	db, _ := stored(t, simulate.Small())
	leads(t, db)
}

// evidence asks for the runs behind figures.
type evidence struct {
	t  *testing.T
	db *ask.DB
	// rows bounds for how many rows of a question everything is asked, since each list is a query.
	rows int
}

// runs counts the runs that a list has, page by page.
func (e evidence) runs(f ask.RunFilters) int64 {
	e.t.Helper()
	f.Limit = ask.MaxLimit
	n := int64(0)
	for {
		answer, err := e.db.Runs(e.t.Context(), f)
		if err != nil {
			e.t.Fatal(err)
		}
		n += int64(len(answer.Rows))
		if f.Cursor = answer.NextCursor; f.Cursor == "" {
			return n
		}
	}
}

// mostRows bounds the rows of one question whose runs are listed.
const mostRows = 6

// first gives the first rows.
func first[T any](rows []T) []T { return rows[:min(len(rows), mostRows)] }

// thorough says whether all figures of a row are looked into.
func (e evidence) thorough(row int) bool { return row < e.rows }

// some wants runs behind a figure that is not 0, and none behind one that is.
func (e evidence) some(what string, figure int64, f ask.RunFilters) {
	e.t.Helper()
	if n := e.runs(f); (n > 0) != (figure > 0) {
		e.t.Errorf("%s is %d, and %d runs are behind it", what, figure, n)
	}
}

// as many runs as a figure counts.
func (e evidence) equal(what string, figure int64, f ask.RunFilters) {
	e.t.Helper()
	if n := e.runs(f); n != figure {
		e.t.Errorf("%s are %d, and the list has %d", what, figure, n)
	}
}

var outcomes = []string{"ok", "error", "refused", "cancelled", "pending"}

func leads(t *testing.T, db *ask.DB) {
	e := evidence{t: t, db: db}
	for _, by := range []string{"", ask.ByTool, ask.ByCode, ask.ByVariant, ask.ByModel, ask.ByAgent} {
		f, rows := everything, 1
		if by != "" {
			f.By, rows = []string{by}, 0
		}
		of := evidence{t, db, rows}
		of.ofLoops(f)
		if by == "" || by == ask.ByCode || by == ask.ByTool {
			of.ofRecovery(f)
			of.ofCost(f)
		}
		if by == "" {
			of.ofNextActions(f)
			of.ofBreakers(f)
			of.ofFindings(f)
		}
	}
	e.ofObedience()
	e.ofCoupling()
	e.ofFieldEffects()
	e.ofExamples()
}

// within is the filter that a row's group is, for lists of runs.
func within(by ask.Group) ask.Filters {
	f := everything
	for dimension, value := range by {
		switch dimension {
		case ask.ByTool:
			f.Tool = []string{value}
		case ask.ByCode:
			f.Code = []string{value}
		case ask.ByVariant:
			f.Variant = []string{value}
		case ask.ByModel:
			f.Model = []string{value}
		case ask.ByAgent:
			f.Agent = []string{value}
		}
	}
	return f
}

// failing is the runs with an errored call.
func failing(f ask.Filters) ask.RunFilters {
	if len(f.Code) > 0 {
		return ask.RunFilters{Filters: f}
	}
	return ask.RunFilters{Filters: f, Evidence: ask.Evidence{Outcome: []string{"error"}}}
}

func (e evidence) ofLoops(f ask.Filters) {
	answer, err := e.db.Loops(e.t.Context(), f)
	if err != nil {
		e.t.Fatal(err)
	}
	if len(answer.Rows) == 0 {
		e.t.Fatal("there are no rows")
	}
	for i, row := range first(answer.Rows) {
		of, name := within(row.By), fmt.Sprint(row.By, " ")
		e.equal(name+"runs with an error", row.RunsWithError, failing(of))
		if row.Calls != nil {
			e.equal(name+"runs", row.Runs, ask.RunFilters{Filters: of, Evidence: ask.Evidence{Outcome: outcomes}})
		}
		if !e.thorough(i) {
			continue
		}
		e.some(name+"repeats", row.Repeat, ask.RunFilters{Filters: of, Label: []string{"repeat"}})
		if n := e.runs(ask.RunFilters{Filters: of, Label: []string{"repeat"}}); row.RunsWithLoop > n {
			e.t.Errorf("%s%d runs loop on their first error, and only %d loop", name, row.RunsWithLoop, n)
		}
		e.some(name+"streaks", row.StuckStreaks, ask.RunFilters{Filters: of, Evidence: ask.Evidence{Pattern: []string{"stuck_streak"}}})
		e.some(name+"cycles", row.Cycles, ask.RunFilters{Filters: of, Evidence: ask.Evidence{Pattern: []string{"cycle"}}})
		if row.Calls == nil {
			continue
		}
		e.some(name+"refused", *row.Refused, ask.RunFilters{Filters: of, Evidence: ask.Evidence{Outcome: []string{"refused"}}})
		e.some(name+"cancelled", *row.Cancelled, ask.RunFilters{Filters: of, Evidence: ask.Evidence{Outcome: []string{"cancelled"}}})
		e.some(name+"pending", *row.Pending, ask.RunFilters{Filters: of, Evidence: ask.Evidence{Outcome: []string{"pending"}}})
		e.some(name+"idle repeats", *row.IdleRepeats, ask.RunFilters{Filters: of, Evidence: ask.Evidence{Pattern: []string{"idle_repeat"}}})
	}
}

func (e evidence) ofNextActions(f ask.Filters) {
	answer, err := e.db.NextActions(e.t.Context(), f)
	if err != nil {
		e.t.Fatal(err)
	}
	for i, row := range first(answer.Rows) {
		of, name := within(row.By), fmt.Sprint(row.By, " ")
		e.equal(name+"runs", row.Runs, failing(of))
		if !e.thorough(i) {
			continue
		}
		for label, n := range map[string]int64{"repeat": row.Repeat, "corrected": row.Corrected, "switched": row.Switched, "replied": row.Replied, "user": row.User, "ended": row.Ended} {
			e.some(name+label, n, ask.RunFilters{Filters: of, Label: []string{label}})
		}
		e.some(name+"obeyed", row.Obeyed, ask.RunFilters{Filters: of, Evidence: ask.Evidence{Obeyed: []string{"true"}}})
		e.some(name+"disobeyed", row.Disobeyed, ask.RunFilters{Filters: of, Evidence: ask.Evidence{Obeyed: []string{"false"}}})
		e.some(name+"honoured", row.Honoured, ask.RunFilters{Filters: of, Evidence: ask.Evidence{Honoured: []string{"true"}}})
		e.some(name+"not honoured", row.NotHonoured, ask.RunFilters{Filters: of, Evidence: ask.Evidence{Honoured: []string{"false"}}})
	}
}

func (e evidence) ofRecovery(f ask.Filters) {
	answer, err := e.db.Recovery(e.t.Context(), f)
	if err != nil {
		e.t.Fatal(err)
	}
	for i, row := range first(answer.Rows) {
		of, name := within(row.By), fmt.Sprint(row.By, " ")
		e.equal(name+"runs with an episode", row.Runs, ask.RunFilters{Filters: of, Ending: []string{"recovered", "recovered_with_user", "abandoned", "open"}})
		if !e.thorough(i) {
			continue
		}
		for ending, n := range map[string]int64{"recovered": row.Recovered, "recovered_with_user": row.RecoveredWithUser, "abandoned": row.Abandoned, "open": row.Open} {
			e.some(name+ending, n, ask.RunFilters{Filters: of, Ending: []string{ending}})
		}
		for _, reason := range []string{"turn_limit", "cut_off", "user_left", "moved_on", "handed_to_user", "stopped"} {
			e.some(name+reason, row.Reasons[reason], ask.RunFilters{Filters: of, Evidence: ask.Evidence{Reason: []string{reason}}})
		}
		for _, least := range []int{2, 4, 8} {
			n := int64(0)
			for attempts, count := range row.Attempts {
				if k := 0; len(attempts) > 0 {
					fmt.Sscan(attempts, &k)
					if k >= least {
						n += count
					}
				}
			}
			e.some(fmt.Sprint(name, least, " attempts or more"), n, ask.RunFilters{Filters: of, AttemptsMin: least, Ending: []string{"recovered", "recovered_with_user"}})
		}
	}
}

func (e evidence) ofCost(f ask.Filters) {
	costs, err := e.db.Cost(e.t.Context(), f)
	if err != nil {
		e.t.Fatal(err)
	}
	for _, row := range first(costs.Rows) {
		e.equal(fmt.Sprint(row.By, " runs that cost"), row.Runs, failing(within(row.By)))
	}
	wastes, err := e.db.Waste(e.t.Context(), f)
	if err != nil {
		e.t.Fatal(err)
	}
	for i, row := range first(wastes.Rows) {
		of, name := within(row.By), fmt.Sprint(row.By, " ")
		if !e.thorough(i) {
			continue
		}
		e.equal(name+"runs that waste", row.Runs, failing(of))
		for kind, n := range map[string]int64{"serial": row.SerialFaults, "changed": row.CollateralChanged, "rejected": row.CollateralRejected} {
			e.some(name+kind, n, ask.RunFilters{Filters: of, Evidence: ask.Evidence{Waste: []string{kind}}})
		}
	}
}

func (e evidence) ofBreakers(f ask.Filters) {
	answer, err := e.db.Breaker(e.t.Context(), f)
	if err != nil {
		e.t.Fatal(err)
	}
	for _, row := range answer.Rows {
		e.some(fmt.Sprint(row.By, "a breaker after ", row.N), row.TurnsSaved+row.TokensSaved+row.RecoveriesLost,
			ask.RunFilters{Filters: within(row.By), Evidence: ask.Evidence{StreakMin: int(row.N)}})
	}
}

func (e evidence) ofFindings(f ask.Filters) {
	answer, err := e.db.Findings(e.t.Context(), f)
	if err != nil {
		e.t.Fatal(err)
	}
	for _, row := range first(answer.Rows) {
		e.equal(fmt.Sprint(row.By, " runs with ", row.Finding), row.Runs, ask.RunFilters{Filters: within(row.By), Evidence: ask.Evidence{Finding: []string{row.Finding}}})
	}
}

// ofObedience adds up, in the views of the runs, what figures count: the one judges in Go and the other in SQL.
func (e evidence) ofObedience() {
	answer, err := e.db.NextActions(e.t.Context(), everything)
	if err != nil {
		e.t.Fatal(err)
	}
	listed, err := e.db.Runs(e.t.Context(), ask.RunFilters{Filters: everything, Evidence: ask.Evidence{Obeyed: []string{"true", "false"}}, Limit: ask.MaxLimit})
	if err != nil {
		e.t.Fatal(err)
	}
	obeyed := map[bool]int64{}
	for _, row := range listed.Rows {
		view, err := e.db.Run(e.t.Context(), row.RunID, everything.AsOf)
		if err != nil {
			e.t.Fatal(err)
		}
		for _, thread := range view.Rows[0].Threads {
			for _, turn := range thread.Turns {
				for _, c := range turn.Calls {
					if c.Error != nil && c.Error.Obeyed != nil {
						obeyed[*c.Error.Obeyed]++
					}
				}
			}
		}
	}
	equal(e.t, "obeyed, disobeyed", []int64{answer.Rows[0].Obeyed, answer.Rows[0].Disobeyed}, []int64{obeyed[true], obeyed[false]})
}

func (e evidence) ofCoupling() {
	answer, err := e.db.Coupling(e.t.Context(), everything)
	if err != nil {
		e.t.Fatal(err)
	}
	for _, row := range first(answer.Rows) {
		f := everything
		f.Tool, f.Code = []string{row.Tool}, []string{row.Code}
		e.equal(fmt.Sprint(row.Tool, " ", row.Code, " runs with ", row.Helper), row.Runs, ask.RunFilters{Filters: f, Evidence: ask.Evidence{Helper: []string{row.Helper}}})
	}
}

func (e evidence) ofFieldEffects() {
	answer, err := e.db.FieldEffects(e.t.Context(), everything)
	if err != nil {
		e.t.Fatal(err)
	}
	for _, row := range first(answer.Rows) {
		f := everything
		f.Code = []string{row.Code}
		e.equal(row.Code+" runs", row.WithN+row.WithoutN, ask.RunFilters{Filters: f})
	}
}

// ofExamples opens the example runs.
func (e evidence) ofExamples() {
	kinds, err := e.db.Errors(e.t.Context(), ask.ErrorFilters{Filters: everything})
	if err != nil {
		e.t.Fatal(err)
	}
	templates := map[[2]string][]int64{}
	for _, row := range kinds.Rows {
		of := [2]string{row.Tool, row.Code}
		if len(templates) == mostRows && templates[of] == nil {
			continue
		}
		templates[of] = append(templates[of], row.Runs)
		e.shows(row.ExampleRun, "an error "+row.Code, func(tool string, c *ask.CallError) bool {
			return tool == row.Tool && c.Code == row.Code && c.Template == row.Template
		})
	}
	for of, runs := range templates {
		f := everything
		f.Tool, f.Code = []string{of[0]}, []string{of[1]}
		n, sum := e.runs(ask.RunFilters{Filters: f}), int64(0)
		for _, r := range runs {
			if sum += r; r > n {
				e.t.Errorf("%v: an entry of the inventory has %d runs, the list %d", of, r, n)
			}
		}
		if n > sum || len(runs) == 1 && n != sum {
			e.t.Errorf("%v: the entries of the inventory have %d runs, the list %d", of, sum, n)
		}
	}
	findings, err := e.db.Findings(e.t.Context(), everything)
	if err != nil {
		e.t.Fatal(err)
	}
	for _, row := range first(findings.Rows) {
		if row.Finding == "promises_more" {
			continue // of calls that worked
		}
		e.shows(row.ExampleRun, row.Finding, func(_ string, c *ask.CallError) bool {
			for _, f := range c.Findings {
				if f == row.Finding {
					return true
				}
			}
			return false
		})
	}
	shadows, err := e.db.Shadow(e.t.Context(), everything)
	if err != nil {
		e.t.Fatal(err)
	}
	for _, row := range first(shadows.Rows) {
		if row.OldCode != "" {
			e.shows(row.ExampleRun, "a shadow of "+row.OldCode, func(_ string, c *ask.CallError) bool { return c.Code == row.OldCode && c.Template == row.OldTemplate })
		}
	}
	aliases, err := e.db.Aliases(e.t.Context(), ask.AliasFilters{Filters: everything})
	if err != nil {
		e.t.Fatal(err)
	}
	for _, row := range first(aliases.Rows) {
		for _, run := range row.ExampleRuns[:1] {
			e.shows(run, "a rejected "+row.Rejected, func(tool string, _ *ask.CallError) bool { return tool == row.Tool })
		}
	}
}

// shows wants a run to have an errored call of a kind.
func (e evidence) shows(id, what string, is func(tool string, c *ask.CallError) bool) {
	e.t.Helper()
	answer, err := e.db.Run(e.t.Context(), id, everything.AsOf)
	if err != nil {
		e.t.Errorf("%s: its example run %q does not open: %v", what, id, err)
		return
	}
	for _, thread := range answer.Rows[0].Threads {
		for _, turn := range thread.Turns {
			for i := range turn.Calls {
				if c := &turn.Calls[i]; c.Error != nil && is(c.Tool, c.Error) {
					return
				}
			}
		}
	}
	e.t.Errorf("%s: its example run %s does not show it", what, id)
}
