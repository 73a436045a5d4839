package transcript

import "time"

// RowKind says what a stored row holds.
type RowKind string

// The kinds of rows.
const (
	RowMessage RowKind = "message" // Content is a Known as JSON
	RowRun     RowKind = "run"     // Content is a Meta as JSON; Thread and Slot are empty
	RowThread  RowKind = "thread"  // Content is a ThreadMeta as JSON; Slot is empty
)

// Row is one thing known of a run, as it is stored. Its key is (Run, Thread, Kind, Slot); of two rows with one key the
// greater Version holds.
type Row struct {
	Run      RunID
	Thread   ThreadID
	Kind     RowKind
	Slot     string // identity of the message in its thread
	Version  uint64 // grows with what is known of the slot
	Position int
	Content  []byte
	Arrived  time.Time // earliest Kafka time of a record that brought it
}
