package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// The dimensions that truths can be grouped by, under the names of the API.
const (
	ByTool    = "tool"
	ByCode    = "code"
	ByVariant = "variant"
	ByModel   = "model"
	ByAgent   = "agent"
	ByDay     = "day"
	ByHour    = "hour"
	ByMinute  = "minute"
)

// Key says what a group is of; what it is not grouped by is empty.
type Key struct {
	Tool, Code, Variant, Model, Agent string
	// Time is the first moment of the day, hour or minute, zero without one.
	Time time.Time
}

// Group is the sum over what has one key. By code it holds errored calls, and
// the episodes and charges of that code, alone.
type Group struct {
	Key Key

	Runs, RunsWithError, RunsWithLoop                 int // with a call counted here, with an error, with a repeat
	Calls, OK, Errored, Refused, Cancelled, Pending   int
	Labelled, Repeat, Corrected, Switched             int // the loop rate is Repeat / Labelled
	Replied, User, Ended                              int
	Futile, Sanctioned, Honoured, NotHonoured         int
	Loops, LongestChain                               int
	Episodes, Recovered, RecoveredWithUser, Abandoned int
	Open, SerialFaults, CollateralChanged             int
	Reasons                                           map[string]int
	Attempts, Turns                                   map[int]int // recovered episodes of both kinds, by number
	RecoveryTurns                                     int
	RecoveryTokens                                    Tokens

	callRun, errorRun, loopRun string // the last run counted, for distinct ones
}

// Tally sums truths up, run by run, in a memory that grows with the groups.
type Tally struct {
	by     map[string]bool
	groups map[Key]*Group
}

// NewTally sums by these dimensions; by none it makes one group.
func NewTally(by ...string) *Tally {
	t := &Tally{by: map[string]bool{}, groups: map[Key]*Group{}}
	for _, b := range by {
		t.by[b] = true
	}
	return t
}

// Aggregate is the sums of all truths by these dimensions, in the order of
// their keys.
func Aggregate(truths []Truth, by ...string) []Group {
	t := NewTally(by...)
	for i := range truths {
		t.Add(&truths[i])
	}
	return t.Groups()
}

// Groups gives the sums so far in the order of their keys.
func (t *Tally) Groups() []Group {
	list := make([]Group, 0, len(t.groups))
	for _, g := range t.groups {
		list = append(list, *g)
	}
	slices.SortFunc(list, func(a, b Group) int {
		return cmp.Or(a.Key.Time.Compare(b.Key.Time), cmp.Compare(fmt.Sprint(a.Key), fmt.Sprint(b.Key)))
	})
	return list
}

// Add takes one run up. A run is added once.
func (t *Tally) Add(r *Truth) {
	for i := range r.Calls {
		if c := &r.Calls[i]; !t.by[ByCode] {
			t.group(r, c.Tool, "", c.Variant, c.Time).addCall(r, c)
		}
	}
	for i := range r.Errors {
		e := &r.Errors[i]
		g := t.group(r, e.Tool, e.Code, e.Variant, e.Time)
		if t.by[ByCode] {
			g.addCall(r, &e.CallTruth)
		}
		g.addError(r, e)
	}
	for _, c := range r.Chains {
		g := t.group(r, c.Tool, c.Code, c.Variant, c.Time)
		g.Loops++
		g.LongestChain = max(g.LongestChain, c.Repeats)
	}
	for i := range r.Episodes {
		e := &r.Episodes[i]
		t.group(r, e.Tool, e.Code, e.Variant, e.Opened).addEpisode(e)
	}
	for i := range r.Charges {
		c := &r.Charges[i]
		g := t.group(r, c.Tool, c.Code, c.Variant, c.Time)
		g.RecoveryTurns += c.Turns
		g.RecoveryTokens = g.RecoveryTokens.Add(c.Tokens)
	}
}

// group is the group of a row with these values.
func (t *Tally) group(r *Truth, tool, code, variant string, at time.Time) *Group {
	only := func(by, value string) string {
		if t.by[by] {
			return value
		}
		return ""
	}
	k := Key{only(ByTool, tool), only(ByCode, code), only(ByVariant, variant), only(ByModel, r.Model), only(ByAgent, r.Agent), t.bucket(at)}
	g := t.groups[k]
	if g == nil {
		g = &Group{Key: k, Reasons: map[string]int{}, Attempts: map[int]int{}, Turns: map[int]int{}}
		t.groups[k] = g
	}
	return g
}

// bucket is the first moment of the bucket, of the finest grain asked for.
func (t *Tally) bucket(at time.Time) time.Time {
	switch {
	case t.by[ByMinute]:
		return at.UTC().Truncate(time.Minute)
	case t.by[ByHour]:
		return at.UTC().Truncate(time.Hour)
	case t.by[ByDay]:
		return at.UTC().Truncate(24 * time.Hour)
	}
	return time.Time{}
}

func (g *Group) addCall(r *Truth, c *CallTruth) {
	g.Calls++
	switch c.Outcome {
	case OK:
		g.OK++
	case Error:
		g.Errored++
	case Refused:
		g.Refused++
	case Cancelled:
		g.Cancelled++
	case Pending:
		g.Pending++
	}
	g.Runs += first(&g.callRun, r.RunID)
}

func (g *Group) addError(r *Truth, e *ErrorTruth) {
	g.RunsWithError += first(&g.errorRun, r.RunID)
	if e.Label == Unlabelled {
		return
	}
	g.Labelled++
	counts := map[string]*int{Repeat: &g.Repeat, Corrected: &g.Corrected, Switched: &g.Switched, Replied: &g.Replied, User: &g.User, Ended: &g.Ended}
	*counts[e.Label]++
	if e.Honoured != nil {
		if *e.Honoured {
			g.Honoured++
		} else {
			g.NotHonoured++
		}
	}
	if e.Label != Repeat {
		return
	}
	g.RunsWithLoop += first(&g.loopRun, r.RunID)
	if e.Sanctioned {
		g.Sanctioned++
	} else {
		g.Futile++
	}
}

func (g *Group) addEpisode(e *EpisodeTruth) {
	g.Episodes++
	g.SerialFaults += e.SerialFaults
	g.CollateralChanged += e.CollateralChanged
	switch e.Ending {
	case Open:
		g.Open++
		return
	case Abandoned:
		g.Abandoned++
		g.Reasons[e.Reason]++
		return
	case RecoveredWithUser:
		g.RecoveredWithUser++
	case Recovered:
		g.Recovered++
	}
	g.Attempts[e.Attempts]++
	g.Turns[e.Turns]++
}

// first is 1 when the run is another than the last one counted, which it then is.
func first(last *string, run string) int {
	if *last == run {
		return 0
	}
	*last = run
	return 1
}
