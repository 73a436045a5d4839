package transcript

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	errTooDeep = errors.New("nested too deeply")
	errNotJSON = errors.New("not one JSON value")
)

// maxPlainDigits bounds the digits of an integer that is written out.
const maxPlainDigits = 400

// depthOf is the deepest nesting of a JSON text. Of a text that is none it may be anything.
func depthOf(raw []byte) int {
	depth, deepest, inString := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\\' && inString:
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// canonicalNumbers rewrites the numbers of a formatted JSON text, everything else stays.
func canonicalNumbers(formatted []byte) []byte {
	var out []byte
	copied := 0
	for i := 0; i < len(formatted); i++ {
		c := formatted[i]
		if c == '"' {
			i = endOfString(formatted, i)
			continue
		}
		if c != '-' && (c < '0' || c > '9') {
			continue
		}
		end := i
		for end < len(formatted) && isNumberByte(formatted[end]) {
			end++
		}
		if number := formatted[i:end]; !isPlainInteger(number) {
			out = append(out, formatted[copied:i]...)
			out = appendNumber(out, number)
			copied = end
		}
		i = end - 1
	}
	if copied == 0 {
		return formatted
	}
	return append(out, formatted[copied:]...)
}

// endOfString is the index of the quote that closes the string that opens at start.
func endOfString(text []byte, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
}

func isNumberByte(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// isPlainInteger tells the numbers that are canonical as they stand: those below 2^53, and below 16 digits that is.
func isPlainInteger(number []byte) bool {
	if len(number) > 15 || number[0] == '-' && number[1] == '0' {
		return false
	}
	for i, c := range number {
		if (c < '0' || c > '9') && (c != '-' || i > 0) {
			return false
		}
	}
	return true
}

// decimal is the number sign × digits × 10^exponent, digits without zeros at either end.
type decimal struct {
	negative bool
	digits   []byte
	exponent int
}

// parseDecimal takes a JSON number apart. An exponent that no machine holds is clamped.
func parseDecimal(number []byte) decimal {
	var d decimal
	if number[0] == '-' {
		d.negative, number = true, number[1:]
	}
	if e := bytes.IndexAny(number, "eE"); e >= 0 {
		exponent, _ := strconv.Atoi(string(number[e+1:])) // out of range: the nearest int
		d.exponent = min(max(exponent, math.MinInt32), math.MaxInt32)
		number = number[:e]
	}
	whole, fraction, _ := bytes.Cut(number, []byte{'.'})
	d.digits = append(append(make([]byte, 0, len(number)), whole...), fraction...)
	d.exponent -= len(fraction)
	trimmed := bytes.TrimRight(d.digits, "0")
	d.exponent += len(d.digits) - len(trimmed)
	d.digits = bytes.TrimLeft(trimmed, "0")
	return d
}

func (d decimal) equal(other decimal) bool {
	return d.negative == other.negative && d.exponent == other.exponent && bytes.Equal(d.digits, other.digits)
}

// appendNumber writes a number by its value: as ECMAScript writes the double (RFC 8785, section 3.2.2.3), unless the
// double is another number of a kind that people tell apart: an integer with lost digits, an integer that was none, an
// infinity, a zero.
func appendNumber(out, number []byte) []byte {
	exact := parseDecimal(number)
	if len(exact.digits) == 0 {
		return append(out, '0')
	}
	double, err := strconv.ParseFloat(string(number), 64)
	if err == nil && double != 0 {
		start := len(out)
		out = jsontext.AppendFloat(out, double, 64)
		shortest := parseDecimal(out[start:])
		if shortest.equal(exact) || exact.exponent < 0 && shortest.exponent < 0 {
			return out
		}
		out = out[:start]
	}
	return appendDecimal(out, exact)
}

// appendDecimal writes a number with all its digits.
func appendDecimal(out []byte, d decimal) []byte {
	if d.negative {
		out = append(out, '-')
	}
	if d.exponent >= 0 && len(d.digits)+d.exponent <= maxPlainDigits {
		out = append(out, d.digits...)
		return append(out, bytes.Repeat([]byte{'0'}, d.exponent)...)
	}
	out = append(out, d.digits...)
	return strconv.AppendInt(append(out, 'e'), int64(d.exponent), 10)
}
