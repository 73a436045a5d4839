package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
)

// options are the liberties that transcripts are read with.
var options = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Options gives the liberties that transcripts are read with.
func Options() json.Options { return options }

// Unmarshal reads one JSON value into target. Its error is a Reject with the place of the fault.
func Unmarshal(value []byte, target any) error {
	if err := json.Unmarshal(value, target, Options()); err != nil {
		return Refuse(err)
	}
	return nil
}

// Compact gives the text of a JSON value without white space, everything else as it was written.
func Compact(value jsontext.Value) string {
	compact := bytes.Clone(value)
	if err := (*jsontext.Value)(&compact).Compact(Options(), jsontext.PreserveRawStrings(true)); err != nil {
		return string(value)
	}
	return string(compact)
}

// Refuse turns an error of the JSON library into a Reject; one that is a Reject already stays as it is.
func Refuse(err error) dialect.Reject {
	var reject dialect.Reject
	if errors.As(err, &reject) {
		return placed(err, reject)
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		return dialect.Reject{
			Reason:  dialect.ReasonMalformedJSON,
			Message: "this is not JSON: " + cause(syntactic.Err) + "; send the record whole and unchanged",
			Offset:  syntactic.ByteOffset,
			Pointer: string(syntactic.JSONPointer),
		}
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return dialect.Reject{
			Reason:  dialect.ReasonWrongType,
			Message: semanticMessage(semantic),
			Offset:  semantic.ByteOffset,
			Pointer: string(semantic.JSONPointer),
		}
	}
	return dialect.Reject{
		Reason:  dialect.ReasonMalformedJSON,
		Message: "this is not JSON: " + cause(err) + "; send the record whole and unchanged",
	}
}

// placed gives a Reject that came out of a value's own unmarshaler the place that the library knows of it.
func placed(err error, reject dialect.Reject) dialect.Reject {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return reject
	}
	return reject.Within(semantic.ByteOffset, string(semantic.JSONPointer))
}

func cause(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "it ends inside a value"
	}
	return err.Error()
}

func semanticMessage(err *json.SemanticError) string {
	if err.Err != nil {
		return err.Err.Error()
	}
	return fmt.Sprintf("a %s cannot stand here; send a %s", kindName(err.JSONKind), typeName(err.GoType))
}

func kindName(kind jsontext.Kind) string {
	names := map[jsontext.Kind]string{
		'{': "JSON object", '[': "JSON array", '"': "JSON string", '0': "JSON number", 't': "true", 'f': "false", 'n': "null",
	}
	if name, ok := names[kind]; ok {
		return name
	}
	return "JSON value"
}

func typeName(kind reflect.Type) string {
	if kind == nil {
		return "value of another type"
	}
	for kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch kind.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		return "list"
	case reflect.Struct, reflect.Map:
		return "JSON object"
	default:
		return "number that fits"
	}
}
