package record

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// Cut says how to cut a JSON object that is too large along one of its lists.
type Cut struct {
	Object []byte
	List   string   // the member whose elements are spread over the pieces
	Most   int      // bytes of a piece; an element that is larger by itself makes a larger piece
	Drop   []string // members that no piece gets
	Last   []string // members that only the last piece gets
}

// Piece is an object with some of the elements of the whole one's list, and all its other members.
type Piece struct {
	Value []byte
	First int // index of the piece's first element in the list
}

// Pieces cuts the object. There is at least one piece, without elements where the list has none.
func (c Cut) Pieces() ([]Piece, error) {
	shape, err := ShapeOf(c.Object)
	if err != nil {
		return nil, err
	}
	frame, last := c.frames(shape.First())
	room := c.Most - len(frame) - len(last) - len(`"":[]}`) - len(c.List)
	var pieces []Piece
	var gathered []jsontext.Value
	size, first := 0, 0
	flush := func(frame []byte) {
		pieces = append(pieces, Piece{Value: c.encode(frame, gathered), First: first})
		first += len(gathered)
		gathered, size = nil, 0
	}
	list := shape.First().Get(c.List)
	if list != nil {
		for element, err := range Each(list, dialect.Array) {
			if err != nil {
				return nil, Refuse(err).Within(0, "/"+c.List)
			}
			if len(gathered) > 0 && size+len(element.Value)+1 > room {
				flush(frame)
			}
			gathered = append(gathered, element.Value)
			size += len(element.Value) + 1
		}
	}
	flush(slices.Concat(frame, last))
	return pieces, nil
}

// frames gives what stands before the list in every piece, and what the last one has beside it.
func (c Cut) frames(members dialect.Members) (frame, last []byte) {
	frame = []byte{'{'}
	for _, member := range members {
		switch {
		case member.Name == c.List, slices.Contains(c.Drop, member.Name):
		case slices.Contains(c.Last, member.Name):
			last = appendMember(last, member)
		default:
			frame = appendMember(frame, member)
		}
	}
	return frame, last
}

func appendMember(out []byte, member dialect.Member) []byte {
	// A name with bytes that are no UTF-8 is written with U+FFFD in their place, hence the error says nothing new.
	out, _ = jsontext.AppendQuote(out, member.Name)
	out = append(out, ':')
	out = append(out, member.Value...)
	return append(out, ',')
}

func (c Cut) encode(frame []byte, elements []jsontext.Value) []byte {
	out, _ := jsontext.AppendQuote(slices.Clone(frame), c.List)
	out = append(out, ':', '[')
	for i, element := range elements {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, element...)
	}
	return append(out, ']', '}')
}

// RunParts cuts the object of one run and makes parts of it. A run in one piece needs nothing beside it; of several,
// each says in headers whose it is and where it begins, and all but the last that more follow.
func (c Cut) RunParts(run transcript.RunID) ([]dialect.Part, error) {
	pieces, err := c.Pieces()
	if err != nil {
		return nil, err
	}
	parts := make([]dialect.Part, len(pieces))
	for i, piece := range pieces {
		parts[i] = dialect.Part{Key: string(run), Value: piece.Value}
		if len(pieces) == 1 {
			break
		}
		parts[i].Headers = map[string]string{
			dialect.HeaderRun:   string(run),
			dialect.HeaderFirst: strconv.Itoa(piece.First),
		}
		if i < len(pieces)-1 {
			parts[i].Headers[dialect.HeaderEnded] = "false"
		}
	}
	return parts, nil
}

// SplitEach splits every record of an input by itself. What cannot be read or split is rejected beside the good parts.
func SplitEach(value []byte, split func(object []byte) ([]dialect.Part, error)) ([]dialect.Part, []dialect.Reject) {
	shape, err := ShapeOf(value)
	if err != nil && len(shape.Heads) == 0 {
		return nil, []dialect.Reject{Refuse(err)}
	}
	var parts []dialect.Part
	var rejects []dialect.Reject
	for unit, err := range Each(value, shape.Container) {
		if err != nil {
			rejects = append(rejects, Refuse(err))
			continue
		}
		cut, err := split(unit.Value)
		if err != nil {
			rejects = append(rejects, unit.Place(Refuse(err)))
			continue
		}
		parts = append(parts, cut...)
	}
	return parts, rejects
}
