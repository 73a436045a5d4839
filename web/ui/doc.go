// Package ui holds the pieces that pages are laid out from: the frame, panels, figures, tables, charts, and how numbers and
// hostile texts are written. Its templates compute nothing; what they show is made in Go.
package ui
