package web

import (
	"strconv"

	"errata/metrics/ask"
	"errata/web/ui"
)

// runFilter is a filter that the list of runs has beside the common ones.
type runFilter struct {
	name, chip string
	label      string            // of the field in the form
	values     []string          // that the form offers; nil: the form has no field for it
	words      map[string]string // of the values
}

func (f runFilter) word(value string) string { return orElse(f.words[value], ui.Visible(value)) }

// runFilters are what runs can be asked for by what is in them.
func runFilters() []runFilter {
	next := runFilter{name: "label", chip: "next action", label: "With a failed call that was followed by", words: map[string]string{}}
	for _, l := range labels {
		next.values = append(next.values, l.name)
		next.words[l.name] = l.label
	}
	gaveUp := runFilter{name: "reason", chip: "given up", label: "With an episode given up because", words: map[string]string{}}
	for _, r := range reasons {
		gaveUp.values = append(gaveUp.values, r.name)
		gaveUp.words[r.name] = r.label
	}
	return []runFilter{
		next,
		{"ending", "episode", "With an episode that", []string{"recovered", "recovered_with_user", "abandoned", "open"}, endingWords},
		gaveUp,
		{"outcome", "call", "With a call that", []string{"error", "refused", "cancelled", "pending"},
			map[string]string{"ok": "worked", "error": "failed", "refused": "was refused", "cancelled": "was cancelled", "pending": "has no result"}},
		{"pattern", "stretch", "With a stretch of", []string{"idle_repeat", "stuck_streak", "cycle"},
			map[string]string{"idle_repeat": "idle repeats", "stuck_streak": "a stuck streak", "cycle": "a cycle"}},
		{name: "finding", chip: "finding"}, {name: "rule", chip: "rule"}, {name: "helper", chip: "helper"},
		{name: "obeyed", chip: "did what was asked", words: map[string]string{"true": "yes", "false": "no"}},
		{name: "honoured", chip: "waited as asked", words: map[string]string{"true": "yes", "false": "no"}},
		{name: "waste", chip: "waste", words: map[string]string{"serial": "faults met one at a time", "changed": "arguments changed unnamed", "rejected": "changed and rejected"}},
	}
}

// runFilterBar has the filters that runs have beside the shared ones.
func (q *request) runFilterBar(settled ask.Filters, f ask.RunFilters) *ui.FilterBar {
	b := q.filterBar(settled)
	given := q.URL.Query()
	if sort := given.Get("sort"); sort != "" {
		b.Hidden = append(b.Hidden, ui.HiddenField{Name: "sort", Value: sort})
	}
	for _, filter := range runFilters() {
		if filter.values != nil {
			field := ui.SelectField{Name: filter.name, Label: filter.label, Options: []ui.Option{{Value: "", Label: "any"}}}
			for _, v := range filter.values {
				field.Options = append(field.Options, ui.Option{Value: v, Label: filter.word(v)})
			}
			b.Selects = append(b.Selects, field)
		}
		for _, v := range given[filter.name] {
			b.Hidden = append(b.Hidden, ui.HiddenField{Name: filter.name, Value: v})
			b.Chips = append(b.Chips, ui.Chip{Label: filter.chip + " = " + filter.word(v), Remove: q.without(filter.name, v)})
		}
	}
	least := ui.FilterField{Name: "attempts_min", Label: "Attempts at least", Type: "number", Hint: "any"}
	if f.AttemptsMin > 0 {
		least.Value = strconv.Itoa(f.AttemptsMin)
		b.Chips = append(b.Chips, ui.Chip{Label: "attempts ≥ " + least.Value, Remove: q.same("attempts_min", "", "cursor", "")})
	}
	b.Fields = append(b.Fields, least)
	if n := f.Evidence.StreakMin; n > 0 {
		b.Hidden = append(b.Hidden, ui.HiddenField{Name: "streak_min", Value: strconv.Itoa(n)})
		b.Chips = append(b.Chips, ui.Chip{Label: "failures in a row ≥ " + strconv.Itoa(n), Remove: q.same("streak_min", "", "cursor", "")})
	}
	if len(b.Chips) > 0 {
		b.Clear = q.URL.Path
	}
	return b
}
