// Package format turns bytes into messages: it tells the dialect of an input and has it decoded. One format is one
// small package beside this one; this package holds the table of them and what is done for all: the bounds of size and
// depth, arrays of records and JSON lines, forced formats, marked ends, the splitting of large inputs.
//
//	dialect                     what every format has in common: what a decoder is given and gives back
//	record                      takes an input apart into JSON values and keeps their places
//	field                       JSON values that several formats share: times, token counts, marks of error
//	openai, anthropic, gemini   read messages in a provider's form, for every format that embeds such messages
//	envelope, …                 the formats
//
// To add a format: write a package with one exported variable, Dialect; put it into the table in detect.go; put cases
// into its testdata, text files with an input and the messages wanted. The tests of this package then hold it to what
// every dialect promises: that it is told apart from all others, refuses what it cannot read with a reason and a place,
// never panics, and gives the same runs whole, twice, split and in any order.
package format
