package metrics

import (
	"math/big"
	"strings"
	"time"
	"unicode/utf8"
)

// Kinds of alias pairs.
const (
	KindCase   = "case"   // equal when case-folded and trimmed
	KindFormat = "format" // the same number, date or boolean in another form
	KindTypo   = "typo"   // nearly equal when folded
	KindAlias  = "alias"  // anything else
)

// Lengths of section 7, in code points of both texts after folding.
const (
	minTypo      = 4   // from which one mistake is a typo
	minLongTypo  = 8   // from which two are
	maxTypo      = 256 // beyond which nothing is looked at: section 5 takes edit distances up to there
	maxFormatted = 64  // bytes up to which a text may be a number or a date
)

// kindOfValues classifies a pair of canonical JSON scalars. Values of different JSON types are never of kind case: "5" and
// 5 are one number in two forms.
func kindOfValues(rejected, accepted string) string {
	a, b := textOf(rejected), textOf(accepted)
	if strings.HasPrefix(rejected, `"`) == strings.HasPrefix(accepted, `"`) {
		return kindOfNames(a, b)
	}
	if sameInOtherForm(a, b) {
		return KindFormat
	}
	return KindAlias
}

// kindOfNames classifies a pair of texts or names.
func kindOfNames(rejected, accepted string) string {
	a, b := foldCase(strings.TrimSpace(rejected)), foldCase(strings.TrimSpace(accepted))
	switch {
	case a == b:
		return KindCase
	case sameInOtherForm(a, b):
		return KindFormat
	case isTypo(a, b):
		return KindTypo
	}
	return KindAlias
}

// textOf is what a canonical JSON scalar says, of any type.
func textOf(value string) string {
	if strings.HasPrefix(value, `"`) {
		return unquoted(value)
	}
	return value
}

func sameInOtherForm(a, b string) bool {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if a == "" || b == "" || len(a) > maxFormatted || len(b) > maxFormatted {
		return false
	}
	if x, ok := parseNumber(a); ok {
		if y, ok := parseNumber(b); ok && x.Cmp(y) == 0 {
			return true
		}
	}
	if x, ok := parseBoolean(a); ok {
		if y, ok := parseBoolean(b); ok && x == y {
			return true
		}
	}
	return sameDate(a, b)
}

// parseNumber reads a number, with separators of thousands if it has any.
func parseNumber(s string) (*big.Rat, bool) {
	digits := withoutThousands(s)
	if digits == "" || strings.Trim(digits, "+-.0123456789eE") != "" {
		return nil, false
	}
	// An exponent of many digits would make a number of gigabytes.
	if _, exponent, found := strings.Cut(strings.ToLower(digits), "e"); found && len(exponent) > 4 {
		return nil, false
	}
	return new(big.Rat).SetString(digits)
}

// withoutThousands takes the separators out of "1,000" or "12 345.6". Where groups are not of three digits it is no such
// number, but perhaps a decimal comma, and stays.
func withoutThousands(s string) string {
	whole, _, _ := strings.Cut(s, ".")
	for _, separator := range []string{",", "_", " ", "'"} {
		groups := strings.Split(whole, separator)
		if len(groups) < 2 || len(groups[0]) > 3 {
			continue
		}
		for _, group := range groups[1:] {
			if len(group) != 3 {
				return s
			}
		}
		return strings.ReplaceAll(s, separator, "")
	}
	return s
}

func parseBoolean(s string) (value, ok bool) {
	switch foldCase(s) {
	case "true", "yes", "y", "on", "1":
		return true, true
	case "false", "no", "n", "off", "0":
		return false, true
	}
	return false, false
}

// dateLayouts are the forms in which dates are written. Of day and month in figures either may come first.
var dateLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04",
	"2006-01-02", "2006/01/02", "2006.01.02", "20060102", "02.01.2006", "2.1.2006", "02/01/2006", "01/02/2006",
	"2/1/2006", "1/2/2006", "02-01-2006", "01-02-2006", "2 January 2006", "January 2, 2006", "January 2 2006",
	"2 Jan 2006", "Jan 2, 2006", "Jan 2 2006", "Mon, 02 Jan 2006 15:04:05 MST", "Mon, 02 Jan 2006 15:04:05 -0700",
}

func sameDate(a, b string) bool {
	dates := parseDates(a)
	if len(dates) == 0 {
		return false
	}
	for _, y := range parseDates(b) {
		for _, x := range dates {
			if x.Equal(y) {
				return true
			}
		}
	}
	return false
}

// parseDates lists what a text may mean as a date.
func parseDates(s string) []time.Time {
	if len(s) < 6 || !strings.ContainsAny(s, "0123456789") {
		return nil
	}
	var dates []time.Time
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			dates = append(dates, t)
		}
	}
	// Folded texts have lost the capitals that the layouts of RFC 3339 ask for.
	if t, err := time.Parse(time.RFC3339, strings.ToUpper(s)); err == nil {
		dates = append(dates, t)
	}
	return dates
}

func isTypo(a, b string) bool {
	x, y := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	if min(x, y) < minTypo || max(x, y) > maxTypo {
		return false
	}
	allowed := 1
	if min(x, y) >= minLongTypo {
		allowed = 2
	}
	return max(x, y)-min(x, y) <= allowed && damerau([]rune(a), []rune(b)) <= allowed
}

// damerau is the unrestricted Damerau–Levenshtein distance, by the algorithm of Lowrance and Wagner (1975): insertions,
// deletions, substitutions and swaps of neighbours, which later edits may come between.
func damerau(a, b []rune) int {
	width := len(b) + 2
	table := make([]int, (len(a)+2)*width)
	at := func(i, j int) *int { return &table[i*width+j] }
	far := len(a) + len(b)
	*at(0, 0) = far
	for i := 0; i <= len(a); i++ {
		*at(i+1, 0), *at(i+1, 1) = far, i
	}
	for j := 0; j <= len(b); j++ {
		*at(0, j+1), *at(1, j+1) = far, j
	}
	lastRow := map[rune]int{}
	for i := 1; i <= len(a); i++ {
		lastColumn := 0
		for j := 1; j <= len(b); j++ {
			row, column := lastRow[b[j-1]], lastColumn
			substitution := *at(i, j) + 1
			if a[i-1] == b[j-1] {
				substitution--
				lastColumn = j
			}
			swap := *at(row, column) + (i - row - 1) + 1 + (j - column - 1)
			*at(i+1, j+1) = min(substitution, *at(i+1, j)+1, *at(i, j+1)+1, swap)
		}
		lastRow[a[i-1]] = i
	}
	return *at(len(a)+1, len(b)+1)
}
