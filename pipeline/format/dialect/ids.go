package dialect

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"errata/transcript"
)

// UniqueIDs takes the id from messages whose id an earlier message of the list bears already: providers give the blocks
// of one generation one id. Which generation they are of is kept.
func UniqueIDs(messages []transcript.Message) {
	seen := make(map[string]bool, len(messages))
	for i := range messages {
		id := messages[i].ID
		if id == "" {
			continue
		}
		if seen[id] {
			messages[i].ID = ""
		}
		seen[id] = true
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
