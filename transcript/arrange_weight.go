package transcript

import (
	"time"

	"github.com/cespare/xxhash/v2"
)

// The weight of a slot grows, strictly, whenever a join adds to what is known of it; it is the version of its row. It is
// a sum over the fields of the slot of a number that grows with the field. A string counts its length and 20
// bits of its hash, in the order in which the longer, then the greater wins; a minimum counts its distance from a bound.
// With a slot below 2^46, the sum over 100,000 slots of a run stays below 2^63.
const (
	hashBits  = 20
	timeBound = 1 << 42 // milliseconds since 1970, in the year 2109
	seqBound  = 1 << 36
	maxUsage  = 1 << 40
)

// Weight is the version of a slot: how much is known of it.
func (k *Known) Weight() uint64 {
	w := 1 + k.Message.weight()
	for _, a := range k.After {
		w += 1 + uint64(a>>(32-hashBits))
	}
	return w
}

func (m *Message) weight() uint64 {
	w := sizeWeight(m.ID, m.Generation, m.Parent, string(m.Role), timeText(m.Time), m.Provider, m.Model, m.Text, m.Reasoning)
	w += ArrivedWeight(m.Arrived)
	if m.Seq != 0 {
		w += uint64(seqBound - min(max(m.Seq, 0), seqBound-1))
	}
	for i := range m.Calls {
		w += m.Calls[i].weight()
	}
	for i := range m.Results {
		w += m.Results[i].weight()
	}
	if m.Usage != nil {
		w += 1 + uint64(m.Usage.Total())
	}
	return w
}

func (c *Call) weight() uint64 {
	w := 1 + sizeWeight(c.ID, string(c.Tool), c.Arguments, string(c.Actor), timeText(c.Time))
	if c.Unknown {
		w++
	}
	return w
}

func (r *Result) weight() uint64 {
	w := 1 + sizeWeight(r.CallID, string(r.Tool), r.ErrorType, string(r.Variant), string(r.Actor), timeText(r.Time))
	w += uint64(bodySize(r))<<hashBits + bodyHash(r)>>(64-hashBits)
	w += uint64(flagRank(r.Flag)) + uint64(fateRank(r.Fate))
	if r.ExitCode != nil {
		w += 1 + uint64(min(max(*r.ExitCode, -1<<31), 1<<31)+1<<31)
	}
	return w
}

// ArrivedWeight is the part of a version that grows when an earlier arrival becomes known.
func ArrivedWeight(t time.Time) uint64 {
	if t.IsZero() {
		return 0
	}
	return uint64(timeBound - min(max(t.UnixMilli(), 0), timeBound-1))
}

// sizeWeight sums the weights of strings of which the longer, then the greater hash wins.
func sizeWeight(fields ...string) uint64 {
	var w uint64
	for _, s := range fields {
		if s != "" {
			w += uint64(len(s))<<hashBits + xxhash.Sum64String(s)>>(64-hashBits)
		}
	}
	return w
}
