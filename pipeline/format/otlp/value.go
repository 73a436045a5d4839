package otlp

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
)

// value is the value of an attribute: a string as it is, anything else as JSON text.
type value struct {
	text    string
	kind    jsontext.Kind // of the JSON; '"' for a string, 0 where there is no value
	members []keyed       // of a list or an object that is not written as text yet
}

// keyed is an attribute.
type keyed struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// anyValue is how the protocol's JSON writes a value: one of these members. 64-bit integers may be strings.
type anyValue struct {
	String *string   `json:"stringValue"`
	Bool   *bool     `json:"boolValue"`
	Int    field.Raw `json:"intValue"`
	Double field.Raw `json:"doubleValue"`
	Bytes  *string   `json:"bytesValue"`
	Array  *struct {
		Values record.PartList[value] `json:"values"`
	} `json:"arrayValue"`
	KVList *struct {
		Values record.PartList[keyed] `json:"values"`
	} `json:"kvlistValue"`
}

// UnmarshalJSONFrom reads a value.
func (v *value) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	var wire anyValue
	if err := json.UnmarshalDecode(decoder, &wire); err != nil {
		return err
	}
	switch {
	case wire.String != nil:
		*v = value{text: *wire.String, kind: '"'}
	case wire.Bool != nil:
		*v = value{text: strconv.FormatBool(*wire.Bool), kind: 't'}
	case !wire.Int.IsNull():
		*v = number(wire.Int.Text)
	case !wire.Double.IsNull():
		*v = number(wire.Double.Text)
	case wire.Bytes != nil:
		*v = value{text: *wire.Bytes, kind: '"'}
	case wire.Array != nil:
		*v = value{kind: '['}
		for _, element := range wire.Array.Values {
			v.members = append(v.members, keyed{Value: element})
		}
	case wire.KVList != nil:
		*v = value{kind: '{', members: wire.KVList.Values}
	}
	return nil
}

func number(text string) value {
	if jsontext.Value(text).Kind() == '0' && jsontext.Value(text).IsValid() {
		return value{text: text, kind: '0'}
	}
	return value{text: text, kind: '"'}
}

// append adds the value as JSON.
func (v value) append(out []byte) []byte {
	switch {
	case v.kind == 0:
		return append(out, "null"...)
	case v.kind == '"':
		out, _ = jsontext.AppendQuote(out, v.text) // the error tells of bytes that are no UTF-8, which it replaces
		return out
	case v.kind == '[' && v.text == "":
		out = append(out, '[')
		for i := range v.members {
			if i > 0 {
				out = append(out, ',')
			}
			out = v.members[i].Value.append(out)
		}
		return append(out, ']')
	case v.kind == '{' && v.text == "":
		out = append(out, '{')
		for i := range v.members {
			if i > 0 {
				out = append(out, ',')
			}
			out, _ = jsontext.AppendQuote(out, v.members[i].Key)
			out = v.members[i].Value.append(append(out, ':'))
		}
		return append(out, '}')
	}
	return append(out, v.text...)
}

// written gives the value with its text.
func (v value) written() value {
	if v.kind == '[' || v.kind == '{' {
		return value{text: string(v.append(nil)), kind: v.kind}
	}
	return v
}

// attributes are the attributes of a span, an event or a resource. Of two with one key the last holds.
type attributes map[string]value

// UnmarshalJSONFrom reads a list of attributes.
func (a *attributes) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	var list record.PartList[keyed]
	if err := json.UnmarshalDecode(decoder, &list); err != nil {
		return err
	}
	*a = make(attributes, len(list))
	for _, k := range list {
		(*a)[k.Key] = k.Value.written()
	}
	return nil
}

// text gives the first of the named attributes that is there and not empty.
func (a attributes) text(names ...string) string {
	for _, name := range names {
		if v := a[name]; v.text != "" {
			return v.text
		}
	}
	return ""
}

// has tells whether one of the named attributes is there.
func (a attributes) has(names ...string) bool {
	for _, name := range names {
		if a[name].kind != 0 {
			return true
		}
	}
	return false
}

// count gives the first of the named attributes as a number of tokens.
func (a attributes) count(names ...string) (int64, bool) {
	const most = 1e12 // more than any model has read
	for _, name := range names {
		if n, err := strconv.ParseFloat(a[name].text, 64); err == nil && n >= 0 && n <= most {
			return int64(n), true
		}
	}
	return 0, false
}

// ident is the id of a trace or span: hexadecimal, as the protocol's JSON has it, or base64, as plain protobuf
// writers give it.
type ident string

// UnmarshalJSONFrom reads an id.
func (i *ident) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	var raw field.Raw
	if err := json.UnmarshalDecode(decoder, &raw); err != nil {
		return err
	}
	text := raw.Object()
	if plain, err := hex.DecodeString(text); err == nil {
		*i = identOf(plain)
		return nil
	}
	if plain, err := base64.StdEncoding.DecodeString(text); err == nil && (len(plain) == 8 || len(plain) == 16) {
		text = hex.EncodeToString(plain)
	}
	*i = ident(text)
	return nil
}

// nanos is a time in nanoseconds since 1970, as a string or a number. What cannot be read is no time.
type nanos struct{ time.Time }

// UnmarshalJSONFrom reads a time.
func (n *nanos) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	var raw field.Raw
	if err := json.UnmarshalDecode(decoder, &raw); err != nil {
		return err
	}
	count, err := strconv.ParseInt(raw.Text, 10, 64)
	if err != nil {
		float, _ := strconv.ParseFloat(raw.Text, 64)
		if float > 0 && float < 1<<62 {
			count = int64(float)
		}
	}
	if count > 0 {
		n.Time = time.Unix(0, count).UTC()
	}
	return nil
}
