package ask

// Evidence leads from a figure to the runs behind it, beside code, label, ending and attempts: each list lets through any
// of its values, and everything where it is empty.
type Evidence struct {
	Outcome   []string // a call with one of these outcomes
	Pattern   []string // an idle repeat, stuck streak or cycle
	Finding   []string // a breach of the contract
	Rule      []string // an errored call that this rule judged one
	Obeyed    []string // "true", "false": an errored call that asked for something, and whether it was done
	Honoured  []string // "true", "false": one that asked for a pause, and whether it was kept
	Reason    []string // an episode that was given up for this reason
	Helper    []string // a recovered episode in which this tool was used
	Waste     []string // an episode with a serial fault, or arguments that changed unnamed, or of those that were rejected
	StreakMin int      // a recovery turn or recovery before which its tool had failed so often in a row
}

// add gives the values of evidence.sql's placeholders, and says whether any of it is asked for.
func (e Evidence) add(p parameters) bool {
	asked := e.StreakMin > 0
	for name, values := range map[string][]string{
		"outcome": e.Outcome, "pattern": e.Pattern, "finding": e.Finding, "rule": e.Rule, "obeyed": e.Obeyed,
		"honoured": e.Honoured, "reason": e.Reason, "helper": e.Helper, "waste": e.Waste,
	} {
		p.texts(name, values)
		asked = asked || len(values) > 0
	}
	p.number("streak_min", int64(e.StreakMin))
	return asked
}

func (e Evidence) check() error {
	for _, list := range []struct {
		name          string
		given, values []string
	}{
		{"outcome", e.Outcome, []string{"ok", "error", "refused", "cancelled", "pending"}},
		{"pattern", e.Pattern, []string{"idle_repeat", "stuck_streak", "cycle"}},
		{"obeyed", e.Obeyed, []string{"true", "false"}},
		{"honoured", e.Honoured, []string{"true", "false"}},
		{"reason", e.Reason, []string{"turn_limit", "cut_off", "user_left", "moved_on", "handed_to_user", "stopped"}},
		{"waste", e.Waste, []string{"serial", "changed", "rejected"}},
	} {
		if err := oneOf(list.name, list.given, list.values); err != nil {
			return err
		}
	}
	if e.StreakMin < 0 || e.StreakMin > 1<<30 {
		return invalid("streak_min", "streak_min is %d; it must be 0 or more", e.StreakMin)
	}
	return nil
}
