package transcript

// EndReason says why a run ended, as its record tells it.
type EndReason string

// The end reasons of the record format.
const (
	EndCompleted EndReason = "completed"
	EndTurnLimit EndReason = "turn_limit"
	EndError     EndReason = "error"
	EndCancelled EndReason = "cancelled"
	EndUserLeft  EndReason = "user_left"
)

// Unplaced is the First of a fragment whose messages carry no position in their thread. They are ordered by their
// parent links, times and sequence numbers, and known by their ids.
const Unplaced = -1

// Fragment is what one record says about one thread of one run. A record may give several.
type Fragment struct {
	Meta       Meta
	Thread     ThreadID
	ParentCall string // id of the call that started the thread, where known
	First      int    // position of Messages[0] in the thread, or Unplaced
	Snapshot   bool   // Messages are the whole thread so far
	Ended      bool   // the thread has ended
	Messages   []Message
}

// Meta is what records say about a run as a whole. Fields that a record does not give are zero.
type Meta struct {
	ID           RunID             `json:"run_id"`
	Format       string            `json:"format,omitempty"` // the dialect that it was read from
	Agent        string            `json:"agent,omitempty"`
	AgentVersion string            `json:"agent_version,omitempty"`
	Provider     string            `json:"provider,omitempty"`
	Model        string            `json:"model,omitempty"`
	Variant      Variant           `json:"variant,omitempty"`
	Attributes   map[string]string `json:"attributes,omitempty"`
	Ended        bool              `json:"ended,omitempty"`
	EndReason    EndReason         `json:"end_reason,omitempty"`
	TaskSuccess  *bool             `json:"task_success,omitempty"`
	Shadow       []Shadow          `json:"shadow,omitempty"`
}

// Shadow is a payload that the model did not see, recorded beside the one that it consumed.
type Shadow struct {
	CallID  string  `json:"call_id"`
	Variant Variant `json:"variant"`
	Payload string  `json:"payload"` // JSON, or text, as the record holds it
}
