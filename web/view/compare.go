package view

import "errata/web/ui"

// ComparePage answers whether one payload is better than another.
type ComparePage struct {
	Choice             Choice
	Verdict            *Verdict // nil: there is none to tell
	Rows, Trust, Trend Section
	Shadow             ui.Link
	Moments            Moments
}

// Choice is what is compared, and the form to change it.
type Choice struct {
	Action                string
	A, B                  string
	Variants              []string
	Moments               []ui.Option
	ByMoment              bool
	Split, Margin, Target string
	Swap                  string
	Keep                  []ui.HiddenField
}

// Verdict is a comparison in a sentence.
type Verdict struct {
	Word, Class           string
	Sentence, Guard, Note string
	Withheld              []string
}

// Moments are the saved cutovers, and the form to save one.
type Moments struct {
	Section
	Saved        []Moment
	Action, Back string
	Author, Now  string
	LoggedIn     bool
}

// Moment is a saved cutover. Sent is its name as it was given, which a form sends back.
type Moment struct{ Name, Sent, At, About, Compare string }
