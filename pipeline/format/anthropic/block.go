package anthropic

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Content is what a message says: a text, or a list of blocks. A text is read as one block of text.
type Content struct {
	Blocks []Block
}

// UnmarshalJSONFrom reads the content.
func (c *Content) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	switch decoder.PeekKind() {
	case 'n':
		return decoder.SkipValue()
	case '"':
		token, err := decoder.ReadToken()
		if err != nil {
			return err
		}
		c.Blocks = []Block{{Type: "text", Text: token.String()}}
		return nil
	case '[':
		blocks, err := record.Parts[Block](decoder)
		c.Blocks = blocks
		return err
	default:
		if err := decoder.SkipValue(); err != nil {
			return err
		}
		return dialect.Reject{
			Reason:  dialect.ReasonWrongType,
			Message: "the content of a message is a string or a list of blocks",
		}
	}
}

// Block is one content block.
type Block struct {
	Type      string      `json:"type"`
	Text      string      `json:"text"`
	Thinking  string      `json:"thinking"`
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	Input     field.Raw   `json:"input"`
	ToolUseID string      `json:"tool_use_id"`
	Content   resultBody  `json:"content"`
	IsError   field.Truth `json:"is_error"`
	Variant   string      `json:"variant"`
}

// isCall: tool_use, and server_tool_use and mcp_tool_use, which the provider runs.
func (b *Block) isCall() bool { return strings.HasSuffix(b.Type, "tool_use") }

// isResult: tool_result, and the results of tools that the provider runs (web_search_tool_result, mcp_tool_result, …).
func (b *Block) isResult() bool { return strings.HasSuffix(b.Type, "tool_result") }

func (b *Block) call() transcript.Call {
	return transcript.Call{ID: b.ID, Tool: transcript.Tool(b.Name), Arguments: b.Input.Object()}
}

func (b *Block) result(ofMessage transcript.Variant) transcript.Result {
	flag := field.Flag(b.IsError)
	if b.Content.failed {
		flag = transcript.FlagError
	}
	variant := transcript.Variant(b.Variant)
	if variant == "" {
		variant = ofMessage
	}
	return transcript.Result{
		CallID:  b.ToolUseID,
		Body:    b.Content.text,
		Flag:    flag,
		Variant: variant,
	}
}

// resultBody is what a tool result holds: a text, a list of blocks, or the object of a tool that the provider runs.
type resultBody struct {
	text   string
	failed bool // the object is of an error type
}

type resultPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// UnmarshalJSONFrom reads the body.
func (r *resultBody) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	options := decoder.Options()
	switch value.Kind() {
	case 'n':
		return nil
	case '[':
		return r.list(value, options)
	case '{':
		var object resultPart
		if err := json.Unmarshal(value, &object, options); err != nil {
			return err
		}
		r.failed = strings.HasSuffix(object.Type, "_error")
	}
	var raw field.Raw
	if err := json.Unmarshal(value, &raw, options); err != nil {
		return err
	}
	r.text = raw.Text
	return nil
}

// list joins the texts of blocks. What is no text leaves its type in its place; a list of other things stays JSON.
func (r *resultBody) list(value jsontext.Value, options json.Options) error {
	var parts record.PartList[jsontext.Value]
	if err := json.Unmarshal(value, &parts, options); err != nil {
		return err
	}
	texts := make([]string, 0, len(parts))
	for _, part := range parts {
		text, err := partText(part, options)
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	r.text = field.Lines(texts...)
	return nil
}

func partText(part jsontext.Value, options json.Options) (string, error) {
	var raw field.Raw
	if part.Kind() != '{' {
		err := json.Unmarshal(part, &raw, options)
		return raw.Text, err
	}
	var read resultPart
	if err := json.Unmarshal(part, &read, options); err != nil {
		return "", err
	}
	switch read.Type {
	case "text":
		return read.Text, nil
	case "image", "document", "audio":
		return "[" + read.Type + "]", nil
	default:
		err := json.Unmarshal(part, &raw, options)
		return raw.Text, err
	}
}
