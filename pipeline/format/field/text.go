package field

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Raw is a JSON value kept as text without white space: objects that a tool was given or gave back. A string is kept as
// the text it stands for.
type Raw struct {
	Text string
	Kind jsontext.Kind // of the value; 0: it is absent
}

// UnmarshalJSONFrom reads any value.
func (r *Raw) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if r.Kind = decoder.PeekKind(); r.Kind == '"' {
		token, err := decoder.ReadToken()
		if err == nil {
			r.Text = token.String()
		}
		return err
	}
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	value = value.Clone()
	if err := value.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true)); err != nil {
		return err
	}
	r.Text = strings.ToValidUTF8(string(value), "\uFFFD")
	return nil
}

// IsNull tells whether the value is absent or null.
func (r Raw) IsNull() bool { return r.Kind == 0 || r.Kind == 'n' }

// Object gives the value as text for a place where JSON is expected, "" where it is absent or null.
func (r Raw) Object() string {
	if r.IsNull() {
		return ""
	}
	return r.Text
}

// Lines joins pieces of text, each on lines of its own, leaving out empty ones.
func Lines(pieces ...string) string {
	kept := pieces[:0:0]
	for _, piece := range pieces {
		if piece != "" {
			kept = append(kept, piece)
		}
	}
	return strings.Join(kept, "\n")
}

// Injected tells text that a harness put into a user message for the model to see: nothing but reminders.
func Injected(text string) bool {
	const opening, closing = "<system-reminder>", "</system-reminder>"
	rest := strings.TrimSpace(text)
	if rest == "" {
		return false
	}
	for rest != "" {
		inner, isReminder := strings.CutPrefix(rest, opening)
		_, after, isClosed := strings.Cut(inner, closing)
		if !isReminder || !isClosed {
			return false
		}
		rest = strings.TrimSpace(after)
	}
	return true
}
