// Package ask puts questions to the stored facts. One question is one .sql file, one function and one result type; the
// only SQL on the reading side of Errata is here and in package review.
//
// Facts do not depend on the time of asking. Whether a run has ended, a label is known, an episode is given up and a row
// is old enough for a share is settled here, against the time as_of, by the fragments in the folder of that name: each
// is written once and embedded in every question that needs it. All that a question varies is a typed parameter.
//
// Counts hold all that is known at as_of. Shares, their intervals, curves and quantiles rest on mature rows only, by
// section 1 of the metrics specification; the younger ones are counted as maturing.
package ask
