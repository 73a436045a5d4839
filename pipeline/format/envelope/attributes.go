package envelope

import (
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
)

// maxAttributes bounds the attributes of a run.
const maxAttributes = 1000

// attributes are named strings; a number or truth value is taken as its text.
type attributes map[string]string

// UnmarshalJSONFrom reads the attributes.
func (a *attributes) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	switch decoder.PeekKind() {
	case 'n':
		return decoder.SkipValue()
	case '{':
	default:
		return wrongType("attributes are an object of strings")
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	*a = attributes{}
	for decoder.PeekKind() == '"' {
		if len(*a) == maxAttributes {
			return dialect.Reject{Reason: dialect.ReasonTooLarge, Message: "a run has at most 1000 attributes; leave some out"}
		}
		name, err := decoder.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		if kind := decoder.PeekKind(); kind == '{' || kind == '[' {
			return wrongType("an attribute is a string; write what it holds as several attributes")
		}
		var value field.Raw
		if err := value.UnmarshalJSONFrom(decoder); err != nil {
			return err
		}
		(*a)[key] = value.Object()
	}
	_, err := decoder.ReadToken()
	return err
}

func wrongType(message string) error {
	return dialect.Reject{Reason: dialect.ReasonWrongType, Message: message}
}
