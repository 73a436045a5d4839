package metrics

import (
	"regexp"
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// matcher is a regular expression with a cheap look before it: most texts cannot match most patterns, and their first byte
// tells. Everything it gives is what the expression alone would give.
type matcher struct {
	pattern *regexp.Regexp
	begins  *[256]bool // bytes that a match begins with; nil: the pattern is not anchored, or may match nothing
}

func newMatcher(pattern *regexp.Regexp) matcher {
	m := matcher{pattern: pattern}
	parsed, err := syntax.Parse(pattern.String(), syntax.Perl)
	if err != nil || !isAnchored(parsed) {
		return m
	}
	var begins [256]bool
	if !addFirst(parsed, &begins) {
		m.begins = &begins
	}
	return m
}

// mayMatch tells, without certainty where it says yes, whether a text matches.
func (m *matcher) mayMatch(text string) bool {
	return m.begins == nil || text != "" && m.begins[text[0]]
}

func (m *matcher) matches(text string) bool { return m.mayMatch(text) && m.pattern.MatchString(text) }

// without is the text without what matches.
func (m *matcher) without(text string) string {
	if !m.mayMatch(text) {
		return text
	}
	return m.pattern.ReplaceAllString(text, "")
}

// isAnchored tells whether an expression matches at the beginning of a text only.
func isAnchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginText:
		return true
	case syntax.OpConcat, syntax.OpCapture:
		return len(re.Sub) > 0 && isAnchored(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if !isAnchored(sub) {
				return false
			}
		}
		return true
	}
	return false
}

// addFirst adds the bytes that a match of an expression can begin with, and tells whether it can match nothing.
func addFirst(re *syntax.Regexp, set *[256]bool) (empty bool) {
	switch re.Op {
	case syntax.OpNoMatch:
		return false
	case syntax.OpLiteral:
		addRune(re.Rune[0], re.Flags&syntax.FoldCase != 0, set)
		return false
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1] && r < utf8.RuneSelf; r++ {
				set[r] = true
			}
			if re.Rune[i+1] >= utf8.RuneSelf {
				addBeyondASCII(set)
			}
		}
		return false
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		for i := range set {
			set[i] = true
		}
		return false
	case syntax.OpCapture, syntax.OpPlus:
		return addFirst(re.Sub[0], set)
	case syntax.OpRepeat:
		return addFirst(re.Sub[0], set) || re.Min == 0
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !addFirst(sub, set) {
				return false
			}
		}
		return true
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			empty = addFirst(sub, set) || empty
		}
		return empty
	case syntax.OpStar, syntax.OpQuest:
		addFirst(re.Sub[0], set)
	}
	return true // a place, which takes no byte
}

func addRune(r rune, fold bool, set *[256]bool) {
	add := func(r rune) {
		if r < utf8.RuneSelf {
			set[r] = true
			return
		}
		addBeyondASCII(set)
	}
	add(r)
	if !fold {
		return
	}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		add(f)
	}
}

// addBeyondASCII adds every byte of which other characters, and invalid ones, are made.
func addBeyondASCII(set *[256]bool) {
	for i := utf8.RuneSelf; i < len(set); i++ {
		set[i] = true
	}
}

// Bytes without one of which a pattern cannot match.
const (
	digits      = "0123456789"
	beyondASCII = "\x80" // stands for every byte that is not ASCII
)

// anyOf is a set of bytes.
func anyOf(bytes string) *[256]bool {
	var set [256]bool
	for i := 0; i < len(bytes); i++ {
		if bytes[i] >= utf8.RuneSelf {
			addBeyondASCII(&set)
		}
		set[bytes[i]] = true
	}
	return &set
}

// hasAny tells whether one of the bytes of a set stands in a text; a nil set is any.
func hasAny(text string, set *[256]bool) bool {
	if set == nil {
		return true
	}
	for i := 0; i < len(text); i++ {
		if set[text[i]] {
			return true
		}
	}
	return false
}
