package ui

import (
	"time"

	"github.com/a-h/templ"
)

// Frame is what every page has around its panels.
type Frame struct {
	Title     string // of the page
	Question  string // that the page answers
	Nav       []NavLink
	Filters   *FilterBar // nil: the page has none
	Fresh     *Fresh     // nil: not known
	Simulated bool       // some of the runs shown were not lived through by anybody
	Formats   []Link     // the page as data
	Static    Assets
	AsOf      string
	Gallery   string // names the state that a gallery shows
	Refresh   bool   // the page asks again by itself
	Theme     Theme
	Keys      []Key // that do something on this page alone
	Live      *Live // nil: the page stands still
}

// Theme is how the page is coloured, and where to send another wish.
type Theme struct {
	Name         string // "light", "dark", or "" for what the reader's system says
	Action, Back string // "": it cannot be changed
}

// Live is where a page hears when to look again, and a mark of what it shows.
type Live struct{ Stream, Mark string }

// Key is a key and what it does.
type Key struct{ Keys, Does string }

// Assets are the addresses of what the dashboard serves beside its pages. Charts is empty where the script is missing.
type Assets struct {
	Style, RunStyle, Charts, Icon string
	Scripts                       []string
}

// NavLink is a link to a page.
type NavLink struct {
	Label, Href string
	Here        bool
	Key         string // keys that lead there, such as "g o"
}

// Link is a link.
type Link struct {
	Label, Href, Title string
}

// Fresh says how far the facts go.
type Fresh struct {
	Text string
	Late bool
	Href string
}

// FilterBar is the form of filters with what is set now.
type FilterBar struct {
	Action   string
	Sentence string // the window in words
	From, To FilterField
	Fields   []FilterField
	Selects  []SelectField
	Hidden   []HiddenField
	Chips    []Chip
	Presets  []NavLink
	Clear    string // address without any filter; "" where none is set
}

// FilterField is one input.
type FilterField struct {
	Name, Label, Value, Type, Hint string
	Options                        []string
}

// SelectField is a choice.
type SelectField struct {
	Name, Label string
	Options     []Option
}

// Option is one entry of a choice.
type Option struct {
	Value, Label string
	Selected     bool
}

// HiddenField keeps a parameter that the form does not show.
type HiddenField struct{ Name, Value string }

// Chip is a filter that is set, with the address that lets it go.
type Chip struct{ Label, Remove string }

// Panel heads a part of a page that stands or fails alone.
type Panel struct {
	ID, Title, Definition string
	Trouble               *Trouble
	Links                 []Link
	Empty                 *Empty
}

// Trouble is why a panel has nothing to show.
type Trouble struct {
	Message, Query string
	Retry          string
}

// Empty says why there is nothing and what to do.
type Empty struct {
	Message string
	Links   []Link
}

// Figure is a number with all it needs to be judged.
type Figure struct {
	Label      string
	Value      string
	Interval   string
	Basis      string // "318 of 7,570 errored calls"
	Before     string // what it was in the time before
	Definition string
	Href       string // to the runs counted
	HrefLabel  string
	Spark      *Spark
	Weak       bool // too little to judge by
}

// Table is a table with everything that reading it needs.
type Table struct {
	ID      string
	Caption string
	Columns []Column
	Rows    []Row
	Total   *Row
	Note    string
	Compact bool // as wide as what is in it
}

// Column heads a column.
type Column struct {
	Label   string
	Title   string // its definition
	Numeric bool
	Sort    string // address that sorts by it
	Order   string // ascending, descending, or "" where the table is not sorted by it
}

// Row is a row; its first cell is its head.
type Row struct {
	Cells []Cell
}

// Cell is one cell.
type Cell struct {
	Text    string
	Sub     string // smaller, below
	Href    string
	Title   string
	Mono    bool
	Keep    bool // on one line
	Range   *RangeMark
	Share   *Bar
	Links   []Link
	Strip   *Strip
	Content templ.Component
}

// Time is a moment, for programs and people.
type Time struct{ Machine, Text string }

// TimeOf makes a Time.
func TimeOf(t time.Time) Time {
	if t.IsZero() {
		return Time{Text: Unknown}
	}
	return Time{Machine: t.UTC().Format(time.RFC3339Nano), Text: Moment(t)}
}

// Pager leads to what follows.
type Pager struct {
	First, Next string
	Text        string
}
