package inspect

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
)

// content is a text, or a list of parts.
type content struct {
	text, reasoning string
	served          []part // calls that the provider served itself
}

type part struct {
	Type      string    `json:"type"`
	Text      string    `json:"text"`
	Reasoning string    `json:"reasoning"`
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Arguments field.Raw `json:"arguments"`
	Result    field.Raw `json:"result"`
	Error     string    `json:"error"`
}

// UnmarshalJSONFrom reads either form.
func (c *content) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '[' {
		var raw field.Raw
		err := json.UnmarshalDecode(decoder, &raw)
		c.text = raw.Object()
		return err
	}
	parts, err := record.Parts[part](decoder)
	for _, p := range parts {
		switch p.Type {
		case "reasoning":
			c.reasoning = field.Lines(c.reasoning, p.Reasoning)
		case "tool_use":
			if p.Name != "" {
				c.served = append(c.served, p)
			}
		default:
			c.text = field.Lines(c.text, p.Text)
		}
	}
	return err
}
