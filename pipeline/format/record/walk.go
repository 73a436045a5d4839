package record

import (
	"bytes"
	"iter"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
)

// Walking a value that is known to be JSON needs no checks, and costs a small part of decoding it. It is how regular records
// are read; whatever is odd about one is left to the decoders, which know how to say so.

// Fields gives the names, as they are written between their quotes, and the values of an object that is known to be
// JSON, in order.
func Fields(object []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		at := skipSpace(object, 0) + 1
		for {
			at = skipSpace(object, at)
			if object[at] == '}' {
				return
			}
			end := stringEnd(object, at+1)
			name := object[at+1 : end]
			at = skipSpace(object, skipSpace(object, end+1)+1) // the colon stands between
			end = valueEnd(object, at)
			if !yield(name, object[at:end]) {
				return
			}
			if at = skipSpace(object, end); object[at] == ',' {
				at++
			}
		}
	}
}

// Elements gives the values of an array that is known to be JSON, in order.
func Elements(array []byte) iter.Seq[[]byte] {
	return func(yield func(value []byte) bool) {
		at := skipSpace(array, 0) + 1
		for {
			at = skipSpace(array, at)
			if array[at] == ']' {
				return
			}
			end := valueEnd(array, at)
			if !yield(array[at:end]) {
				return
			}
			if at = skipSpace(array, end); array[at] == ',' {
				at++
			}
		}
	}
}

// TextOf gives the text of a string that is known to be JSON. ok is false for other values, and for a string that is no
// valid UTF-8.
func TextOf(value []byte) (text string, ok bool) {
	if value[0] != '"' {
		return "", false
	}
	if inner := value[1 : len(value)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), utf8.Valid(inner)
	}
	var room [1024]byte
	unquoted, err := jsontext.AppendUnquote(room[:0], value)
	return string(unquoted), err == nil
}

// TextOrNull is TextOf, and takes null for no text.
func TextOrNull(value []byte) (text string, ok bool) {
	if value[0] == 'n' {
		return "", true
	}
	return TextOf(value)
}

func skipSpace(text []byte, at int) int {
	for text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r' {
		at++
	}
	return at
}

// valueEnd gives the index after the value that begins at a place.
func valueEnd(text []byte, at int) int {
	switch text[at] {
	case '"':
		return stringEnd(text, at+1) + 1
	case '{', '[':
		depth := 0
		for {
			switch text[at] {
			case '"':
				at = stringEnd(text, at+1)
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
			at++
		}
	}
	for at < len(text) {
		switch text[at] {
		case ',', ']', '}', ' ', '\n', '\t', '\r':
			return at
		}
		at++
	}
	return at
}

// oneObject gives the shape of an input that is a single JSON object, which most records are.
func oneObject(value []byte) (dialect.Shape, bool) {
	if !jsontext.Value(value).IsValid(Options()) {
		return dialect.Shape{}, false
	}
	members := make(dialect.Members, 0, 16)
	for name, value := range Fields(value) {
		if len(members) == maxMembers || Escaped(name) || !utf8.Valid(name) {
			return dialect.Shape{}, false
		}
		members = append(members, dialect.Member{Name: string(name), Value: value})
	}
	return dialect.Shape{Valid: true, Heads: []dialect.Members{members}}, true
}

// Escaped tells whether a name is written with escapes, so that it does not read as it is written.
func Escaped(name []byte) bool { return bytes.IndexByte(name, '\\') >= 0 }
