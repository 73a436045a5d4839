package metrics

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/cases"
)

// foldCase folds case, so that texts that differ in nothing else become equal.
func foldCase(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return cases.Fold().String(s)
		}
	}
	return strings.ToLower(s)
}

// cut shortens a text to at most limit bytes, at the boundary of a code point.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// isWordRune tells the code points that words of a message are made of. The underscore is one, since words that name
// arguments and tools have it.
func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// standsIn tells whether a word, or several, stands in a text: with no word going on at either end.
func standsIn(text, word string) bool {
	if word == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(word)
	last, _ := utf8.DecodeLastRuneInString(word)
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (at == 0 || !isWordRune(first) || !isWordRune(before)) &&
			(end == len(text) || !isWordRune(last) || !isWordRune(after)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		from = at + size
	}
}

// scalarText is what a canonical JSON scalar says: a string without its quotes, a number as it stands. ok is false for
// everything else, booleans and null too: they stand in too many texts by chance.
func scalarText(value string) (text string, ok bool) {
	if value == "" {
		return "", false
	}
	switch c := value[0]; {
	case c == '"':
		return unquoted(value), true
	case c == '-' || c >= '0' && c <= '9':
		return value, true
	}
	return "", false
}

// unquoted is the text of a canonical JSON string.
func unquoted(value string) string {
	if strings.IndexByte(value, '\\') < 0 && len(value) >= 2 {
		return value[1 : len(value)-1]
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return value
	}
	return string(text)
}
