package redact

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// structured applies the rules to the strings and numbers of a JSON text, so that escapes hide nothing and what was JSON
// stays JSON. It says whether the text is a JSON object or list at all.
func (p Policy) structured(text string) (string, bool) {
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return text, false
	}
	options := []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	decoder := jsontext.NewDecoder(bytes.NewBufferString(text), options...)
	var out bytes.Buffer
	encoder := jsontext.NewEncoder(&out, options...)
	changed := false
	for {
		token, err := decoder.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return text, false
		}
		if kind := token.Kind(); kind == '"' || kind == '0' {
			before := token.String()
			if after := p.plain(before); after != before {
				token, changed = jsontext.String(after), true
			}
		}
		if err := encoder.WriteToken(token); err != nil {
			return text, false
		}
	}
	if !changed {
		return text, true
	}
	return string(bytes.TrimSuffix(out.Bytes(), []byte("\n"))), true
}
