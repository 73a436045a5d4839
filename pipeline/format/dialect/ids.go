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

// DeriveRunID makes a run id for formats that have none, from a readable beginning and from what does not change as the
// run grows. Each piece is hashed with its length, so that pieces cannot run into one another.
func DeriveRunID(beginning string, pieces ...string) transcript.RunID {
	hash := xxhash.New()
	for _, piece := range pieces {
		fmt.Fprintf(hash, "%d:%s", len(piece), piece)
	}
	return transcript.RunID(fmt.Sprintf("%s-%016x", beginning, hash.Sum64()))
}
