package transcript

import (
	"encoding/binary"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of what is taken apart. Beyond them arguments are still compared, as text, and leaves are no longer listed.
const (
	maxDepth  = 200   // levels of nesting; ordering members copies them once a level
	maxLeaves = 4_096 // leaves of one call
)

// noArguments is what missing, null and empty arguments are.
const noArguments = "{}"

// Arguments are the arguments of a call in canonical form: what decides whether two calls are identical.
type Arguments struct {
	JSON      string // canonical JSON of an object; else the trimmed text as sent
	Object    bool   // JSON holds an object
	Malformed bool   // what was sent does not parse, or is no object: compared as text
}

// Leaf is one scalar of the arguments, or one empty object or array.
type Leaf struct {
	Pointer string // JSON Pointer (RFC 6901); "" for arguments that are text
	Value   string // canonical JSON
}

// Canonical brings the arguments of a call, as sent, to canonical form, in the manner of RFC 8785: no white space,
// members sorted, strings escaped in one way, numbers by value. It departs from it where the scheme would make unlike
// arguments equal: integers beyond 2^53 keep their digits. Of members with one name the last counts, as it does for the
// parsers that tools use. Lone surrogates and invalid UTF-8 cannot be told apart once decoded, so they are text.
func Canonical(arguments string) Arguments {
	trimmed := strings.TrimSpace(arguments)
	text := trimmed
	if strings.HasPrefix(text, `"`) {
		inner, err := jsontext.AppendUnquote(nil, text)
		if err != nil {
			return Arguments{JSON: trimmed, Malformed: true}
		}
		text = strings.TrimSpace(string(inner))
		if text != "" && text[0] != '{' {
			return Arguments{JSON: trimmed, Malformed: true}
		}
	}
	if text == "" || text == "null" || text == noArguments {
		return Arguments{JSON: noArguments, Object: true}
	}
	if text[0] != '{' {
		return Arguments{JSON: trimmed, Malformed: true}
	}
	canonical, err := CanonicalJSON([]byte(text))
	if err != nil {
		return Arguments{JSON: trimmed, Malformed: true}
	}
	return Arguments{JSON: string(canonical), Object: true}
}

// CanonicalJSON brings one JSON value to the form that Canonical describes.
func CanonicalJSON(raw []byte) ([]byte, error) {
	if depthOf(raw) > maxDepth {
		return nil, errTooDeep
	}
	value := jsontext.Value(raw)
	formatted, err := jsontext.AppendFormat(nil, value, jsontext.ReorderRawObjects(true))
	if err != nil {
		if value, err = lastOfEachName(value); err != nil {
			return nil, err
		}
		if formatted, err = jsontext.AppendFormat(nil, value, jsontext.ReorderRawObjects(true)); err != nil {
			return nil, err
		}
	}
	return canonicalNumbers(formatted), nil
}

// Leaves lists the leaves of the arguments in the order of their canonical text. Arguments that are text are one leaf,
// no arguments are none.
func (a Arguments) Leaves() []Leaf {
	if !a.Object {
		return []Leaf{{Value: CanonicalString(a.JSON)}}
	}
	var leaves []Leaf
	d := jsontext.NewDecoder(strings.NewReader(a.JSON))
	for len(leaves) < maxLeaves {
		kind := d.PeekKind()
		if kind == '{' || kind == '[' {
			if _, err := d.ReadToken(); err != nil {
				return leaves
			}
			if end := d.PeekKind(); (end == '}' || end == ']') && d.StackDepth() > 1 {
				leaves = append(leaves, Leaf{string(d.StackPointer()), string(kind) + string(end)})
			}
			continue
		}
		if kind == '}' || kind == ']' {
			if _, err := d.ReadToken(); err != nil {
				return leaves
			}
			continue
		}
		nameNext := false
		if container, length := d.StackIndex(d.StackDepth()); container == '{' && length%2 == 0 {
			nameNext = true
		}
		value, err := d.ReadValue()
		if err != nil {
			return leaves
		}
		if !nameNext {
			leaves = append(leaves, Leaf{string(d.StackPointer()), string(value)})
		}
	}
	return leaves
}

// Without leaves out the named top-level arguments.
func (a Arguments) Without(names []string) Arguments {
	if !a.Object || len(names) == 0 || a.JSON == noArguments {
		return a
	}
	left := make(map[string]bool, len(names))
	for _, name := range names {
		left[name] = true
	}
	var out []byte
	for _, m := range members([]byte(a.JSON)).list {
		if left[m.name] {
			continue
		}
		out = append(out, ',')
		out, _ = jsontext.AppendQuote(out, m.name)
		out = append(append(out, ':'), m.value...)
	}
	if len(out) == 0 {
		return Arguments{JSON: noArguments, Object: true}
	}
	out[0] = '{'
	return Arguments{JSON: string(append(out, '}')), Object: true}
}

// Hash is equal exactly for identical calls: same tool, same canonical arguments.
func Hash(tool Tool, a Arguments) uint64 {
	var d xxhash.Digest
	d.Reset()
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(tool)))
	_, _ = d.Write(length[:]) // a hash never fails to write
	_, _ = d.WriteString(string(tool))
	_, _ = d.WriteString(a.JSON)
	return d.Sum64()
}

// CanonicalString is a string as canonical JSON. Invalid UTF-8 becomes the replacement character.
func CanonicalString(s string) string {
	quoted, _ := jsontext.AppendQuote(nil, s)
	return string(quoted)
}
