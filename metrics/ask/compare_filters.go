package ask

import (
	"context"
	"time"

	"errata/metrics/stats"
)

// historyDays is how many days before a cutover its history may reach back: what the widest window of stats.History
// needs, and some more earlier moments.
const historyDays = 150

// watched says whether the arms are before and after a moment.
func (f CompareFilters) watched() bool { return !f.Cutover.IsZero() }

func (f CompareFilters) checkArms() error {
	switch {
	case len(f.By) > 0:
		return invalid("by", "a comparison cannot be grouped; leave out by, and filter on one tool after the other")
	case f.watched() && (f.A != "" || f.B != ""):
		return invalid("cutover", "a comparison is between two variants (a and b) or around a cutover; leave one of them out")
	case f.watched():
		if f.Cutover.Before(earliest) || f.Cutover.After(latest) {
			return invalid("cutover", "cutover is %s; it must lie in the years 1900 to 2299", f.Cutover.Format(time.RFC3339))
		}
		if f.Split != 0 {
			return invalid("split", "before and after a cutover nothing is split at random; leave out split")
		}
	case f.A == "" && f.B == "":
		return invalid("a", "a comparison needs two variants (a=…&b=…) or a moment (cutover=…)")
	case f.A == "":
		return invalid("a", "there is b (%q) but no a; name the variant to compare it with", f.B)
	case f.B == "":
		return invalid("b", "there is a (%q) but no b; name the variant to compare it with", f.A)
	case f.A == f.B:
		return invalid("b", "a and b are both %q; name two variants", f.A)
	case len(f.Variant) > 0:
		return invalid("variant", "a and b say which variants are compared; leave out variant")
	}
	return f.checkNumbers()
}

func (f CompareFilters) checkNumbers() error {
	switch {
	case f.Split < 0 || f.Split >= 1:
		return invalid("split", "split is %v; it must be the share of runs meant for a, above 0 and below 1", f.Split)
	case f.Margin < 0 || f.Margin >= 1:
		return invalid("margin", "margin is %v; it must be a share of runs, such as 0.05", f.Margin)
	case f.Target < 0:
		return invalid("target", "target is %v; it must be a number of runs, such as 500", f.Target)
	}
	return nil
}

// compared checks the filters of a comparison and fills in their defaults. A cutover before the usual window is given one
// that holds it: without runs before it there is nothing to compare.
func (db *DB) compared(ctx context.Context, f CompareFilters) (CompareFilters, error) {
	if err := f.checkArms(); err != nil {
		return f, err
	}
	given := !f.From.IsZero()
	settled, _, err := db.settled(ctx, f.Filters)
	if err != nil {
		return f, err
	}
	f.Filters = settled
	f.Cutover = ceil(f.Cutover)
	if f.watched() && !given && !f.All && !f.From.Before(f.Cutover) {
		f.From = f.Cutover.Add(-Window)
	}
	if f.Margin == 0 {
		f.Margin = stats.DefaultMargin
	}
	if f.Target == 0 {
		f.Target = stats.DefaultTarget
	}
	return f, nil
}

// compareParameters are those of the questions of a comparison.
func (f CompareFilters) compareParameters(s Settings) parameters {
	p := f.parameters(s)
	p.text("a", f.A)
	p.text("b", f.B)
	p.truth("watched", f.watched())
	cutover, from := f.Cutover, f.From
	if from.IsZero() {
		from = earliest
	}
	if !f.watched() {
		cutover = earliest
	} else if start := cutover.Add(-historyDays * day); start.Before(from) {
		from = start
	}
	if from.Before(earliest) {
		from = earliest
	}
	p.moment("cutover", cutover)
	p.moment("history_from", from)
	return p
}
