package metrics

import (
	"time"

	"errata/transcript"
)

// Outcome is how a call ended, by section 2 of the metrics specification.
type Outcome string

// The outcomes.
const (
	OutcomeOK        Outcome = "ok"
	OutcomeError     Outcome = "error"
	OutcomeRefused   Outcome = "refused"
	OutcomeCancelled Outcome = "cancelled"
	OutcomePending   Outcome = "pending"
)

// Label is the next action after an errored call.
type Label string

// The labels. LabelNone means that the next step is not known: no turn follows, and neither does a user message.
// It becomes LabelEnded once the run has ended or the label horizon has passed.
const (
	LabelNone      Label = ""
	LabelUser      Label = "user"
	LabelRepeat    Label = "repeat"
	LabelCorrected Label = "corrected"
	LabelSwitched  Label = "switched"
	LabelReplied   Label = "replied"
	LabelEnded     Label = "ended"
)

// Ending is how an episode ended.
type Ending string

// The endings. An open episode becomes abandoned once its run has ended.
const (
	EndingRecovered         Ending = "recovered"
	EndingRecoveredWithUser Ending = "recovered_with_user"
	EndingAbandoned         Ending = "abandoned"
	EndingOpen              Ending = "open"
)

// Reason says why an episode was abandoned.
type Reason string

// The reasons.
const (
	ReasonTurnLimit    Reason = "turn_limit"
	ReasonCutOff       Reason = "cut_off"
	ReasonUserLeft     Reason = "user_left"
	ReasonMovedOn      Reason = "moved_on"
	ReasonHandedToUser Reason = "handed_to_user"
	ReasonStopped      Reason = "stopped"
)

// Ref is the place of a call in its run.
type Ref struct {
	Thread transcript.ThreadID
	Turn   int // Turn.Number
	Index  int // in its turn
}

// Facts is everything that is mined from one run.
type Facts struct {
	Run         RunFact
	Calls       []CallFact // every call of the agent, in order of thread, turn and index
	Episodes    []EpisodeFact
	Charges     []ChargeFact
	Patterns    []PatternFact
	Pairs       []PairFact
	Accepted    []AcceptedFact
	Findings    []FindingFact
	Shadows     []ShadowFact // payloads that the model did not see, beside those that it did
	LeakedCalls int          // tool calls that leaked as text, which are no calls
}

// RunFact is what there is to say of the run as a whole.
type RunFact struct {
	Meta         transcript.Meta
	Started      time.Time
	LastActivity time.Time
	Timed        bool
	Turns        int
	Usage        transcript.Usage // of all generations of all threads and branches
	Estimated    int64            // the tokens of Usage that were estimated
	Money        int64            // in nano-dollars; of the generations whose model has a price
	Unpriced     []string         // models without a price, sorted; UnnamedModel where the record names none
}

// CallFact is one call of the agent.
type CallFact struct {
	Ref
	ID        string
	Tool      transcript.Tool
	Time      time.Time // when it counts
	Asked     time.Time
	Provider  string
	Model     string
	Variant   transcript.Variant // of the result, else of the run, else the schema of its error
	Outcome   Outcome
	ErrorRule string // name of the rule of section 2 that decided
	Hash      uint64 // of tool and canonical arguments: equal exactly for identical calls
	Malformed bool   // arguments that do not parse or are no object
	Unknown   bool   // there is no such tool

	// For errored calls only.
	Error      transcript.ErrorObject
	Code       transcript.Code // as sent or mined
	Folded     transcript.Code // the code that figures are grouped by
	Template   string          // the message with its volatile parts replaced
	BodyTokens int64
	Label      Label
	Sanctioned bool  // a repeat is sanctioned: the error said retryable: true
	Obeyed     *bool // what the error asked for was done; nil: it asked for nothing that can be judged, or not known yet
	Honoured   *bool // of an error with retry_after_ms that was followed by an identical call: it came no sooner
	Chain      int   // for the first error of a chain, the errored calls labelled repeat in it, else 0
}

// EpisodeFact is the stretch from a first error to its recovery or its end.
type EpisodeFact struct {
	First    Ref // the errored call that opened it
	Last     Ref // the last call that belongs to it
	Calls    []Ref
	Tool     transcript.Tool
	Code     transcript.Code // of the first error, folded
	Model    string
	Variant  transcript.Variant
	Time     time.Time // of the first error
	Ending   Ending
	Reason   Reason // of an abandoned episode, or of an open one if its run should be found ended
	Attempts int    // calls that belong to it after its first error, the successful one included
	Turns    int    // turn of the success − turn of the first error; 0 unless recovered
	Seconds  float64
	Helpers  []HelperFact
	Serial   int // serial faults
	Changed  int // collateral arguments
	Rejected int // collateral arguments that the next error blames
	Streak   int // of a recovered episode, the failures of its tool in a row just before the recovering call
}

// HelperFact is a tool that was used with success inside an episode.
type HelperFact struct {
	Tool         transcript.Tool
	Calls        int
	Tokens       int64 // of its results
	ValueFromIt  bool  // the value that finally worked occurs in a result
	NamedByError bool
}

// ChargeFact is what one turn cost one error code.
type ChargeFact struct {
	Thread    transcript.ThreadID
	Turn      int
	Episode   int             // index into Facts.Episodes
	Time      time.Time       // the turn's
	Tool      transcript.Tool // of the episode's most recent error before the turn, as the code
	Code      transcript.Code // folded
	Model     string          // of the episode's first error, as the variant
	Variant   transcript.Variant
	Turns     int              // 1, or 0 where the turn is counted in another part
	Usage     transcript.Usage // this part of the turn's tokens
	Estimated bool
	Money     int64   // nano-dollars, this part
	Seconds   float64 // from the last result of the turn before to its own last one, this part
	Streak    int     // the failures of its tool in a row just before the turn
}

// PatternKind names a figure of its own beside the loop rate.
type PatternKind string

// The patterns.
const (
	PatternIdleRepeat  PatternKind = "idle_repeat"
	PatternStuckStreak PatternKind = "stuck_streak"
	PatternCycle       PatternKind = "cycle"
)

// PatternFact is one idle repeat, stuck streak or cycle.
type PatternFact struct {
	Kind    PatternKind
	First   Ref
	Time    time.Time
	Tool    transcript.Tool
	Code    transcript.Code // of streaks; of cycles the code of their first failing call; else ""
	Model   string
	Variant transcript.Variant
	Length  int // calls in it; 1 for an idle repeat, which is the call at First
}

// Level says what kind of name was guessed wrongly.
type Level string

// The levels.
const (
	LevelValue     Level = "value"
	LevelParameter Level = "parameter"
	LevelTool      Level = "tool"
)

// PairFact is one rejected name with the accepted one that followed.
type PairFact struct {
	Level    Level
	Tool     transcript.Tool
	Code     transcript.Code // of the rejection, folded
	Field    string          // JSON Pointer, of a parameter the rejected one; "" at the level of tools
	Rejected string          // values as canonical JSON scalars; names as they are
	Accepted string
	Kind     string // "case", "format", "typo" or "alias"
	Inferred bool   // of values: the error did not name the argument
	Episode  int
	Model    string
	Variant  transcript.Variant
	Time     time.Time // of the episode's first error
}

// FindingFact is one breach of the contract of an error payload.
type FindingFact struct {
	Finding string
	Ref     Ref
	Time    time.Time
	Tool    transcript.Tool
	Code    transcript.Code
	Model   string
	Variant transcript.Variant
}

// AcceptedFact counts the values that accepted calls gave for one argument: what tells open-ended fields.
type AcceptedFact struct {
	Tool   transcript.Tool
	Field  string   // JSON Pointer
	Calls  int      // accepted calls that gave a scalar value
	Values []uint32 // hashes of the distinct values, sorted
}
