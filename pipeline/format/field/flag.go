package field

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/transcript"
)

// Truth is a mark that is true or false, or absent. A text or an object in its place is true unless it is empty:
// tools write what went wrong where others only say that something did.
type Truth struct{ State transcript.Tristate }

// UnmarshalJSONFrom reads a mark.
func (t *Truth) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	switch text := string(value); {
	case text == "null":
		t.State = transcript.Unset
	case text == "false" || text == `""` || text == "0" || text == `"false"` || text == "{}" || text == "[]":
		t.State = transcript.False
	default:
		t.State = transcript.True
	}
	return nil
}

// Flag is what marks of error say together: one that says error outweighs all others.
func Flag(marks ...Truth) transcript.Flag {
	flag := transcript.FlagUnset
	for _, mark := range marks {
		switch mark.State {
		case transcript.True:
			return transcript.FlagError
		case transcript.False:
			flag = transcript.FlagOK
		}
	}
	return flag
}

// Status reads a status word on a result: what it says of an error, and of a call that did not simply run.
func Status(word string) (transcript.Flag, transcript.Fate) {
	switch strings.ToLower(word) {
	case "error", "failed", "failure":
		return transcript.FlagError, transcript.FateRan
	case "success", "ok", "completed", "succeeded":
		return transcript.FlagOK, transcript.FateRan
	case "cancelled", "canceled", "interrupted", "aborted":
		return transcript.FlagUnset, transcript.FateCancelled
	case "rejected", "denied", "declined", "refused":
		return transcript.FlagUnset, transcript.FateRefused
	case "running", "in_progress":
		return transcript.FlagUnset, transcript.FateRunning
	}
	return transcript.FlagUnset, transcript.FateRan
}
