package transcript

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// member is one member of a JSON object.
type member struct {
	name  string
	value jsontext.Value
}

// object is what was read of a JSON object: its members, of those with one name the last.
type object struct {
	list     []member
	complete bool // its closing brace was read
	length   int  // bytes read, the closing brace included
}

// maxMembers bounds the members of one object that are kept. Those beyond it are checked and dropped.
const maxMembers = 1_024

// decoder reads what tools sent: what is odd in it must not hide what it says.
func decoder(raw []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// members reads the object that a text begins with, as far as it goes. What follows it is not looked at.
func members(raw []byte) object { return readMembers(raw, maxMembers) }

// readMembers is members with another bound.
func readMembers(raw []byte, limit int) object {
	var o object
	d := decoder(raw)
	if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
		return o
	}
	var places map[string]int // of the members of a large object
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return o
		}
		name := token.String()
		value, err := d.ReadValue()
		if err != nil {
			return o
		}
		value = asRead(raw, d, value)
		if at := o.place(name, &places); at >= 0 {
			o.list[at].value = value
			continue
		}
		if len(o.list) < limit {
			if places != nil {
				places[name] = len(o.list)
			}
			o.list = append(o.list, member{name, value})
		}
	}
	token, err := d.ReadToken()
	o.complete = err == nil && token.Kind() == '}'
	o.length = int(d.InputOffset())
	return o
}

// place is the index of the member of a name, -1 where there is none yet. Few members are looked through, more are looked
// up.
func (o object) place(name string, places *map[string]int) int {
	const few = 16
	if len(o.list) <= few {
		return slices.IndexFunc(o.list, func(m member) bool { return m.name == name })
	}
	if *places == nil {
		*places = make(map[string]int, 4*few)
		for i, m := range o.list {
			(*places)[m.name] = i
		}
	}
	if at, ok := (*places)[name]; ok {
		return at
	}
	return -1
}

// get gives the value of the first of the names that the object has, nil where it has none.
func (o object) get(names ...string) jsontext.Value {
	for _, name := range names {
		for _, m := range o.list {
			if m.name == name {
				return m.value
			}
		}
	}
	return nil
}

// asRead is the value that the decoder has just read, as part of the text itself: it outlives the next read.
func asRead(raw []byte, d *jsontext.Decoder, value jsontext.Value) jsontext.Value {
	end := int(d.InputOffset())
	return jsontext.Value(raw[end-len(value) : end : end])
}

// elements reads the values of a JSON array, at most limit of them.
func elements(raw jsontext.Value, limit int) []jsontext.Value {
	if raw.Kind() != '[' {
		return nil
	}
	d := decoder(raw)
	if token, err := d.ReadToken(); err != nil || token.Kind() != '[' {
		return nil
	}
	var list []jsontext.Value
	for kind := d.PeekKind(); kind != ']' && kind != 0 && len(list) < limit; kind = d.PeekKind() {
		value, err := d.ReadValue()
		if err != nil {
			return list
		}
		list = append(list, asRead(raw, d, value))
	}
	return list
}

// lastOfEachName drops, at every level, the members whose name comes again later in their object.
func lastOfEachName(raw jsontext.Value) (jsontext.Value, error) {
	if !raw.IsValid(jsontext.AllowDuplicateNames(true)) {
		return nil, errNotJSON
	}
	return appendLastOfEachName(nil, raw), nil
}

func appendLastOfEachName(out []byte, raw jsontext.Value) []byte {
	switch raw.Kind() {
	case '{':
		out = append(out, '{')
		for i, m := range readMembers(raw, len(raw)).list {
			if i > 0 {
				out = append(out, ',')
			}
			out, _ = jsontext.AppendQuote(out, m.name)
			out = appendLastOfEachName(append(out, ':'), m.value)
		}
		return append(out, '}')
	case '[':
		out = append(out, '[')
		for i, value := range elements(raw, len(raw)) {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendLastOfEachName(out, value)
		}
		return append(out, ']')
	}
	return append(out, raw...)
}
