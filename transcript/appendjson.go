package transcript

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// Every message that is stored is encoded, so that it is done by hand here: field by field as the tags of the types say and
// as encoding/json writes them, but for <, > and &, which stay. A fuzz test holds it to that, and reading is left to the
// library.

// textLength is the length of the strings of a message that may be long.
func (m *Message) textLength() int {
	n := len(m.Text) + len(m.Reasoning)
	for i := range m.Calls {
		n += 64 + len(m.Calls[i].Arguments)
	}
	for i := range m.Results {
		n += 64 + len(m.Results[i].Body)
	}
	return n
}

func (k *Known) appendJSON(b []byte) []byte {
	b = append(b, '{')
	b = k.Message.appendMembers(b)
	if len(k.After) > 0 {
		b = append(b, `,"after":[`...)
		for i, after := range k.After {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendUint(b, uint64(after), 10)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

func (m *Message) appendMembers(b []byte) []byte {
	b = appendText(b, `"id":`, m.ID)
	b = appendText(b, `"generation":`, m.Generation)
	b = appendText(b, `"parent":`, m.Parent)
	b = appendNumberMember(b, `"seq":`, m.Seq)
	b = appendString(appendName(b, `"role":`), string(m.Role))
	b = appendTime(b, `"time":`, m.Time)
	b = appendTime(b, `"arrived":`, m.Arrived)
	b = appendText(b, `"provider":`, m.Provider)
	b = appendText(b, `"model":`, m.Model)
	b = appendText(b, `"text":`, m.Text)
	b = appendText(b, `"reasoning":`, m.Reasoning)
	if len(m.Calls) > 0 {
		b = append(appendName(b, `"calls":`), '[')
		for i := range m.Calls {
			b = m.Calls[i].appendJSON(appendComma(b, i))
		}
		b = append(b, ']')
	}
	if len(m.Results) > 0 {
		b = append(appendName(b, `"results":`), '[')
		for i := range m.Results {
			b = m.Results[i].appendJSON(appendComma(b, i))
		}
		b = append(b, ']')
	}
	if u := m.Usage; u != nil {
		b = append(appendName(b, `"usage":`), '{')
		b = appendNumberMember(b, `"input":`, u.Input)
		b = appendNumberMember(b, `"cache_read":`, u.CacheRead)
		b = appendNumberMember(b, `"cache_write":`, u.CacheWrite)
		b = append(appendNumberMember(b, `"output":`, u.Output), '}')
	}
	return b
}

func (c *Call) appendJSON(b []byte) []byte {
	b = append(b, '{')
	b = appendText(b, `"id":`, c.ID)
	b = appendString(appendName(b, `"tool":`), string(c.Tool))
	b = appendText(b, `"arguments":`, c.Arguments)
	b = appendText(b, `"actor":`, string(c.Actor))
	if c.Unknown {
		b = append(appendName(b, `"unknown":`), "true"...)
	}
	return append(appendTime(b, `"time":`, c.Time), '}')
}

func (r *Result) appendJSON(b []byte) []byte {
	b = append(b, '{')
	b = appendText(b, `"call_id":`, r.CallID)
	b = appendText(b, `"tool":`, string(r.Tool))
	b = appendText(b, `"body":`, r.Body)
	b = appendText(b, `"flag":`, string(r.Flag))
	b = appendText(b, `"fate":`, string(r.Fate))
	if r.ExitCode != nil {
		b = strconv.AppendInt(appendName(b, `"exit_code":`), int64(*r.ExitCode), 10)
	}
	b = appendText(b, `"error_type":`, r.ErrorType)
	b = appendText(b, `"variant":`, string(r.Variant))
	b = appendText(b, `"actor":`, string(r.Actor))
	b = appendTime(b, `"time":`, r.Time)
	b = appendNumberMember(b, `"body_length":`, int64(r.BodyLength))
	return append(appendText(b, `"body_hash":`, r.BodyHash), '}')
}

// appendName begins a member of an object.
func appendName(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(b, name...)
}

// appendComma begins an element of a list.
func appendComma(b []byte, index int) []byte {
	if index > 0 {
		b = append(b, ',')
	}
	return b
}

// appendText adds a member unless it is empty, as appendNumberMember and appendTime do.
func appendText(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	return appendString(appendName(b, name), text)
}

func appendNumberMember(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return strconv.AppendInt(appendName(b, name), n, 10)
}

func appendTime(b []byte, name string, t time.Time) []byte {
	if t.IsZero() {
		return b
	}
	b = append(appendName(b, name), '"')
	return append(t.AppendFormat(b, time.RFC3339Nano), '"')
}

const hexDigits = "0123456789abcdef"

// appendString quotes a text.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	plain := 0 // what is before was copied
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				b = append(append(b, s[plain:i]...), `\ufffd`...)
				plain = i + size
			case r == '\u2028' || r == '\u2029': // ends of lines in JavaScript
				b = append(append(b, s[plain:i]...), `\u202`...)
				b = append(b, hexDigits[r&0xf])
				plain = i + size
			}
			i += size
			continue
		}
		b = append(b, s[plain:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		}
		i++
		plain = i
	}
	return append(append(b, s[plain:]...), '"')
}
