package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Unknown is shown for what is not known. It is never a zero.
const Unknown = "—"

// Count writes a whole number with separators: 12,345.
func Count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "−", digits[1:]
	}
	var out strings.Builder
	out.WriteString(sign)
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteByte(digits[i])
	}
	return out.String()
}

// CountOf is Count of a number that may be unknown.
func CountOf(n *int64) string {
	if n == nil {
		return Unknown
	}
	return Count(*n)
}

// Percent writes a share with one decimal: 4.2 %.
func Percent(share *float64) string {
	if share == nil || math.IsNaN(*share) {
		return Unknown
	}
	return percent(*share) + " %"
}

// percent rounds so that neither a share above 0 becomes 0.0 nor one below 1 becomes 100.0.
func percent(share float64) string {
	text := strconv.FormatFloat(100*share, 'f', 1, 64)
	switch {
	case text == "0.0" && share > 0:
		return "<0.1"
	case text == "100.0" && share < 1:
		return ">99.9"
	}
	return text
}

// Range writes the interval of a share: 95 % CI 2.1–6.8 %. It is empty where the interval is not known.
func Range(low, high *float64) string {
	if low == nil || high == nil {
		return ""
	}
	return fmt.Sprintf("95 %% CI %s–%s %%", percent(*low), percent(*high))
}

// Ends writes the interval of a share without saying what it is, for tables that say so: 2.1–6.8 %.
func Ends(low, high *float64) string {
	if low == nil || high == nil {
		return ""
	}
	return percent(*low) + "–" + percent(*high) + " %"
}

// Of writes how many of how many: 318 of 7,570.
func Of(part, whole int64) string { return Count(part) + " of " + Count(whole) }

// Short writes a large number in three digits: 1.23 M.
func Short(n float64) string {
	sign := ""
	if n < 0 {
		sign, n = "−", -n
	}
	if n < 999.5 {
		return sign + strconv.FormatFloat(math.Round(n), 'f', 0, 64)
	}
	for _, unit := range []string{" k", " M", " G", " T"} {
		n /= 1000
		switch {
		case n < 9.995:
			return sign + strconv.FormatFloat(n, 'f', 2, 64) + unit
		case n < 99.95:
			return sign + strconv.FormatFloat(n, 'f', 1, 64) + unit
		case n < 999.5:
			return sign + strconv.FormatFloat(n, 'f', 0, 64) + unit
		}
	}
	return sign + strconv.FormatFloat(n, 'g', 3, 64) + " T"
}

// ShortOf is Short of a number that may be unknown.
func ShortOf(n *float64) string {
	if n == nil {
		return Unknown
	}
	return Short(*n)
}

// Money writes US dollars with cents, whole ones from 100 on, and two significant digits below ten cents.
func Money(usd *float64) string {
	if usd == nil {
		return Unknown
	}
	v := *usd
	sign := ""
	if v < 0 {
		sign, v = "−", -v
	}
	switch {
	case v == 0:
		return "$0"
	case v >= 99.5:
		return sign + "$" + Count(int64(math.Round(v)))
	case v < 0.0001:
		return sign + "<$0.0001"
	}
	decimals := max(2, 1-int(math.Floor(math.Log10(v))))
	return sign + "$" + strconv.FormatFloat(v, 'f', decimals, 64)
}

// Duration writes seconds in the two largest units: 1m 20s.
func Duration(seconds *float64) string {
	if seconds == nil || math.IsNaN(*seconds) {
		return Unknown
	}
	s := *seconds
	switch {
	case s < 0:
		return Unknown
	case s < 0.9995:
		return strconv.FormatFloat(s*1000, 'f', 0, 64) + "ms"
	case s < 9.95:
		return strconv.FormatFloat(s, 'f', 1, 64) + "s"
	}
	whole := int64(math.Round(s))
	units := []struct {
		name string
		size int64
	}{{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}}
	for i, unit := range units {
		if whole < unit.size {
			continue
		}
		text := Count(whole/unit.size) + unit.name
		if rest := whole % unit.size; i+1 < len(units) && rest/units[i+1].size > 0 {
			text += fmt.Sprintf(" %d%s", rest/units[i+1].size, units[i+1].name)
		}
		return text
	}
	return "0s"
}

// Moment writes a time in UTC to the second.
func Moment(t time.Time) string {
	if t.IsZero() {
		return Unknown
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// Minute writes a time in UTC to the minute, without the zone, for columns whose head names it.
func Minute(t time.Time) string {
	if t.IsZero() {
		return Unknown
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// Text writes a text that may be absent.
func Text(text *string) string {
	if text == nil || *text == "" {
		return Unknown
	}
	return Visible(*text)
}

// Visible writes a text that others wrote so that nothing in it hides or misleads: control characters, those that turn
// the direction of writing and those that take no room are shown as what they are.
func Visible(text string) string {
	clean := true
	for _, r := range text {
		if hidden(r) {
			clean = false
			break
		}
	}
	if clean && utf8.ValidString(text) {
		return text
	}
	var out strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		switch {
		case !hidden(r):
			out.WriteRune(r)
		case r < 0x20:
			out.WriteRune(0x2400 + r) // the control pictures
		case r == 0x7f:
			out.WriteRune(0x2421)
		default:
			fmt.Fprintf(&out, "[U+%04X]", r)
		}
	}
	return out.String()
}

// hidden says whether a character is not seen, or changes how others are seen. Emoji joiners are left.
func hidden(r rune) bool {
	switch r {
	case '\n', '\t', '\u200d', '\ufe0f':
		return false
	case '\u2028', '\u2029', '\u115f', '\u1160', '\u3164', '\uffa0':
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// Cut divides a text after about most bytes, at a character's end.
func Cut(text string, most int) (head, rest string) {
	if len(text) <= most {
		return text, ""
	}
	at := most
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at], text[at:]
}

// Plural writes a number with its noun.
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// Points writes a difference of shares in percentage points with its sign: −1.9 pp.
func Points(d *float64) string {
	if d == nil || math.IsNaN(*d) {
		return Unknown
	}
	return Signed(100**d, 1) + " pp"
}

// Signed writes a number with its sign and so many decimals; what rounds to nothing has no sign.
func Signed(v float64, decimals int) string {
	text := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	switch {
	case strings.Trim(text, "0.") == "":
		return text
	case v < 0:
		return "−" + text
	}
	return "+" + text
}

// Signless writes a number that is not negative with so many decimals.
func Signless(v float64, decimals int) string { return strconv.FormatFloat(v, 'f', decimals, 64) }
