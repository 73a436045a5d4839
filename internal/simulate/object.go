package simulate

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"
)

// field is one member of an object: a name and a JSON scalar, object or list.
type field struct {
	name  string
	value any
}

// object is a JSON object that keeps its order, since the order of keys is a
// thing that transcripts vary and identity must not see.
type object []field

// appendJSON writes a value as compact JSON. The values are the package's own;
// a kind that is not listed is a bug of a scene.
func appendJSON(b []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	case string:
		return appendString(b, v)
	case raw:
		return append(b, v...)
	case object:
		return v.appendTo(b)
	case []object:
		return appendList(b, v)
	case []raw:
		return appendList(b, v)
	case []any:
		return appendList(b, v)
	}
	panic(fmt.Sprintf("BUG: simulate: no way to write %T", value))
}

// raw is JSON that is written already.
type raw []byte

// appendString writes a string; what the standard library escapes is escaped.
func appendString(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			quoted, err := json.Marshal(s)
			if err != nil {
				panic("BUG: simulate: " + err.Error())
			}
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// appendList writes the elements in their order.
func appendList[T any](b []byte, list []T) []byte {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, v)
	}
	return append(b, ']')
}

// appendTo writes the members in their order.
func (o object) appendTo(b []byte) []byte {
	b = append(b, '{')
	for i, f := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, f.name), ':')
		b = appendJSON(b, f.value)
	}
	return append(b, '}')
}

// text is the object as JSON text.
func (o object) text() string { return string(o.appendTo(nil)) }

// with gives a copy in which name has this value, in its old place if it had one.
func (o object) with(name string, value any) object {
	c := append(object(nil), o...)
	for i := range c {
		if c[i].name == name {
			c[i].value = value
			return c
		}
	}
	return append(c, field{name, value})
}

// renamed gives a copy in which the member old is called new.
func (o object) renamed(old, new string) object {
	c := append(object(nil), o...)
	for i := range c {
		if c[i].name == old {
			c[i].name = new
		}
	}
	return c
}

// get is the value of a member, nil where there is none.
func (o object) get(name string) any {
	for _, f := range o {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

// shuffled gives a copy with its members in another order: the same call to
// any reader that compares values.
func (o object) shuffled(rng *rand.Rand) object {
	c := append(object(nil), o...)
	rng.Shuffle(len(c), func(i, j int) { c[i], c[j] = c[j], c[i] })
	return c
}

// key is a text that is equal for objects with equal members in any order.
func (o object) key() string {
	parts := make([]string, len(o))
	for i, f := range o {
		parts[i] = fmt.Sprintf("%s=%v", f.name, f.value)
	}
	sort.Strings(parts)
	return strings.Join(parts, "&")
}

// scalar is how a value is written in the truth: strings without quotes,
// numbers and booleans as JSON writes them.
func scalar(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return fmt.Sprint(v)
}
