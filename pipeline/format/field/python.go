package field

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// FromPython gives the JSON of a dictionary that stands as Python prints it, {'city': 'Paris', 'days': None}, as
// frameworks pass on what a tool was given. ok is false for any other text, and for values that JSON does not have.
func FromPython(text string) (out string, ok bool) {
	p := python{rest: strings.TrimSpace(text)}
	if !strings.HasPrefix(p.rest, "{") {
		return "", false
	}
	if !p.value(0) || strings.TrimSpace(p.rest) != "" {
		return "", false
	}
	return string(p.out), true
}

// python reads a literal from left to right.
type python struct {
	rest string
	out  []byte
}

// deepPython bounds the nesting; what tools are given comes nowhere near it.
const deepPython = 50

func (p *python) value(depth int) bool {
	p.space()
	if p.rest == "" || depth > deepPython {
		return false
	}
	switch c := p.rest[0]; {
	case c == '{':
		return p.list('}', func() bool {
			return p.text() && p.eat(':') && p.put(':') && p.value(depth+1)
		})
	case c == '[':
		return p.list(']', func() bool { return p.value(depth + 1) })
	case c == '\'' || c == '"':
		return p.text()
	}
	end := strings.IndexAny(p.rest, ",]}")
	if end < 0 {
		return false
	}
	word := strings.TrimSpace(p.rest[:end])
	p.rest = p.rest[end:]
	switch word {
	case "True":
		word = "true"
	case "False":
		word = "false"
	case "None":
		word = "null"
	default:
		if number := jsontext.Value(word); !number.IsValid() || number.Kind() != '0' {
			return false
		}
	}
	p.out = append(p.out, word...)
	return true
}

// list reads what stands between brackets, separated by commas.
func (p *python) list(closing byte, element func() bool) bool {
	p.out = append(p.out, p.rest[0])
	p.rest = p.rest[1:]
	for first := true; ; first = false {
		if p.eat(closing) {
			return p.put(closing)
		}
		if !first && (!p.eat(',') || !p.put(',')) {
			return false
		}
		if !element() {
			return false
		}
	}
}

// text reads a string in either kind of quotes.
func (p *python) text() bool {
	p.space()
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		return false
	}
	quote := p.rest[0]
	var plain strings.Builder
	for p.rest = p.rest[1:]; p.rest != ""; {
		if p.rest[0] == quote {
			p.rest = p.rest[1:]
			out, err := jsontext.AppendQuote(p.out, plain.String())
			p.out = out
			return err == nil
		}
		r, _, tail, err := strconv.UnquoteChar(p.rest, quote)
		if err != nil {
			return false
		}
		plain.WriteRune(r)
		p.rest = tail
	}
	return false
}

func (p *python) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// eat steps over a character where it comes next.
func (p *python) eat(c byte) bool {
	p.space()
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *python) put(c byte) bool {
	p.out = append(p.out, c)
	return true
}
