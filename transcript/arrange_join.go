package transcript

import (
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
)

// Every field of a slot is a join-semilattice of its own: joining is commutative, associative and idempotent, so that
// the same records give the same message in any order and repetition. Strings: the longer, then the greater hash.
// Usage: the greater of each kind. Seq and Arrived: the smaller. Error marks: whichever says more.

// Join unites what two records say of one slot.
func (k Known) Join(o Known) Known {
	k.Message = k.Message.Join(o.Message)
	k.After = joinAfter(k.After, o.After)
	return k
}

// Holds tells, without certainty where it says no, that joining o would add nothing.
func (k *Known) Holds(o *Known) bool {
	a, b := &k.Message, &o.Message
	same := covers(a.ID, b.ID) && covers(a.Generation, b.Generation) && covers(a.Parent, b.Parent) && a.Role == b.Role &&
		covers(a.Provider, b.Provider) && covers(a.Model, b.Model) && covers(a.Text, b.Text) && covers(a.Reasoning, b.Reasoning) &&
		(b.Time.IsZero() || a.Time.Equal(b.Time)) && !b.Arrived.Before(a.Arrived) && smaller(a.Seq, b.Seq) == a.Seq &&
		len(a.Calls) == len(b.Calls) && len(a.Results) == len(b.Results)
	if !same || (b.Usage != nil && (a.Usage == nil || a.Usage.Max(*b.Usage) != *a.Usage)) {
		return false
	}
	for i := range b.Calls {
		if a.Calls[i] != b.Calls[i] {
			return false
		}
	}
	for i := range b.Results {
		x, y := a.Results[i], b.Results[i]
		if (x.ExitCode == nil) != (y.ExitCode == nil) || (x.ExitCode != nil && *x.ExitCode != *y.ExitCode) {
			return false
		}
		x.ExitCode, y.ExitCode = nil, nil
		if x != y {
			return false
		}
	}
	for _, after := range o.After {
		if !slices.Contains(k.After, after) {
			return false
		}
	}
	return true
}

// covers tells whether a joined with b is a, by a cheap look.
func covers(a, b string) bool { return b == "" || a == b }

// Join unites what two records say of one message. It changes neither of them.
func (m Message) Join(o Message) Message {
	m.ID = longer(m.ID, o.ID)
	m.Generation = longer(m.Generation, o.Generation)
	m.Parent = longer(m.Parent, o.Parent)
	m.Seq = smaller(m.Seq, o.Seq)
	m.Role = Role(longer(string(m.Role), string(o.Role)))
	m.Time = joinTime(m.Time, o.Time)
	m.Arrived = earlier(m.Arrived, o.Arrived)
	m.Provider = longer(m.Provider, o.Provider)
	m.Model = longer(m.Model, o.Model)
	m.Text = longer(m.Text, o.Text)
	m.Reasoning = longer(m.Reasoning, o.Reasoning)
	m.Calls = joinCalls(m.Calls, o.Calls)
	m.Results = joinResults(m.Results, o.Results)
	m.Usage = joinUsage(m.Usage, o.Usage)
	return m
}

// Join unites what two records say of one call.
func (c Call) Join(o Call) Call {
	c.ID = longer(c.ID, o.ID)
	c.Tool = Tool(longer(string(c.Tool), string(o.Tool)))
	c.Arguments = longer(c.Arguments, o.Arguments)
	c.Actor = Actor(longer(string(c.Actor), string(o.Actor)))
	c.Unknown = c.Unknown || o.Unknown
	c.Time = joinTime(c.Time, o.Time)
	return c
}

// Join unites what two records say of one result: the longest body, an error mark from either, and of the fates the
// one that says most (refused, cancelled, ran, still running).
func (r Result) Join(o Result) Result {
	r.CallID = longer(r.CallID, o.CallID)
	r.Tool = Tool(longer(string(r.Tool), string(o.Tool)))
	if bodyLess(&r, &o) {
		r.Body, r.BodyLength, r.BodyHash = o.Body, o.BodyLength, o.BodyHash
	}
	if flagRank(o.Flag) > flagRank(r.Flag) {
		r.Flag = o.Flag
	}
	r.Fate = joinFate(&r, &o)
	if r.ExitCode == nil || (o.ExitCode != nil && *o.ExitCode > *r.ExitCode) {
		r.ExitCode = o.ExitCode
	}
	r.ErrorType = longer(r.ErrorType, o.ErrorType)
	r.Variant = Variant(longer(string(r.Variant), string(o.Variant)))
	r.Actor = Actor(longer(string(r.Actor), string(o.Actor)))
	r.Time = joinTime(r.Time, o.Time)
	return r
}

// joinCalls joins element by element. In one slot the lists have one length; where they have not, the rest is kept.
func joinCalls(a, b []Call) []Call {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) == 0 {
		return a
	}
	out := make([]Call, len(a))
	copy(out, a)
	for i := range b {
		out[i] = a[i].Join(b[i])
	}
	return out
}

func joinResults(a, b []Result) []Result {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(b) == 0 {
		return a
	}
	out := make([]Result, len(a))
	copy(out, a)
	for i := range b {
		out[i] = a[i].Join(b[i])
	}
	return out
}

func joinUsage(a, b *Usage) *Usage {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	u := a.Max(*b)
	return &u
}

func flagRank(f Flag) int {
	switch f {
	case FlagUnset:
		return 0
	case FlagOK:
		return 1
	default:
		return 2
	}
}

func fateRank(f Fate) int {
	switch f {
	case FateRunning:
		return 0
	case FateCancelled:
		return 2
	case FateRefused:
		return 3
	default:
		return 1
	}
}

func joinFate(a, b *Result) Fate {
	if fateRank(b.Fate) > fateRank(a.Fate) {
		return b.Fate
	}
	return a.Fate
}

// bodySize is the length of the whole body, also where it was cut.
func bodySize(r *Result) int { return max(len(r.Body), r.BodyLength) }

func bodyLess(a, b *Result) bool {
	if x, y := bodySize(a), bodySize(b); x != y {
		return x < y
	}
	if x, y := bodyHash(a), bodyHash(b); x != y {
		return x < y
	}
	return a.Body < b.Body
}

// bodyHash orders bodies of one length. A cut body and the same body whole differ, and either may win.
func bodyHash(r *Result) uint64 {
	if r.BodyHash == "" {
		return xxhash.Sum64String(r.Body)
	}
	return xxhash.Sum64String(r.Body) ^ xxhash.Sum64String(r.BodyHash)
}

// longer gives the longer string, of equally long ones that with the greater hash.
func longer(a, b string) string {
	if len(a) != len(b) {
		if len(a) > len(b) {
			return a
		}
		return b
	}
	if a == b {
		return a
	}
	x, y := xxhash.Sum64String(a), xxhash.Sum64String(b)
	if x > y || (x == y && a > b) {
		return a
	}
	return b
}

// smaller gives the smaller number, where zero is none.
func smaller(a, b int64) int64 {
	if a == 0 || (b != 0 && b < a) {
		return b
	}
	return a
}

// earlier gives the earlier time, where zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

// joinTime prefers the more precise of two timestamps of one message. Which of two equally precise ones stays matters
// to nobody, as long as it is always the same one.
func joinTime(a, b time.Time) time.Time {
	if a.Equal(b) || b.IsZero() {
		return a
	}
	if x := timeText(b); longer(timeText(a), x) == x {
		return b
	}
	return a
}

// timeText writes a time as records do, in UTC; the zero time is empty.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
