package view

import "errata/web/ui"

// RunPage is one run: what was said, and what was mined from it.
type RunPage struct {
	ID       string
	Facts    []Fact
	Notices  []string
	Strip    *ui.Strip
	Pages    *RunPages // nil: all of it is on this page
	Episodes Section
	Threads  []RunThread
	Walk     bool // there are calls to walk through
}

// Fact is one thing known of a run.
type Fact struct{ Label, Value string }

// RunThread is one line of conversation.
type RunThread struct {
	ID, Title string
	Parent    ui.Link
	Blocks    []Block
	Orphans   []Text
}

// Block is a message, or a turn with its calls.
type Block struct {
	ID, Class, Title string
	Time             ui.Time
	Said, Reasoning  Text
	Calls            []RunCall
}

// Text is a text that may be cut: the rest opens on demand, and what is too long even for that is left out.
type Text struct {
	Head, Rest, More string
	LeftOut          string
	Whole            ui.Link // where it is shown whole
}

// RunPages lead through a run that is too long for one page.
type RunPages struct {
	Text           string // which calls are shown
	Previous, Next string
	Pages          []RunPageLink
}

// RunPageLink is one page of a long run.
type RunPageLink struct {
	Label, Title, Href string
	Here, Failed       bool
}

// RunCall is a call with its result.
type RunCall struct {
	ID, Number, Class, Tool string
	Here                    string // address of the call
	Tags                    []Tag
	Time                    ui.Time
	Arguments               Text
	Changes                 *Changes
	Repeats                 bool // arguments and result are those of the attempt before
	Result                  Text
	NoResult                string
	Error                   []Fact
	Episode                 ui.Link
	Next                    ui.Link // the next call of its episode
}

// Tag is a word about a call.
type Tag struct{ Text, Class, Title string }

// Changes is what a call changed since the one before it in its episode.
type Changes struct {
	Since ui.Link
	Same  bool
	Lines []Change
}

// Change is one argument that differs. An empty side is missing.
type Change struct{ Path, Before, After string }
