package dialect

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Container says how an input holds its records.
type Container int

// The containers.
const (
	One   Container = iota // one JSON object
	Array                  // one JSON array
	Lines                  // several JSON values, one a line or one after the other
)

// Shape is what the beginning of an input shows: enough to tell its dialect, whatever the order of its keys.
// Its values point into the input and are not to be kept.
type Shape struct {
	Container Container
	Valid     bool      // the input is a single JSON object, whole and undamaged
	Begin     []byte    // the beginning of an input that is no JSON, else nil
	Binary    bool      // it looks like a protobuf message, and Begin is all of it
	Heads     []Members // the members of the first objects, in order; other values than objects are left out
}

// First gives the members of the first object, none where there is no object.
func (s Shape) First() Members {
	if len(s.Heads) == 0 {
		return nil
	}
	return s.Heads[0]
}

// Any tells whether one of the heads satisfies the condition.
func (s Shape) Any(condition func(Members) bool) bool {
	for _, head := range s.Heads {
		if condition(head) {
			return true
		}
	}
	return false
}

// Member is one member of an object, with its value as it stands in the input.
type Member struct {
	Name  string
	Value jsontext.Value
}

// Members are the members of one object in their order.
type Members []Member

// Sorted gives the members in the order of their names.
func (m Members) Sorted() Members {
	return slices.SortedStableFunc(slices.Values(m), func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
}

// Get gives the value of a member, nil where there is none.
func (m Members) Get(name string) jsontext.Value {
	for _, member := range m {
		if member.Name == name {
			return member.Value
		}
	}
	return nil
}

// Kind gives the kind of a member's value ('{', '[', '"', '0', 't', 'f', 'n'), 0 where there is none.
func (m Members) Kind(name string) jsontext.Kind {
	value := m.Get(name)
	if len(value) == 0 {
		return 0
	}
	return value.Kind()
}

// Has tells whether every one of the names is a member.
func (m Members) Has(names ...string) bool {
	for _, name := range names {
		if m.Get(name) == nil {
			return false
		}
	}
	return true
}

// Text gives the string that a member holds, "" where it holds something else.
func (m Members) Text(name string) string {
	value := m.Get(name)
	if m.Kind(name) != '"' {
		return ""
	}
	text, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return ""
	}
	return string(text)
}
