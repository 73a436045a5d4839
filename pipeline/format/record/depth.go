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
func CheckDepth(value []byte) error {
	depth := 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '[', '{':
			if depth++; depth > MaxDepth {
				return dialect.Reject{
					Reason:  dialect.ReasonTooDeep,
					Message: fmt.Sprintf("values are nested deeper than %d levels; send the inner part as a string", MaxDepth),
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
