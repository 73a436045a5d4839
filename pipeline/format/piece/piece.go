// Package piece carries the parts of runs whose own format cannot be cut: logs in which a line means something only
// after those before it, and files that hold trees or archives. Such a dialect decodes an input whole, and what it made
// of it is sent on in pieces, each with some of the messages and their place. Only ingest send makes pieces.
package piece

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// schema is the member that a piece is known by, and its version.
const schema = "errata.piece/v1"

// wire is a piece as it is sent.
type wire struct {
	Schema     string               `json:"schema"`
	Meta       transcript.Meta      `json:"meta"`
	Thread     transcript.ThreadID  `json:"thread,omitempty"`
	ParentCall string               `json:"parent_call,omitempty"`
	First      int                  `json:"first"` // -1: the messages have no place
	Snapshot   bool                 `json:"snapshot,omitempty"`
	Ended      bool                 `json:"ended,omitempty"`
	Messages   []transcript.Message `json:"messages"`
}

// Decode gives a decoder that reads pieces, and leaves everything else to the dialect's own.
func Decode(own func(dialect.Input) (dialect.Output, error)) func(dialect.Input) (dialect.Output, error) {
	return func(in dialect.Input) (dialect.Output, error) {
		if is(in.Value) {
			return read(in.Value)
		}
		return own(in)
	}
}

// is tells a piece from records of the dialect's own.
func is(value []byte) bool {
	if len(value) == 0 || value[0] != '{' {
		return false
	}
	shape, _ := record.ShapeOf(value)
	return shape.First().Text("schema") == schema
}

func read(value []byte) (dialect.Output, error) {
	var w wire
	if err := record.Unmarshal(value, &w); err != nil {
		return dialect.Output{}, err
	}
	if w.Meta.ID == "" || w.First < transcript.Unplaced || len(w.Messages) > record.MaxMessages {
		return dialect.Output{}, dialect.Reject{
			Reason: dialect.ReasonWrongType, Message: "this is no piece that ingest send made; send the file that it came from",
		}
	}
	for i := range w.Messages {
		if !sound(&w.Messages[i]) {
			return dialect.Output{}, dialect.Reject{
				Reason: dialect.ReasonWrongType, Pointer: "/messages/" + strconv.Itoa(i), Run: w.Meta.ID,
				Message: "this is no message that ingest send wrote; send the file that it came from",
			}
		}
	}
	return dialect.Output{Fragments: []transcript.Fragment{{
		Meta: w.Meta, Thread: w.Thread, ParentCall: w.ParentCall, First: w.First,
		Snapshot: w.Snapshot, Ended: w.Ended, Messages: w.Messages,
	}}}, nil
}

// sound tells whether a message is one that a decoder could have made.
func sound(m *transcript.Message) bool {
	switch m.Role {
	case transcript.RoleAssistant:
	case transcript.RoleSystem, transcript.RoleUser, transcript.RoleTool, transcript.RoleHarness:
		if m.Usage != nil {
			return false
		}
	default:
		return false
	}
	if len(m.Calls) > record.MaxParts || len(m.Results) > record.MaxParts {
		return false
	}
	times := []time.Time{m.Time, m.Arrived}
	for i := range m.Calls {
		if m.Calls[i].Tool == "" {
			return false
		}
		times = append(times, m.Calls[i].Time)
	}
	for i := range m.Results {
		times = append(times, m.Results[i].Time)
	}
	return !slices.ContainsFunc(times, func(t time.Time) bool {
		return !t.IsZero() && (t.Year() < 1970 || t.Year() >= 2262)
	})
}

// Split gives the splitter that belongs to Decode. An input of one run that is small enough is sent as it is.
func Split(own func(dialect.Input) (dialect.Output, error)) func(dialect.Input, int) ([]dialect.Part, []dialect.Reject) {
	return func(in dialect.Input, most int) ([]dialect.Part, []dialect.Reject) {
		return record.SplitEach(in.Value, func(object []byte) ([]dialect.Part, error) {
			in.Value = object
			parts, rejects := split(in, own, most, false)
			if len(rejects) > 0 && len(parts) == 0 {
				return nil, rejects[0]
			}
			return parts, nil
		})
	}
}

// SplitWhole is Split for dialects that take their input whole.
func SplitWhole(own func(dialect.Input) (dialect.Output, error)) func(dialect.Input, int) ([]dialect.Part, []dialect.Reject) {
	return func(in dialect.Input, most int) ([]dialect.Part, []dialect.Reject) {
		return split(in, own, most, false)
	}
}

// SplitNamed is SplitWhole for dialects that read the names of files too. Since records have none, what comes of a file is
// always sent in pieces, which say what was read of its name.
func SplitNamed(own func(dialect.Input) (dialect.Output, error)) func(dialect.Input, int) ([]dialect.Part, []dialect.Reject) {
	return func(in dialect.Input, most int) ([]dialect.Part, []dialect.Reject) {
		return split(in, own, most, in.Path != "")
	}
}

// split cuts an input, or makes pieces of it in any case.
func split(in dialect.Input, own func(dialect.Input) (dialect.Output, error), most int, always bool) ([]dialect.Part, []dialect.Reject) {
	out, err := Decode(own)(in)
	if err != nil {
		return nil, []dialect.Reject{record.Refuse(err)}
	}
	for i := range out.Fragments {
		meta := &out.Fragments[i].Meta
		if meta.ID == "" {
			meta.ID = transcript.RunID(in.Headers[dialect.HeaderRun])
		}
		if meta.ID == "" {
			return nil, append(out.Rejects, dialect.Reject{
				Reason:  dialect.ReasonMissingField,
				Message: "the input does not say which run it is of; give it the header " + dialect.HeaderRun,
			})
		}
	}
	if !always && len(out.Fragments) > 0 && len(in.Value) <= most && oneRun(out.Fragments) {
		return []dialect.Part{{Key: string(out.Fragments[0].Meta.ID), Value: in.Value}}, out.Rejects
	}
	last := make(map[transcript.RunID]int)
	for i := range out.Fragments {
		last[out.Fragments[i].Meta.ID] = i
	}
	var parts []dialect.Part
	for i := range out.Fragments {
		f := &out.Fragments[i]
		cut := cutter{fragment: f, most: most, last: last[f.Meta.ID] == i}
		parts = append(parts, cut.parts()...)
	}
	return parts, out.Rejects
}

func oneRun(fragments []transcript.Fragment) bool {
	return !slices.ContainsFunc(fragments, func(f transcript.Fragment) bool { return f.Meta.ID != fragments[0].Meta.ID })
}

// cutter makes parts of one fragment.
type cutter struct {
	fragment *transcript.Fragment
	most     int
	last     bool // no other fragment of its run follows
}

func (c *cutter) parts() []dialect.Part {
	f := c.fragment
	const frame = 512 // what stands around the messages, about
	var parts []dialect.Part
	from, size := 0, frame
	for i := range f.Messages {
		length := 0
		if encoded, err := json.Marshal(&f.Messages[i]); err == nil {
			length = len(encoded) + 1
		}
		if i > from && size+length > c.most {
			parts = append(parts, c.part(from, i))
			from, size = i, frame
		}
		size += length
	}
	return append(parts, c.part(from, len(f.Messages)))
}

// part is the piece with the messages [from, to). What ended the run or the thread is said by the last one only.
func (c *cutter) part(from, to int) dialect.Part {
	f := c.fragment
	w := wire{Schema: schema, Meta: f.Meta, Thread: f.Thread, ParentCall: f.ParentCall, First: f.First, Ended: f.Ended, Messages: f.Messages[from:to]}
	whole := from == 0 && to == len(f.Messages)
	if f.First != transcript.Unplaced {
		w.First += from
		w.Snapshot = f.Snapshot && whole
	}
	if to < len(f.Messages) {
		w.Ended = false
	}
	if to < len(f.Messages) || !c.last {
		w.Meta.Ended, w.Meta.EndReason = false, ""
	}
	// A fragment holds texts, numbers and times within the years that JSON can write, so that this cannot fail.
	value, _ := json.Marshal(&w)
	return dialect.Part{Key: string(f.Meta.ID), Value: value}
}
