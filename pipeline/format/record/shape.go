package record

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
)

// heads is how many objects of a list or of lines are looked at to tell the dialect.
const heads = 16

// maxMembers bounds the keys of one object. No transcript comes near it.
const maxMembers = 10_000

// beginning is how much is shown of an input that is no JSON.
const beginning = 4096

// space is the white space of JSON.
const space = " \t\r\n"

// ShapeOf reads what the beginning of an input shows. With an error, a Reject, the shape holds what was read up to it.
func ShapeOf(value []byte) (dialect.Shape, error) {
	trimmed := bytes.TrimLeft(value, space)
	if len(trimmed) == 0 {
		return dialect.Shape{}, dialect.Reject{
			Reason:  dialect.ReasonMalformedJSON,
			Message: "there is nothing in it; send a JSON object, an array of them, or JSON lines",
		}
	}
	if isProtobuf(value) {
		return dialect.Shape{Begin: value, Binary: true}, notStructured(value, 0)
	}
	switch trimmed[0] {
	case '[':
		return arrayShape(value)
	case '{':
		if shape, ok := oneObject(value); ok {
			return shape, nil
		}
		return linesShape(value)
	default:
		return dialect.Shape{Begin: trimmed[:min(len(trimmed), beginning)]}, notStructured(value, len(value)-len(trimmed))
	}
}

// isProtobuf tells a protobuf message that begins with a message, in its first field, as requests of OpenTelemetry do.
// That field's tag is a line feed, so that the length which follows may look like the begin of JSON; but then there is a
// byte soon that stands in no text.
func isProtobuf(value []byte) bool {
	const near = 256
	if value[0] != '\n' {
		return false
	}
	_, prefix := binary.Uvarint(value[1:])
	if prefix <= 0 || 1+prefix >= len(value) {
		return false
	}
	switch value[1+prefix] {
	case 1<<3 | 2, 2<<3 | 2, 3<<3 | 2: // a field with a length
	default:
		return false
	}
	return bytes.ContainsFunc(value[1:min(len(value), near)], func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' })
}

// notStructured refuses what begins with neither an object nor an array.
func notStructured(value []byte, offset int) dialect.Reject {
	reject := dialect.Reject{
		Reason:  dialect.ReasonMalformedJSON,
		Message: "this is neither a JSON object, nor an array of them, nor JSON lines",
		Offset:  int64(offset),
	}
	begin := value[:min(len(value), 512)]
	// The cut may fall inside a character, hence the last bytes do not count.
	if valid := bytes.ToValidUTF8(begin, nil); len(begin)-len(valid) >= utf8.UTFMax || bytes.IndexByte(begin, 0) >= 0 {
		reject.Reason = dialect.ReasonInvalidUTF8
		reject.Message = "this is not UTF-8 text; convert it, or unpack it first"
	}
	return reject
}

func arrayShape(value []byte) (dialect.Shape, error) {
	shape := dialect.Shape{Container: dialect.Array}
	decoder := newDecoder(value)
	if _, err := decoder.ReadToken(); err != nil {
		return shape, Refuse(err)
	}
	for range heads {
		kind := decoder.PeekKind()
		if kind == ']' {
			break
		}
		if err := readHead(decoder, value, &shape); err != nil {
			return shape, Refuse(err)
		}
	}
	return shape, nil
}

// linesShape reads one object or several. A damaged line is stepped over, since others can tell the dialect.
func linesShape(value []byte) (dialect.Shape, error) {
	var shape dialect.Shape
	var first error
	rest, decoder := value, newDecoder(value)
	for count := range heads {
		if len(bytes.TrimLeft(rest[decoder.InputOffset():], space)) == 0 {
			break
		}
		if count > 0 {
			shape.Container = dialect.Lines
		}
		at := decoder.InputOffset()
		err := readHead(decoder, rest, &shape)
		if err == nil {
			continue
		}
		if first == nil {
			first = Refuse(err)
		}
		next := bytes.Index(rest[at:], []byte("\n{"))
		if next < 0 {
			break
		}
		shape.Container = dialect.Lines
		rest = rest[int(at)+next+1:]
		decoder = newDecoder(rest)
	}
	return shape, first
}

// readHead reads one value and, where it is an object, adds its members to the shape.
func readHead(decoder *jsontext.Decoder, value []byte, shape *dialect.Shape) error {
	if decoder.PeekKind() != '{' {
		return decoder.SkipValue()
	}
	members, err := readMembers(decoder, value)
	shape.Heads = append(shape.Heads, members)
	return err
}

func readMembers(decoder *jsontext.Decoder, value []byte) (dialect.Members, error) {
	var members dialect.Members
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	for {
		token, err := decoder.ReadToken()
		if err != nil {
			return members, err
		}
		if token.Kind() == '}' {
			return members, nil
		}
		if len(members) == maxMembers {
			return members, dialect.Reject{
				Reason:  dialect.ReasonTooLarge,
				Message: "an object has more than " + strconv.Itoa(maxMembers) + " keys; no transcript has so many, mend the program that wrote it",
			}
		}
		member := dialect.Member{Name: token.String()}
		length, err := decoder.ReadValue()
		if err != nil {
			return members, err
		}
		end := decoder.InputOffset()
		member.Value = value[end-int64(len(length)) : end]
		members = append(members, member)
	}
}

// newDecoder reads a value in place.
func newDecoder(value []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(value), Options())
}
