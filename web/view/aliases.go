package view

import (
	"github.com/a-h/templ"

	"errata/web/ui"
)

// AliasesPage is the queue of names to decide about.
type AliasesPage struct {
	Notice     string // what has to be said first
	History    Section
	Past       []Past
	List       Section
	States     []ui.NavLink
	Candidates []Candidate
	Author     string
	LoggedIn   bool
	Exports    []ui.Link
	Import     string
}

// Candidate is one name to decide about.
type Candidate struct {
	ID, Level, Where, Kind     string
	Inferred, Folded           bool
	Rejected, Accepted         string
	Support, Agreement, Rivals string
	Seen, State, Decided, Note string
	Examples                   []ui.Link
	Action, Back               string
	Fields                     []ui.HiddenField
}

// Past is a decision with the form that undoes it, where it can be undone.
type Past struct {
	Where, Rejected, Accepted string
	Folded                    bool
	Decided, Note             string
	Action, Before            string
	Fields                    []ui.HiddenField
}

// shown hides what does not apply now; the queue's script shows it when it does.
func shown(now bool) templ.Attributes {
	if now {
		return nil
	}
	return templ.Attributes{"hidden": true}
}

// exampleKey gives the first example a key.
func exampleKey(i int) templ.Attributes {
	if i > 0 {
		return nil
	}
	return templ.Attributes{"data-key": "e"}
}
