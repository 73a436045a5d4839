package envelope

import (
	"strconv"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/openai"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// decodeRegular reads the records that most are: whole, with each member once and of its usual kind, and chat messages
// within. It gives what decode gives in one pass, or nothing, and decode then does the work, or says what is wrong.
func decodeRegular(in dialect.Input) (transcript.Fragment, bool) {
	if !in.Valid {
		return transcript.Fragment{}, false
	}
	var wire envelope
	if !wire.fill(in.Value) || wire.check() != nil {
		return transcript.Fragment{}, false
	}
	messages, decided, ok := openai.DecodeRegular(wire.Messages)
	if !ok || !decided && formOfProvider(wire.Provider) != OpenAI {
		return transcript.Fragment{}, false
	}
	dialect.DistinctIDs(messages)
	return wire.fragment(messages), true
}

// fill takes the members of a record that is known to be JSON.
func (e *envelope) fill(value []byte) bool {
	var seen uint32
	for name, value := range record.Fields(value) {
		var bit uint32
		ok := true
		switch string(name) {
		case "schema":
			bit, ok = 1<<0, text(value, &e.Schema)
		case "run_id":
			bit, ok = 1<<1, text(value, &e.RunID)
		case "thread_id":
			bit, ok = 1<<2, text(value, &e.ThreadID)
		case "parent_call":
			bit, ok = 1<<3, text(value, &e.ParentCall)
		case "agent":
			bit, ok = 1<<4, text(value, &e.Agent)
		case "agent_version":
			bit, ok = 1<<5, text(value, &e.AgentVersion)
		case "provider":
			bit, ok = 1<<6, text(value, &e.Provider)
		case "model":
			bit, ok = 1<<7, text(value, &e.Model)
		case "variant":
			bit, ok = 1<<8, text(value, &e.Variant)
		case "end_reason":
			bit, ok = 1<<9, text(value, &e.EndReason)
		case "ended":
			bit, ok = 1<<10, truth(value, &e.Ended)
		case "first_message":
			bit, ok = 1<<11, place(value, &e.First)
		case "task_success":
			var success bool
			bit, ok = 1<<12, truth(value, &success)
			e.TaskSuccess = &success
		case "messages":
			bit, e.Messages = 1<<13, value
		case "attributes":
			bit, ok = 1<<14, record.Unmarshal(value, &e.Attributes) == nil
		case "shadow":
			bit, ok = 1<<15, record.Unmarshal(value, &e.Shadow) == nil
		default:
			ok = !record.Escaped(name) // it may be one of the others, in disguise
		}
		if !ok || seen&bit != 0 {
			return false
		}
		seen |= bit
	}
	return true
}

func text(value []byte, target *string) (ok bool) {
	*target, ok = record.TextOrNull(value)
	return ok
}

func truth(value []byte, target *bool) bool {
	*target = value[0] == 't'
	return *target || value[0] == 'f'
}

// place reads a number that is written as a position usually is.
func place(value []byte, target **int64) bool {
	const digits = 10 // of the largest position
	if len(value) > digits {
		return false
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	*target = &n
	return err == nil
}
