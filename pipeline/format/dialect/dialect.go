// Package dialect holds what every transcript format has in common: what a decoder is given and what it gives back.
// One format is one small package beside this one, with one exported variable of type Dialect as its door.
package dialect

import (
	"fmt"

	"errata/transcript"
)

// Input is the value of one Kafka record, or one file.
type Input struct {
	Value   []byte
	Key     string            // the record's key, which should be the run id; may be empty
	Headers map[string]string // headers of the record that start with "errata-"
	Path    string            // name of the file that it was read from, where it was one: some programs name a session nowhere else
	Valid   bool              // the value is known to be a single JSON object; false: nothing is known
}

// Output is what a decoder reads from one input. Parts that cannot be used are rejected beside the good ones.
type Output struct {
	Fragments []transcript.Fragment
	Rejects   []Reject
}

// Reason is a short, stable name for why something was rejected.
type Reason string

// The reasons that decoders share.
const (
	ReasonMalformedJSON Reason = "malformed_json"
	ReasonInvalidUTF8   Reason = "invalid_utf8"
	ReasonTooDeep       Reason = "too_deep"
	ReasonTooLarge      Reason = "too_large"
	ReasonWrongType     Reason = "wrong_type"
	ReasonMissingField  Reason = "missing_field"
	ReasonUnknownFormat Reason = "unknown_format"
	ReasonUnsupported   Reason = "unsupported"
	ReasonNoCommonIDs   Reason = "no_common_ids" // a compacted history that shares no id with what is known
)

// Reject says what of an input could not be used: where, why, and how to mend it. It is an error.
type Reject struct {
	Reason  Reason
	Message string           // one sentence: what is wrong and how to mend it
	Line    int              // 1, 2, … in a file of lines; 0: not known
	Offset  int64            // byte in the input, or in the line where Line is set, counted from 0
	Pointer string           // JSON Pointer to the value, "" for the whole
	Run     transcript.RunID // where known
	Part    int              // which part of the input: 0, 1, …
}

// Within moves a reject of an inner value to the place where that value stands: at a byte offset and a pointer.
func (r Reject) Within(offset int64, pointer string) Reject {
	r.Offset += offset
	r.Pointer = pointer + r.Pointer
	return r
}

// Error makes a reject readable: place, reason, message.
func (r Reject) Error() string {
	place := ""
	if r.Line > 0 {
		place = fmt.Sprintf("line %d, ", r.Line)
	}
	if r.Pointer != "" {
		place += fmt.Sprintf("at %s, ", r.Pointer)
	}
	return fmt.Sprintf("%sbyte %d: %s: %s", place, r.Offset, r.Reason, r.Message)
}

// Headers that Errata sets on the records it publishes, and understands on those of others.
const (
	HeaderFormat    = "errata-format"        // name of the dialect
	HeaderRun       = "errata-run-id"        // run of a part that does not say it itself
	HeaderFirst     = "errata-first-message" // position of the part's first message in its thread
	HeaderFirstLine = "errata-first-line"    // line number of the part's first line in its file
	HeaderEnded     = "errata-ended"         // "true": the runs have ended; "false": more parts follow
)

// Part is a piece of an input that is published as a record of its own, and can be understood alone.
type Part struct {
	Key     string // the run id
	Headers map[string]string
	Value   []byte
}

// Unit says what a dialect's Decode takes at a time.
type Unit int

// The units.
const (
	// UnitObject: one JSON object holds one or more runs, or one increment. Arrays of them and JSON lines are taken
	// apart before Decode is called, once for each object.
	UnitObject Unit = iota

	// UnitWhole: Decode takes the input as it is, be it lines, an array or one object.
	UnitWhole
)

// Dialect is one transcript format.
type Dialect struct {
	// Name is what the header errata-format and the flag -format call it.
	Name string

	// Title is its name for people; Source names the specification, or the program whose output it is.
	Title, Source string

	// Unit says what Decode takes at a time.
	Unit Unit

	// Detect tells whether an input is of this dialect from what its beginning shows. It must be cheap, and sure:
	// two dialects never claim the same input.
	Detect func(Shape) bool

	// Decode turns an input into fragments. An error, which is a Reject, means that nothing of it could be used.
	// Places in rejects are relative to the value given; lines are counted from HeaderFirstLine where it is set.
	Decode func(Input) (Output, error)

	// Split cuts an input into parts of at most max bytes, at message boundaries, each of a single run. A message
	// that is larger alone makes a larger part. What cannot be cut is rejected beside the good parts. Nil: the input is
	// JSON lines, each understood alone.
	Split func(in Input, max int) ([]Part, []Reject)

	// RunOf names the run of one line of an input, "" where the line does not say. Needed only where Split is nil.
	RunOf func(line []byte) transcript.RunID

	// WholeRuns says that an input holds whole runs, so that they are ended when they are sent.
	WholeRuns bool
}
