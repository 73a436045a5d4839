package transcript

import "time"

// Known is one message in its slot: what is stored of a run, one row each. Arrange makes a Run of them.
type Known struct {
	Thread   ThreadID `json:"-"`
	Slot     string   `json:"-"` // see SlotOf
	Position int      `json:"-"` // place in the history that brought it, or Unplaced
	Message           // what is known of it
	After    []uint32 `json:"after,omitempty"` // fingerprints of the slots that stood before it, sorted; see Fingerprint
}

// ThreadMeta is what records say about a thread as a whole.
type ThreadMeta struct {
	ID         ThreadID  `json:"id"`
	ParentCall string    `json:"parent_call,omitempty"`
	Ended      bool      `json:"ended,omitempty"`
	Arrived    time.Time `json:"arrived,omitzero"` // earliest Kafka time of a record of the thread
}

// Run is a run as far as it is known: its threads in order, the agent's own first.
type Run struct {
	Meta         Meta
	Threads      []Thread
	Started      time.Time // time of the first message
	LastActivity time.Time // latest message time; for messages without a time the earliest Kafka time that brought them
	Timed        bool      // at least one message carries a time of its own; otherwise the run has no age
}

// Thread is one line of conversation: all order and adjacency is inside it.
type Thread struct {
	ID         ThreadID
	ParentCall string
	Ended      bool
	Messages   []Message // in order, all branches
	Turns      []Turn    // in order, all branches
	Orphans    []Result  // results whose call is not known
}

// Turn is one model generation with the calls it made and what came back.
type Turn struct {
	Number     int   // 1, 2, … in its thread
	Follows    int   // Number of the turn before it on its branch; 0: none. Number-1 where the log has no branches
	Messages   []int // indexes into Thread.Messages of the generation's own messages
	Time       time.Time
	Provider   string // of the generation, else of the run
	Model      string // of the generation, else of the run
	Calls      []TurnCall
	Usage      *Usage // largest value of each kind over the generation's messages; nil: the log has none
	UserBefore bool   // a user message stands between the turn it follows and this one
	UserAfter  bool   // no turn follows on its branch, and a user message does
}

// TurnCall is a call in its turn, with its result where one is known.
type TurnCall struct {
	Call
	Index  int       // 0, 1, … in its turn
	Time   time.Time // when it counts: at its result's time, else its own
	Asked  time.Time // the time of the call itself
	Result *Result   // nil: none is known
}
