package ui

import (
	"fmt"
	"strconv"
	"strings"
)

// Outcomes is how the calls of a run ended, drawn in order: a full block for a failed call, a low one for an ok call, a hollow
// one for neither.
type Outcomes struct {
	Width            string
	OK, Error, Other string // paths
	Label            string
	More             string // "+ 40", where not all are drawn
}

// outcomeWidth is how wide the mark of a call is, with the room after it.
const outcomeWidth = 6

// NewOutcomes draws outcomes given as letters, o for ok, e for error; calls is how many there are in all.
func NewOutcomes(letters string, calls int64) *Outcomes {
	if letters == "" {
		return nil
	}
	var ok, failed, other strings.Builder
	for i, letter := range letters {
		x := i * outcomeWidth
		switch letter {
		case 'o':
			fmt.Fprintf(&ok, "M%d 4h4v4h-4z", x)
		case 'e':
			fmt.Fprintf(&failed, "M%d 1h4v10h-4z", x)
		default:
			fmt.Fprintf(&other, "M%d.5 4.5h3v3h-3z", x)
		}
	}
	o := &Outcomes{Width: strconv.Itoa(len(letters) * outcomeWidth), OK: ok.String(), Error: failed.String(), Other: other.String(), Label: outcomesInWords(letters)}
	if rest := calls - int64(len(letters)); rest > 0 {
		o.More = "and " + Count(rest) + " more"
	}
	return o
}

// outcomesInWords says the same: 3 ok, 2 failed, 1 ok.
func outcomesInWords(letters string) string {
	words := map[byte]string{'o': "ok", 'e': "failed", 'r': "refused", 'c': "cancelled", 'p': "pending"}
	const most = 20
	var parts []string
	for i := 0; i < len(letters); {
		n := i
		for n < len(letters) && letters[n] == letters[i] {
			n++
		}
		if len(parts) == most {
			parts = append(parts, "and so on")
			break
		}
		parts = append(parts, strconv.Itoa(n-i)+" "+words[letters[i]])
		i = n
	}
	return "Calls in order: " + strings.Join(parts, ", ")
}
