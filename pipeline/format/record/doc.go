// Package record takes an input apart into its JSON values, whatever holds them: one object, an array, or lines. It
// keeps their places, so that a reject can say where, and it goes on after a damaged line.
//
// JSON is read as RFC 8259 has it, with two liberties that the logs of real programs need. Bytes that are no UTF-8 and
// escapes of lone surrogates are read as U+FFFD, visibly, since one cut character must not cost a run. A member that
// comes twice counts as it came last.
package record
