package transcript

import "time"

// Role says who speaks in a message.
type Role string

// The roles. A message is a user message, in the sense of the metrics, only when its role is RoleUser: what a
// person or a simulated user wrote.
const (
	RoleSystem    Role = "system"    // system and developer text
	RoleUser      Role = "user"      // what a person, or a simulated user, wrote, or a person's interruption
	RoleAssistant Role = "assistant" // what the model generated
	RoleTool      Role = "tool"      // nothing but tool results
	RoleHarness   Role = "harness"   // text injected by a harness, a summary after compaction, a sub-agent's prompt
)

// Actor says whose call it is. Only the agent's calls are in any figure.
type Actor string

// The actors. The zero value is the agent.
const (
	ByAgent Actor = ""
	ByUser  Actor = "user" // a simulated or human user with tools of their own
)

// Flag is what a provider's or protocol's own error mark says of a result.
type Flag string

// The flags. FlagUnset means that the dialect or this record carries none.
const (
	FlagUnset Flag = ""
	FlagOK    Flag = "ok"
	FlagError Flag = "error"
)

// Fate says what a log itself tells of a call that did not simply run. The zero value is: it ran, or nothing is said.
type Fate string

// The fates.
const (
	FateRan       Fate = ""
	FateRefused   Fate = "refused"   // a person said no
	FateCancelled Fate = "cancelled" // it never ran: interrupted, or a failing sibling took it down
	FateRunning   Fate = "running"   // the result says that it still runs
)

// Message is one message of a thread: the unit that is stored, merged and ordered.
// A message may carry results and text at once (Anthropic's user messages do).
type Message struct {
	ID         string    `json:"id,omitempty"`         // the log's or the provider's id of this message, unique in its run, else ""
	Generation string    `json:"generation,omitempty"` // assistant messages that share it are one model generation, hence one turn
	Parent     string    `json:"parent,omitempty"`     // in branching logs: the ID of the message that it follows
	Seq        int64     `json:"seq,omitempty"`        // place in its log (a line number), the tie-breaker of messages of one time
	Role       Role      `json:"role"`
	Time       time.Time `json:"time,omitzero"`    // the message's own timestamp in UTC; zero: it has none
	Arrived    time.Time `json:"arrived,omitzero"` // earliest Kafka time of a record that brought it
	Provider   string    `json:"provider,omitempty"`
	Model      string    `json:"model,omitempty"`
	Text       string    `json:"text,omitempty"`
	Reasoning  string    `json:"reasoning,omitempty"`
	Calls      []Call    `json:"calls,omitempty"`
	Results    []Result  `json:"results,omitempty"`
	Usage      *Usage    `json:"usage,omitempty"`
}

// Call is one tool call as the model wrote it.
type Call struct {
	ID        string    `json:"id,omitempty"` // may be empty, may be used again later in the same thread
	Tool      Tool      `json:"tool"`         // the name that the model asked for, also where a harness rewrote it
	Arguments string    `json:"arguments,omitempty"`
	Actor     Actor     `json:"actor,omitempty"`
	Unknown   bool      `json:"unknown,omitempty"` // a harness put its placeholder in its place: there is no such tool
	Time      time.Time `json:"time,omitzero"`     // its own time where it differs from its message's
}

// Result is what came back from a call.
type Result struct {
	CallID     string    `json:"call_id,omitempty"`
	Tool       Tool      `json:"tool,omitempty"` // where the log repeats it
	Body       string    `json:"body,omitempty"` // what the model read
	Flag       Flag      `json:"flag,omitempty"`
	Fate       Fate      `json:"fate,omitempty"`
	ExitCode   *int      `json:"exit_code,omitempty"`  // from the record's metadata, not from the text
	ErrorType  string    `json:"error_type,omitempty"` // a span's error.type
	Variant    Variant   `json:"variant,omitempty"`
	Actor      Actor     `json:"actor,omitempty"`
	Time       time.Time `json:"time,omitzero"`         // its own time where it differs from its message's
	BodyLength int       `json:"body_length,omitempty"` // length in bytes of the whole body where Body was cut, else 0
	BodyHash   string    `json:"body_hash,omitempty"`   // hash of the whole body where Body was cut
}

// Usage is the provider's own token count of one model generation, brought to one meaning: the four kinds are disjoint
// and their sum is what the generation used. Reasoning is within Output.
type Usage struct {
	Input      int64 `json:"input,omitempty"` // uncached input
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Output     int64 `json:"output,omitempty"`
}

// Total is the sum of all kinds.
func (u Usage) Total() int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// Max gives the larger value of each kind: logs repeat a generation's usage and stream it, and only its largest counts.
func (u Usage) Max(other Usage) Usage {
	return Usage{
		Input:      max(u.Input, other.Input),
		CacheRead:  max(u.CacheRead, other.CacheRead),
		CacheWrite: max(u.CacheWrite, other.CacheWrite),
		Output:     max(u.Output, other.Output),
	}
}
