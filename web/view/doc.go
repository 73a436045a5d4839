// Package view lays out the pages, one file for each. A page is a struct that package web fills; its template computes
// nothing.
package view

import (
	"errata/web/chart"
	"errata/web/ui"
)

// Section is a panel with the figures, the chart and the tables in it.
type Section struct {
	ui.Panel
	Figures []ui.Figure
	Chart   *Drawn
	Tables  []ui.Table
	Folded  *Folded // what opens on demand
}

// Folded is a table that opens on demand.
type Folded struct {
	Summary string
	Table   ui.Table
}

// Drawn is a chart with its table.
type Drawn struct {
	Chart   chart.Chart
	Missing bool // the script that draws it
	Table   ui.Table
	Moments []ui.Link // the named moments that are drawn in it
	Note    string    // what a reader should know before reading it
}

// FailurePage is shown where a whole page cannot be.
type FailurePage struct {
	Message, Field, Home string
}

// OverviewPage answers whether agents recover, and what hurts most.
type OverviewPage struct {
	Cards, Trend, Codes, Changed, New, Health Section
	Reviews                                   Included
	First                                     bool // nothing is known of the time before
}

// LoopsPage answers how often agents send the call again that was just refused.
type LoopsPage struct {
	Total, Trend, Labels, Variants, Tools, Codes, Other Section
	Since                                               *Included
}

// Included is a part of another page that is put in once the page is there; before that, and without scripts, it is a link.
type Included struct {
	ID, Title  string
	Class      string
	Definition string
	Page, Part string
	Link       ui.Link
}

// RecoveryPage answers how long it takes from a first error until it works.
type RecoveryPage struct {
	Shares, Never, Within3, Distribution, Curve, Quantiles, Reasons, Codes, Tools Section
}

// CodesPage answers which error costs most.
type CodesPage struct {
	Total, Trend, Codes Section
}

// RunsPage lists runs.
type RunsPage struct {
	List  Section
	Pager ui.Pager
}

// ShadowPage answers what a switch of the payload would change.
type ShadowPage struct {
	Total, Agreement, Rows Section
}

// HealthPage answers how far ingest has come.
type HealthPage struct {
	Total, Parts, Rejects Section
}

// GalleryPage lists every page in every state.
type GalleryPage struct{ States []GalleryState }

// GalleryState is the pages in one state.
type GalleryState struct {
	Name, About string
	Pages       []ui.Link
}
