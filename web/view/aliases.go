package view

import "errata/web/ui"

// AliasesPage is the queue of names to decide about.
type AliasesPage struct {
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
