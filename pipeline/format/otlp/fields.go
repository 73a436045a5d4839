package otlp

import (
	"fmt"
	"iter"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
)

// reasonMalformed says of bytes that they are no protobuf message.
const reasonMalformed dialect.Reason = "malformed_protobuf"

// wireField is one field of a protobuf message as it stands in the input.
type wireField struct {
	number protowire.Number
	kind   protowire.Type
	value  []byte // of a field with a length, else nil
	at     int    // where the value begins in the input
}

// wireFields gives the fields of a message that begins at a byte of the input, or in their place a Reject.
func wireFields(message []byte, at int) iter.Seq2[wireField, error] {
	return func(yield func(wireField, error) bool) {
		for rest := message; len(rest) > 0; {
			here := at + len(message) - len(rest)
			number, kind, tag := protowire.ConsumeTag(rest)
			if tag < 0 {
				yield(wireField{}, notWire(tag, here))
				return
			}
			length := protowire.ConsumeFieldValue(number, kind, rest[tag:])
			if length < 0 {
				yield(wireField{}, cutField(rest[tag:], kind, length, here))
				return
			}
			f := wireField{number: number, kind: kind, at: here + tag}
			if kind == protowire.BytesType {
				f.value, _ = protowire.ConsumeBytes(rest[tag:])
				f.at = here + tag + length - len(f.value)
			}
			if !yield(f, nil) {
				return
			}
			rest = rest[tag+length:]
		}
	}
}

// cutField refuses a field that is not whole. One that is longer than what is left of its message was cut, most often.
func cutField(rest []byte, kind protowire.Type, code, at int) dialect.Reject {
	want, prefix := protowire.ConsumeVarint(rest)
	if kind != protowire.BytesType || prefix < 0 {
		return notWire(code, at)
	}
	return dialect.Reject{
		Reason: reasonMalformed, Offset: int64(at),
		Message: fmt.Sprintf("the field that begins here says that it has %d bytes, and %d are left: the request was cut, or is none of the OpenTelemetry protocol; send it whole and unchanged",
			want, len(rest)-prefix),
	}
}

func notWire(code, at int) dialect.Reject {
	return dialect.Reject{
		Reason: reasonMalformed, Offset: int64(at),
		Message: fmt.Sprintf("this is no message of the OpenTelemetry protocol (%v); send requests whole and unchanged", protowire.ParseError(code)),
	}
}

// Bounds of one span or log record, far beyond what an instrumentation writes. Empty elements take a hundred times their
// size in memory.
const (
	maxNested   = 100
	maxElements = record.MaxMessages
)

// inspector looks at a message before it is decoded, as the library says neither where a fault is nor bounds what a few
// bytes may become.
type inspector struct {
	elements int  // of lists, so far
	foreign  bool // a text is no UTF-8
	mend     bool // put question marks where it is not
}

// inspect refuses a message with its place in the input.
func (c *inspector) inspect(message []byte, at int, d protoreflect.MessageDescriptor, depth int) error {
	if depth > maxNested {
		return dialect.Reject{
			Reason: dialect.ReasonTooDeep, Offset: int64(at),
			Message: fmt.Sprintf("values are nested deeper than %d levels; send the inner part as a string", maxNested),
		}
	}
	for f, err := range wireFields(message, at) {
		if err != nil {
			return err
		}
		is := d.Fields().ByNumber(f.number)
		if is == nil || f.kind != protowire.BytesType {
			continue
		}
		if is.IsList() {
			c.elements++
		}
		if c.elements > maxElements {
			reject := tooManyElements()
			reject.Offset = int64(f.at)
			return reject
		}
		switch is.Kind() {
		case protoreflect.MessageKind:
			if err := c.inspect(f.value, f.at, is.Message(), depth+1); err != nil {
				return err
			}
		case protoreflect.StringKind:
			c.text(f.value)
		}
	}
	return nil
}

func tooManyElements() dialect.Reject {
	return dialect.Reject{
		Reason:  dialect.ReasonTooLarge,
		Message: fmt.Sprintf("a span has more than %d attributes, events and values; no instrumentation writes so many", maxElements),
	}
}

// text looks whether a text is UTF-8, which one that was cut at a length in bytes is not. The library refuses such a
// span whole, hence what is wrong is replaced, byte for byte.
func (c *inspector) text(text []byte) {
	if utf8.Valid(text) {
		return
	}
	c.foreign = true
	for i := 0; c.mend && i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			text[i] = '?'
		}
		i += size
	}
}
