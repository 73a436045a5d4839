package chhttp

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// statement is what the interface must know of a query's text to run it: the rest is the engine's to parse.
type statement struct {
	// text is the query, for an INSERT with data only up to the data's format.
	text string
	// verb is the first word in upper case.
	verb string
	// inserts says that rows follow the text, in insertFormat; inline are those that were in the text itself.
	inserts      bool
	insertFormat string
	inline       string
	// format is what the text's own FORMAT clause asks for, or "".
	format string
	// many says that another statement follows the first.
	many bool
	// outfile says that the result is meant for a file.
	outfile bool
}

// token is a word, a sign or a quoted piece of a query, outside of comments.
type token struct {
	text       string
	start, end int
	depth      int
	word       bool
}

// parse finds the verb, the FORMAT clause and the data of a query.
func parse(text string) statement {
	st := statement{text: text}
	sc := scanner{text: text}
	first, ok := sc.next()
	if !ok || !first.word && first.text != "(" {
		return st
	}
	st.verb = strings.ToUpper(first.text)
	if st.verb == "INSERT" {
		return parseInsert(st, &sc)
	}
	return parseTail(st, &sc)
}

// parseInsert stops at the data, which is not SQL: it follows VALUES or FORMAT name, unless the rows come of a SELECT.
func parseInsert(st statement, sc *scanner) statement {
	for {
		t, ok := sc.next()
		if !ok || t.depth > 0 || !t.word {
			if !ok {
				return st
			}
			continue
		}
		switch strings.ToUpper(t.text) {
		case "SELECT", "WITH":
			return parseTail(st, sc)
		case "VALUES":
			return st.withData(t.start, "Values", t.end)
		case "FORMAT":
			name, ok := sc.next()
			if !ok || !name.word {
				return st
			}
			if strings.EqualFold(name.text, "VALUES") {
				return st.withData(t.start, "Values", name.end)
			}
			return st.withData(t.start, name.text, name.end)
		}
	}
}

// withData splits the text before the data's format at head and after it at data. As in ClickHouse, blanks up to the end of
// the line belong to neither.
func (st statement) withData(head int, format string, data int) statement {
	st.inserts, st.insertFormat = true, format
	st.inline = strings.TrimLeft(st.text[data:], " \t\r")
	st.inline = strings.TrimPrefix(st.inline, "\n")
	st.text = st.text[:head]
	return st
}

// parseTail looks for a FORMAT clause at the end, which only SETTINGS may follow, and for a second statement.
func parseTail(st statement, sc *scanner) statement {
	var outer []token
	for {
		t, ok := sc.next()
		if ok && t.depth == 0 && t.text == ";" {
			_, st.many = sc.next()
			ok = false
		}
		if !ok {
			break
		}
		if t.depth == 0 {
			outer = append(outer, t)
		}
	}
	for i := len(outer) - 2; i >= 0; i-- {
		if strings.EqualFold(outer[i].text, "INTO") && strings.EqualFold(outer[i+1].text, "OUTFILE") {
			st.outfile = true
		}
		if st.format != "" || !strings.EqualFold(outer[i].text, "FORMAT") || !outer[i+1].word {
			continue
		}
		if i+2 == len(outer) || strings.EqualFold(outer[i+2].text, "SETTINGS") {
			st.format = outer[i+1].text
		}
	}
	return st
}

// scanner cuts a query into tokens.
type scanner struct {
	text  string
	at    int
	depth int
}

func (s *scanner) next() (token, bool) {
	s.skipBlanks()
	if s.at >= len(s.text) {
		return token{}, false
	}
	start := s.at
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	switch {
	case r == '\'' || r == '"' || r == '`':
		s.quoted(byte(r))
		return token{text: s.text[start:s.at], start: start, end: s.at, depth: s.depth}, true
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
		for s.at < len(s.text) && partOfWord(s.text[s.at]) {
			s.at++
		}
		if s.at == start {
			s.at += size
		}
		return token{text: s.text[start:s.at], start: start, end: s.at, depth: s.depth, word: true}, true
	}
	s.at += size
	t := token{text: s.text[start:s.at], start: start, end: s.at, depth: s.depth}
	switch r {
	case '(', '[', '{':
		s.depth++
	case ')', ']', '}':
		s.depth = max(s.depth-1, 0)
	}
	return t, true
}

func partOfWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= utf8.RuneSelf
}

// quoted passes a string or quoted name, in which a mark is escaped by a backslash or by doubling it; doubled it reads as two
// strings side by side, which comes to the same here.
func (s *scanner) quoted(mark byte) {
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case mark:
			s.at++
			return
		}
	}
	s.at = len(s.text)
}

// skipBlanks passes white space and comments.
func (s *scanner) skipBlanks() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "#!") || strings.HasPrefix(rest, "# "):
			s.pass(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			s.pass(rest, "*/")
		default:
			r, size := utf8.DecodeRuneInString(rest)
			if !unicode.IsSpace(r) {
				return
			}
			s.at += size
		}
	}
}

// pass moves behind the next occurrence of end, or to the end of the text.
func (s *scanner) pass(rest, end string) {
	if i := strings.Index(rest, end); i >= 0 {
		s.at += i + len(end)
		return
	}
	s.at = len(s.text)
}
