package record

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
)

// MaxMessages and MaxParts bound what one input may make of a few bytes: a message of an empty object takes a hundred
// times its size in memory. No transcript comes near them.
const (
	MaxMessages = 100_000 // of a thread in one record
	MaxParts    = 10_000  // of one message: calls, results, blocks
)

// List reads a JSON array element by element, each as a T, and gives what convert makes of them. Its error is a Reject
// with its place in the list; those of convert are relative to the element.
func List[T, M any](list jsontext.Value, convert func(*T) (M, error)) ([]M, error) {
	if list.Kind() != '[' {
		return nil, dialect.Reject{Reason: dialect.ReasonWrongType, Message: "this is not a list"}
	}
	decoder := newDecoder(list)
	if _, err := decoder.ReadToken(); err != nil {
		return nil, Refuse(err)
	}
	var out []M
	for index := 0; decoder.PeekKind() != ']'; index++ {
		if index == MaxMessages {
			return nil, tooMany(MaxMessages)
		}
		at := elementStart(list, decoder.InputOffset())
		var element T
		if err := json.UnmarshalDecode(decoder, &element, Options()); err != nil {
			return nil, Refuse(err)
		}
		converted, err := convert(&element)
		if err != nil {
			return nil, Refuse(err).Within(at, "/"+strconv.Itoa(index))
		}
		out = append(out, converted)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, Refuse(err)
	}
	return out, nil
}

// Parts reads the array that a decoder stands at, as a part of a message.
func Parts[T any](decoder *jsontext.Decoder) ([]T, error) {
	if decoder.PeekKind() != '[' {
		var none []T
		return none, json.UnmarshalDecode(decoder, &none)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	var parts []T
	for decoder.PeekKind() != ']' {
		if len(parts) == MaxParts {
			return nil, tooMany(MaxParts)
		}
		var part T
		if err := json.UnmarshalDecode(decoder, &part); err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	_, err := decoder.ReadToken()
	return parts, err
}

// PartList is a bounded list as a field of a message.
type PartList[T any] []T

// UnmarshalJSONFrom reads the list.
func (l *PartList[T]) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	parts, err := Parts[T](decoder)
	*l = parts
	return err
}

func tooMany(most int) dialect.Reject {
	return dialect.Reject{
		Reason:  dialect.ReasonTooLarge,
		Message: "the list has more than " + strconv.Itoa(most) + " elements; split the record, or mend the program that wrote it",
	}
}

// elementStart gives the place of the element that follows what was read up to at.
func elementStart(list []byte, at int64) int64 {
	rest := bytes.TrimLeft(list[at:], ","+space)
	return int64(len(list) - len(rest))
}
