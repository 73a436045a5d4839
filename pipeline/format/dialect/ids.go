package dialect

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"errata/transcript"
)

// DistinctIDs makes the ids of messages unique in their run. Providers give one id to a generation, and logs may write
// it as several messages: what a message holds is then added to its id. That depends on the message alone, so that it
// is the same in every record. What is still not unique in the list loses its id.
func DistinctIDs(messages []transcript.Message) {
	var seen map[string]bool
	for i := range messages {
		message := &messages[i]
		if message.ID == "" {
			continue
		}
		if message.ID == message.Generation {
			message.ID += suffix(message)
		}
		if seen[message.ID] {
			message.ID = ""
			continue
		}
		if seen == nil {
			seen = make(map[string]bool, len(messages))
		}
		seen[message.ID] = true
	}
}

func suffix(message *transcript.Message) string {
	switch {
	case len(message.Calls) > 0 && message.Calls[0].ID != "":
		return "/" + message.Calls[0].ID
	case len(message.Calls) > 0:
		return "/call"
	case message.Text == "" && message.Reasoning != "":
		return "/reasoning"
	default:
		return ""
	}
}

// beginningTurns is how much of a run tells it from others of its task. Two models often begin one task alike, seldom for
// three turns; and what is written while a run grows must not change its name.
const beginningTurns = 3

// Beginning gives what a run is known by that has no id: what was said, called and given back up to the third message of
// the model's, or up to the first whose generation has an id.
func Beginning(messages []transcript.Message) []string {
	var pieces []string
	turns := 0
	for i := range messages {
		m := &messages[i]
		pieces = append(pieces, string(m.Role), m.Text, m.Generation)
		for _, call := range m.Calls {
			pieces = append(pieces, call.ID, call.Arguments)
		}
		for _, result := range m.Results {
			pieces = append(pieces, result.Body)
		}
		if m.Role == transcript.RoleAssistant {
			turns++
		}
		if m.Generation != "" || turns == beginningTurns {
			break
		}
	}
	return pieces
}

// DeriveRunID makes a run id for formats that have none, from a readable beginning and from what does not change as the
// run grows. Each piece is hashed with its length, so that pieces cannot run into one another.
func DeriveRunID(beginning string, pieces ...string) transcript.RunID {
	hash := xxhash.New()
	for _, piece := range pieces {
		fmt.Fprintf(hash, "%d:%s", len(piece), piece)
	}
	return transcript.RunID(fmt.Sprintf("%s-%016x", beginning, hash.Sum64()))
}
