package metrics

import (
	"slices"
	"strings"

	"errata/transcript"
)

// Bounds of what errors are searched for.
const (
	maxMessage  = 8 << 10 // bytes of one message
	maxMessages = 8       // messages of one episode, the latest ones
	maxNamed    = 256     // arguments that the errors of one episode name
	maxNeedle   = 256     // bytes of a name or value that is looked for in a message
)

// faults are the arguments that the errors of an episode say or suggest are faulty.
type faults struct {
	named    []string  // JSON Pointers from error objects
	messages []message // of errors that name none
}

// message is the message of an error that names no argument, ready to be searched.
type message struct {
	text  string // case-folded
	words map[string]bool
}

func newMessage(text string) message {
	text = foldCase(cut(text, maxMessage))
	words := map[string]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !isWordRune(r) }) {
		words[word] = true
	}
	return message{text: text, words: words}
}

// names tells whether a name or value stands in the message as a word.
func (m *message) names(text string) bool {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxNeedle || len(text) > len(m.text) {
		return false
	}
	text = foldCase(text)
	if strings.IndexFunc(text, func(r rune) bool { return !isWordRune(r) }) < 0 {
		return m.words[text]
	}
	return standsIn(m.text, text)
}

// namedBy lists the arguments that an error object names. The pointer to the whole of the arguments names none of them.
func namedBy(e *transcript.ErrorObject) []string {
	var named []string
	for i := range e.Fields {
		if e.Fields[i].Pointer != "" {
			named = append(named, e.Fields[i].Pointer)
		}
	}
	return named
}

// add takes what an errored call of the episode says.
func (f *faults) add(c *callState) {
	named := namedBy(&c.fact.Error)
	for _, pointer := range named {
		if len(f.named) < maxNamed && !slices.Contains(f.named, pointer) {
			f.named = append(f.named, pointer)
		}
	}
	known := func(m message) bool { return m.text == c.message.text }
	if len(named) > 0 || c.message.text == "" || slices.ContainsFunc(f.messages, known) {
		return
	}
	if len(f.messages) == maxMessages {
		f.messages = slices.Delete(f.messages, 0, 1)
	}
	f.messages = append(f.messages, c.message)
}

// covers tells whether a pointer points at a leaf, or at what holds it.
func covers(pointer, leaf string) bool {
	return strings.HasPrefix(leaf, pointer) && (len(leaf) == len(pointer) || leaf[len(pointer)] == '/')
}

// leaveOut marks the leaves that say nothing about whether two calls are after the same thing: arguments that were named
// as faulty, and inferred ones where the earlier call lacked them or another leaf remains. Renamed leaves stay.
func (f *faults) leaveOut(all []difference, before, after *callState) {
	remaining := len(all)
	for i := range all {
		d := &all[i]
		if !d.isRenamed && slices.ContainsFunc(f.named, func(p string) bool { return covers(p, d.pointer) }) {
			d.leftOut = true
			remaining--
		}
	}
	for i := range f.messages {
		pointer, found := f.messages[i].infer(before.leaves, after.leaves)
		if !found {
			continue
		}
		covered, lacked := 0, true
		for j := range all {
			if d := &all[j]; !d.isRenamed && !d.leftOut && covers(pointer, d.pointer) {
				covered++
				lacked = lacked && d.before == ""
			}
		}
		if covered == 0 || !lacked && remaining == covered {
			continue
		}
		remaining -= covered
		for j := range all {
			if d := &all[j]; !d.isRenamed && covers(pointer, d.pointer) {
				d.leftOut = true
			}
		}
	}
}

// infer finds the one argument of either call whose name stands in the message as a word, else the one whose value does.
// An argument is a leaf or what holds it; of one and what holds it the inner one counts.
func (m *message) infer(before, after []transcript.Leaf) (pointer string, found bool) {
	if m.text == "" {
		return "", false
	}
	var byName, byValue unique
	for _, leaves := range [2][]transcript.Leaf{before, after} {
		for i := range leaves {
			m.inferName(&byName, leaves[i].Pointer)
		}
	}
	if byName.count == 1 {
		return byName.pointer, true
	}
	for _, leaves := range [2][]transcript.Leaf{before, after} {
		for i := range leaves {
			if text, ok := scalarText(leaves[i].Value); ok && leaves[i].Pointer != "" && m.names(text) {
				byValue.add(leaves[i].Pointer)
			}
		}
	}
	return byValue.pointer, byValue.count == 1
}

// inferName adds the arguments on the way to a leaf whose names stand in the message. Places in arrays have no names.
func (m *message) inferName(named *unique, pointer string) {
	for from := 1; from <= len(pointer); {
		end := strings.IndexByte(pointer[from:], '/')
		if end < 0 {
			end = len(pointer)
		} else {
			end += from
		}
		name := pointer[from:end]
		if !isIndex(name) && m.names(unescapePointer(name)) {
			named.add(pointer[:end])
		}
		from = end + 1
	}
}

func isIndex(name string) bool {
	for i := 0; i < len(name); i++ {
		if name[i] < '0' || name[i] > '9' {
			return false
		}
	}
	return name != ""
}

// unescapePointer is the name that a reference token of a JSON Pointer stands for.
func unescapePointer(token string) string {
	if strings.IndexByte(token, '~') < 0 {
		return token
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
}

// unique collects pointers and tells whether there was but one, not counting what holds another one.
type unique struct {
	pointer string
	count   int
}

func (u *unique) add(pointer string) {
	switch {
	case u.count == 0:
		u.pointer, u.count = pointer, 1
	case u.count > 1 || covers(pointer, u.pointer):
	case covers(u.pointer, pointer):
		u.pointer = pointer
	default:
		u.count = 2
	}
}
