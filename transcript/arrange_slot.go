package transcript

import (
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// headLength is how much of a message's strings tells it from others where it has no id. A message that grows
// while it is written keeps its slot, a summary that takes the place of a task gets one of its own.
const headLength = 64

// maxAfter bounds the predecessors that are kept of a slot; the greatest stay.
const maxAfter = 8

// SlotOf names the slot of a message at a position, or Unplaced. Two records that speak of one message give it one
// slot; messages of different calls never share one, whatever position they claim, so that nothing is lost when a
// compacted history numbers its messages anew. Occurrence tells repeats apart that one record holds without ids.
func SlotOf(m *Message, position, occurrence int) string {
	d := digest{}
	d.reset()
	d.field(string(m.Role))
	d.field(m.ID)
	for i := range m.Calls {
		d.field("call")
		d.field(m.Calls[i].ID)
		d.field(string(m.Calls[i].Tool))
		d.field(string(m.Calls[i].Actor))
	}
	for i := range m.Results {
		d.field("result")
		d.field(m.Results[i].CallID)
		d.field(string(m.Results[i].Tool))
		d.field(string(m.Results[i].Actor))
	}
	if !anchored(m) {
		d.heads(m)
	}
	if position == Unplaced && m.ID == "" {
		d.content(m)
		d.field(strconv.Itoa(occurrence))
	}
	place := "u"
	if position != Unplaced {
		place = strconv.Itoa(position)
	}
	return place + "." + strconv.FormatUint(d.sum(), 36)
}

// Fingerprint is the short form of a slot by which others name it as their predecessor.
func Fingerprint(slot string) uint32 { return uint32(xxhash.Sum64String(slot)) }

// joinAfter unites two sorted sets of predecessors.
func joinAfter(a, b []uint32) []uint32 {
	if len(b) == 0 || slices.Equal(a, b) {
		return a
	}
	if len(a) == 0 {
		return b
	}
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	all = slices.Compact(all)
	return all[max(0, len(all)-maxAfter):]
}

// digest hashes fields so that their borders count.
type digest struct{ h xxhash.Digest }

func (d *digest) reset() { d.h.Reset() }

func (d *digest) field(s string) {
	var n [binaryLength]byte
	d.h.Write(strconv.AppendInt(n[:0], int64(len(s)), 36))
	d.h.WriteString(":")
	d.h.WriteString(s)
}

// content adds what a message says and when, which is its identity where it has no id.
func (d *digest) content(m *Message) {
	d.field(m.Generation)
	d.field(timeText(m.Time))
	d.field(m.Text)
	d.field(m.Reasoning)
	for i := range m.Calls {
		d.field(m.Calls[i].Arguments)
	}
	for i := range m.Results {
		d.field(m.Results[i].Body)
	}
}

// heads adds how a message's strings begin, which is its identity at a position where it has no id.
func (d *digest) heads(m *Message) {
	head := func(s string) { d.field(s[:min(len(s), headLength)]) }
	head(m.Text)
	for i := range m.Calls {
		head(m.Calls[i].Arguments)
	}
	for i := range m.Results {
		head(m.Results[i].Body)
	}
}

func (d *digest) sum() uint64 { return d.h.Sum64() }

const binaryLength = 16
