package record

import (
	"bytes"
	"fmt"

	"errata/pipeline/format/dialect"
)

// MaxDepth is how deep arrays and objects may be nested. No transcript comes near it: what tools take and give back
// stands in strings, or a few levels deep.
const MaxDepth = 500

// CheckDepth refuses a value whose arrays and objects are nested deeper than MaxDepth. It looks at brackets and
// strings only, so that it can run before anything recursive does.
func CheckDepth(value []byte) error { return CheckDepthOf(value, MaxDepth) }

// CheckDepthOf refuses a value that is nested deeper than a bound of one's own.
func CheckDepthOf(value []byte, most int) error {
	depth := 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '[', '{':
			if depth++; depth > most {
				mend := "send the inner part as a string"
				if most < MaxDepth {
					mend = "raise ERRATA_MAX_NESTING, or " + mend
				}
				return dialect.Reject{
					Reason:  dialect.ReasonTooDeep,
					Message: fmt.Sprintf("values are nested deeper than %d levels; %s", most, mend),
					Offset:  int64(i),
				}
			}
		case ']', '}':
			depth--
		case '"':
			i = stringEnd(value, i+1)
		}
	}
	return nil
}

// stringEnd gives the index of the quote that closes the string which starts at from.
func stringEnd(value []byte, from int) int {
	for {
		quote := bytes.IndexByte(value[from:], '"')
		if quote < 0 {
			return len(value)
		}
		end := from + quote
		backslashes := 0
		for end-1-backslashes >= from && value[end-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return end
		}
		from = end + 1
	}
}

// Shallow gives lines without those that are nested deeper than a bound, which leave empty lines behind so that the others
// keep their numbers, and a Reject for each.
func Shallow(value []byte, most int) ([]byte, []dialect.Reject) {
	var rejects []dialect.Reject
	kept := value
	for number, from := 1, 0; from < len(value); number++ {
		to := len(value)
		if end := bytes.IndexByte(value[from:], '\n'); end >= 0 {
			to = from + end
		}
		if err := CheckDepthOf(value[from:to], most); err != nil {
			if len(rejects) == 0 {
				kept = bytes.Clone(value)
			}
			for i := from; i < to; i++ {
				kept[i] = ' '
			}
			reject := Refuse(err)
			reject.Line = number
			rejects = append(rejects, reject)
		}
		from = to + 1
	}
	return kept, rejects
}
