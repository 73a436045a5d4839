// Package field reads JSON values that several formats share: times, token counts, truth values and text that may
// come in parts. Each is a type with its own unmarshaler, so that a decoder only declares its fields.
package field

import (
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
)

// Time is a timestamp: RFC 3339, the same without a zone (UTC then), or a number of seconds, milliseconds, microseconds
// or nanoseconds since 1970, told apart by their size. Null and "" are no time.
type Time struct{ time.Time }

// UnmarshalJSONFrom reads a timestamp.
func (t *Time) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	token, err := decoder.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case 'n':
		t.Time = time.Time{}
		return nil
	case '"':
		parsed, ok := ParseTime(token.String())
		if !ok {
			return wrong("%q is no time; write it as 2006-01-02T15:04:05Z (RFC 3339)", shorten(token.String()))
		}
		t.Time = parsed
		return nil
	case '0':
		number, err := strconv.ParseFloat(token.String(), 64)
		parsed, ok := fromNumber(number)
		if err != nil || !ok {
			return wrong("%s is no time; write it as 2006-01-02T15:04:05Z (RFC 3339)", shorten(token.String()))
		}
		t.Time = parsed
		return nil
	default:
		return wrong("a time is a string; write it as 2006-01-02T15:04:05Z (RFC 3339)")
	}
}

// ParseTime reads a timestamp that stands as text. The empty text is no time, and no fault. Times that the stores
// cannot hold (before 1970, after 2262) are faults.
func ParseTime(text string) (time.Time, bool) {
	if text == "" {
		return time.Time{}, true
	}
	for _, layout := range layouts() {
		if parsed, err := time.Parse(layout, text); err == nil {
			return bounded(parsed)
		}
	}
	return time.Time{}, false
}

// layouts are tried in this order; fractions of a second are accepted by all of them.
func layouts() []string {
	return []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02T15:04:05Z0700"}
}

// fromNumber tells the unit of an epoch time by its size: until the year 5138 seconds have at most 11 digits.
func fromNumber(number float64) (time.Time, bool) {
	switch {
	case number < 0:
		return time.Time{}, false
	case number < 1e11:
		return bounded(time.UnixMicro(int64(number * 1e6)))
	case number < 1e14:
		return bounded(time.UnixMicro(int64(number * 1e3)))
	case number < 1e17:
		return bounded(time.UnixMicro(int64(number)))
	case number < 1e19:
		return bounded(time.UnixMicro(int64(number / 1e3)))
	default:
		return time.Time{}, false
	}
}

func bounded(t time.Time) (time.Time, bool) {
	t = t.UTC()
	return t, t.Year() >= 1970 && t.Year() < 2262
}

func wrong(format string, values ...any) error {
	return dialect.Reject{Reason: dialect.ReasonWrongType, Message: fmt.Sprintf(format, values...)}
}

// shorten keeps a quoted value from filling an error message.
func shorten(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}
