package simulate

import "time"

// The outcomes of a call.
const (
	OK        = "ok"
	Error     = "error"
	Refused   = "refused"
	Cancelled = "cancelled"
	Pending   = "pending"
)

// The labels of an errored call; Unlabelled where the run is still open and
// nothing has followed the error yet.
const (
	Repeat     = "repeat"
	Corrected  = "corrected"
	Switched   = "switched"
	Replied    = "replied"
	User       = "user"
	Ended      = "ended"
	Unlabelled = ""
)

// The endings of an episode.
const (
	Recovered         = "recovered"
	RecoveredWithUser = "recovered_with_user"
	Abandoned         = "abandoned"
	Open              = "open"
)

// The reasons of an abandoned episode.
const (
	TurnLimit    = "turn_limit"
	CutOff       = "cut_off"
	UserLeft     = "user_left"
	MovedOn      = "moved_on"
	HandedToUser = "handed_to_user"
	Stopped      = "stopped"
)

// Tokens is the use of one turn or of many, in one meaning for all providers:
// Input was not in the cache, Output includes reasoning.
type Tokens struct{ Input, CacheRead, CacheWrite, Output int64 }

// Total is the sum of all kinds.
func (t Tokens) Total() int64 { return t.Input + t.CacheRead + t.CacheWrite + t.Output }

// Add is the sum, kind by kind.
func (t Tokens) Add(u Tokens) Tokens {
	return Tokens{t.Input + u.Input, t.CacheRead + u.CacheRead, t.CacheWrite + u.CacheWrite, t.Output + u.Output}
}

// part is the share of the i-th of k: whole tokens, the remainder to the first.
func (t Tokens) part(i, k int) Tokens {
	cut := func(n int64) int64 {
		p := n / int64(k)
		if int64(i) < n%int64(k) {
			p++
		}
		return p
	}
	return Tokens{cut(t.Input), cut(t.CacheRead), cut(t.CacheWrite), cut(t.Output)}
}

// CallTruth is one call of the agent. Its time is its result's, else its own;
// its index counts from 0 in its turn.
type CallTruth struct {
	Thread, ID, Tool, Outcome, Variant string
	Turn, Index                        int
	Time                               time.Time
}

// ErrorTruth is one errored call and what came next.
type ErrorTruth struct {
	CallTruth
	Code  string // folded; "~" and the words of the message where the error carries no code
	Label string
	// Sanctioned says that the error called itself retryable. A repeat is
	// sanctioned with it and futile without it.
	Sanctioned bool
	// Retryable is "true", "false" or "" as the error said it.
	Retryable    string
	NextAction   string
	RetryAfterMS int
	// Honoured is set where the error named a time to wait and the identical
	// call came next: whether it came no sooner.
	Honoured *bool
	// Episode is the place in Truth.Episodes that the call belongs to.
	Episode int
}

// ChainTruth is a maximal series of repeats of one call.
type ChainTruth struct {
	Thread, Tool, Code, Variant string
	Time                        time.Time // of the first error
	Repeats                     int
}

// HelperTruth counts the successful calls of one other tool in an episode.
type HelperTruth struct {
	Tool  string
	Calls int
	// ValueFromHelper says that the value which worked stands in a result of
	// it, NamedByError that the error itself named the tool.
	ValueFromHelper, NamedByError bool
}

// EpisodeTruth is the stretch from a first error to its recovery or its end.
type EpisodeTruth struct {
	Thread, Tool, Code, Variant string
	Opened                      time.Time // time of the first error
	Turn                        int       // turn of the first error
	Errors                      int
	Ending, Reason              string
	Attempts                    int
	Turns                       int     // to the recovery, 0 without one
	Seconds                     float64 // to the recovery, 0 without one
	// Helpers are the tools that worked in turns after the first error and
	// before the one of the recovery.
	Helpers      []HelperTruth
	SerialFaults int
	// CollateralChanged counts arguments that changed without being named by
	// the error before; one that got another name is one.
	CollateralChanged int
	// settled is the reason once the run has ended by its silence.
	settled string
}

// ChargeTruth is the part of one turn that one episode pays for.
type ChargeTruth struct {
	Thread, Tool, Code, Variant string // tool and variant of the episode, code of its latest error
	Turn, Episode               int
	// Turns is 1, and 0 where the turn is counted in the part of an episode
	// that opened earlier.
	Turns  int
	Time   time.Time // of the turn
	Tokens Tokens
}

// AliasTruth is one pair that one episode gives, before any guard.
type AliasTruth struct {
	Level    string // value, parameter or tool
	Tool     string // the requested tool on level tool
	Field    string // top-level argument, without a slash; empty on the other levels
	Rejected string
	Accepted string
	Kind     string // case, format, typo or alias
	Inferred bool
	// Guard says why a reviewer must not be shown it, however often it is
	// seen: open_ended or email, else empty.
	Guard   string
	Episode int
}

// ShadowTruth is one errored call that also carries the other payload.
type ShadowTruth struct{ CallID, OldCode, NewCode string }

// Truth is what is so about one run, as its plan decided it. For a run that is
// still open it holds at the run's last message; Settled gives it for later.
type Truth struct {
	RunID, Agent, Model, Provider string
	Variant                       string // of the run; a call's own may differ in a straddling run
	Started, LastActivity         time.Time
	Open                          bool   // no record says that it ended
	EndReason                     string // as the record says it, empty while open
	TaskSuccess                   *bool
	Turns                         int // of all threads
	Tokens                        Tokens

	Calls    []CallTruth
	Errors   []ErrorTruth
	Chains   []ChainTruth
	Episodes []EpisodeTruth
	Charges  []ChargeTruth
	Aliases  []AliasTruth
	Shadows  []ShadowTruth

	IdleRepeats, StuckStreaks, Cycles int
	// Scenes names what was played, in order.
	Scenes []string
}

// Count is the number of calls with this outcome.
func (t *Truth) Count(outcome string) int {
	n := 0
	for i := range t.Calls {
		if t.Calls[i].Outcome == outcome {
			n++
		}
	}
	return n
}

// Labelled is the number of errored calls with this label.
func (t *Truth) Labelled(label string) int {
	n := 0
	for i := range t.Errors {
		if t.Errors[i].Label == label {
			n++
		}
	}
	return n
}

// LongestChain is the number of repeats of the longest chain.
func (t *Truth) LongestChain() int {
	n := 0
	for _, c := range t.Chains {
		n = max(n, c.Repeats)
	}
	return n
}

// Straddles says that the run saw payloads of two variants.
func (t *Truth) Straddles() bool {
	for i := range t.Calls {
		if t.Calls[i].Variant != t.Calls[0].Variant {
			return true
		}
	}
	return false
}

// Settled is the truth once an open run has been silent for longer than the
// idle limit: what was unlabelled is ended and what was open is abandoned.
func (t *Truth) Settled() Truth { return t.settle(func(time.Time) bool { return true }, true) }

// At is the truth as of a moment after the run's last message, with the label
// horizon and the idle limit of the specification.
func (t *Truth) At(asOf time.Time, horizon, idle time.Duration) Truth {
	ended := asOf.Sub(t.LastActivity) > idle
	return t.settle(func(at time.Time) bool { return ended || asOf.Sub(at) >= horizon }, ended)
}

// settle gives a copy in which errors of certain times are known to have no
// next step, and open episodes are abandoned if the run has ended.
func (t *Truth) settle(known func(time.Time) bool, ended bool) Truth {
	s := *t
	s.Errors = append([]ErrorTruth(nil), t.Errors...)
	for i := range s.Errors {
		if e := &s.Errors[i]; e.Label == Unlabelled && known(e.Time) {
			e.Label = Ended
		}
	}
	s.Episodes = append([]EpisodeTruth(nil), t.Episodes...)
	for i := range s.Episodes {
		if e := &s.Episodes[i]; e.Ending == Open && ended {
			e.Ending, e.Reason = Abandoned, e.settled
		}
	}
	return s
}
