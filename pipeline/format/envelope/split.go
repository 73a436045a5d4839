package envelope

import (
	"fmt"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
)

// split cuts a record into increments. Each says all that the whole said of the run but for its end, which only the
// last one says. Shadows come first, in as many parts as they need: they wait for their calls.
func split(in dialect.Input, most int) ([]dialect.Part, []dialect.Reject) {
	return record.SplitEach(in.Value, func(object []byte) ([]dialect.Part, error) { return splitRecord(object, most) })
}

func splitRecord(value []byte, most int) ([]dialect.Part, error) {
	var wire envelope
	if err := record.Unmarshal(value, &wire); err != nil {
		return nil, err
	}
	if _, err := wire.read(value); err != nil {
		return nil, err
	}
	if len(value) <= most {
		return []dialect.Part{{Key: wire.RunID, Value: value}}, nil
	}
	const room = len(`"first_message":1073741824,`)
	ending := []string{"ended", "end_reason", "task_success"}
	cuts := []record.Cut{{
		Object: value, List: "messages", Most: most - room,
		Drop: []string{"first_message", "shadow"}, Last: ending,
	}}
	if len(wire.Shadow) > 0 {
		shadows := record.Cut{Object: value, List: "shadow", Most: most - room, Drop: append(ending, "first_message", "messages")}
		cuts = []record.Cut{shadows, cuts[0]}
	}
	var parts []dialect.Part
	for _, cut := range cuts {
		pieces, err := cut.Pieces()
		if err != nil {
			return nil, err
		}
		for _, piece := range pieces {
			parts = append(parts, dialect.Part{Key: wire.RunID, Value: wire.increment(piece, cut.List)})
		}
	}
	return parts, nil
}

// increment writes the position of a piece into it, and an empty list of messages where it brings shadows only.
func (e *envelope) increment(piece record.Piece, list string) []byte {
	var first int64
	if e.First != nil {
		first = *e.First
	}
	opening := fmt.Sprintf(`{"first_message":%d,`, first)
	if list == "messages" {
		opening = fmt.Sprintf(`{"first_message":%d,`, first+int64(piece.First))
	} else {
		opening += `"messages":[],`
	}
	return append([]byte(opening), piece.Value[1:]...)
}
