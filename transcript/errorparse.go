package transcript

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of what is read of an error object.
const (
	maxMessage = 8 << 10 // bytes of one text
	maxFields  = 64      // faulty arguments, allowed values of one
	maxValue   = 1 << 10 // bytes of one value
	maxWraps   = 6       // bodies within bodies
)

// ParseNotes is what was noticed while the body of a result was read: what decides whether it is an error by its own
// words, and what is wrong with its form.
type ParseNotes struct {
	JSON          bool   // the body is JSON, or begins with a JSON object
	Embedded      bool   // a JSON object stands in the body after some text, which makes it no JSON body
	Fenced        bool   // the JSON stands in a markdown fence
	Trailing      bool   // text follows the JSON
	Truncated     bool   // the JSON object that the body begins with is cut short
	Wrapped       bool   // wrapper tags stood around the body
	SaysError     string // which statement of the object says that it is an error, see saysError; "": none does
	RetryableForm string // "string", "number", "null", … where retryable is there and no boolean, else ""
	Unnamed       int    // faulty arguments that the object lists without naming them
	PromisesMore  bool   // the object says that more may come, and nothing of an end
}

// errorReader gathers what one body says. What was set first stays: the innermost, most specific object is read first.
type errorReader struct {
	ErrorObject
	notes ParseNotes
	wraps int
	skim  bool // only the notes are wanted
}

// wrapperTags are put around a text by harnesses, to tell the model that it is an error.
var wrapperTags = []string{"tool_use_error", "tool_error", "error", "result", "system_error", "output", "tool_result"}

// ParseError reads the body of a result as an error object, whatever shape it came in. It never fails: text is a shape
// too.
func ParseError(body string) (ErrorObject, ParseNotes) {
	var r errorReader
	r.readBody(body)
	if r.Schema == "" {
		r.Schema = "text"
	}
	return r.ErrorObject, r.notes
}

// SkimBody notes what ParseError would note of a body, without reading what it says. It is what most results, which are
// no errors, need.
func SkimBody(body string) ParseNotes {
	r := errorReader{skim: true}
	r.readBody(body)
	return r.notes
}

// readBody reads a whole body, or the text of a content block.
func (r *errorReader) readBody(body string) {
	if r.wraps++; r.wraps > maxWraps {
		return
	}
	defer func() { r.wraps-- }()
	text, wrapped := Unwrap(body)
	r.notes.Wrapped = r.notes.Wrapped || wrapped
	text, fenced := r.unfence(text)
	switch {
	case text == "":
		r.setSchema("empty")
	case text[0] == '{' && r.readObjectText(text, fenced):
	case text[0] == '[' && r.readListText(text, fenced):
	case text[0] == '"' && r.readStringText(text):
	default:
		r.readText(text)
	}
}

// Unwrap takes the tags off that harnesses put around a text, and white space.
func Unwrap(text string) (inner string, wrapped bool) {
	text = strings.TrimSpace(text)
	for range maxWraps {
		name, rest, ok := openingTag(text)
		if !ok {
			break
		}
		if end := strings.LastIndex(rest, "</"+name+">"); end >= 0 {
			rest = rest[:end] + rest[end+len(name)+3:]
		}
		text, wrapped = strings.TrimSpace(rest), true
	}
	return text, wrapped
}

func openingTag(text string) (name, rest string, ok bool) {
	if !strings.HasPrefix(text, "<") {
		return "", "", false
	}
	for _, name := range wrapperTags {
		if rest, ok := strings.CutPrefix(text[1:], name+">"); ok {
			return name, rest, true
		}
	}
	return "", "", false
}

// unfence takes a markdown fence off that a text begins with. What follows its end is text after the JSON.
func (r *errorReader) unfence(text string) (inner string, fenced bool) {
	rest, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text, false
	}
	line, rest, ok := strings.Cut(rest, "\n")
	language := strings.ToLower(strings.TrimSpace(line))
	if !ok || language != "" && language != "json" && language != "json5" && language != "jsonc" {
		return text, false
	}
	inner, after, _ := strings.Cut(rest, "\n```")
	if inner = strings.TrimSpace(inner); !strings.HasPrefix(inner, "{") {
		return text, false
	}
	r.notes.Trailing = r.notes.Trailing || strings.TrimSpace(after) != ""
	return inner, true
}

// readObjectText reads a text that begins with a JSON object. An object cut short counts as far as it goes: logs cut
// long results.
func (r *errorReader) readObjectText(text string, fenced bool) bool {
	o := members([]byte(text))
	if !o.complete && len(o.list) == 0 {
		return false
	}
	if !r.notes.JSON {
		r.notes.JSON, r.notes.Truncated = o.complete, !o.complete
	}
	r.notes.Fenced = r.notes.Fenced || fenced
	if o.complete && strings.TrimSpace(text[o.length:]) != "" {
		r.notes.Trailing = true
	}
	if r.notes.SaysError == "" {
		r.notes.SaysError = saysError(o)
	}
	r.readObject(o)
	r.notes.PromisesMore = r.notes.PromisesMore || promisesMore(o)
	return true
}

// readListText reads a body that is a JSON array: content blocks, or a bare list of faults.
func (r *errorReader) readListText(text string, fenced bool) bool {
	if !jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return false
	}
	list := elements(jsontext.Value(text), maxFields)
	if content, ok := blockText(list); ok {
		r.readBody(content)
		return true
	}
	r.notes.JSON = true
	r.notes.Fenced = r.notes.Fenced || fenced
	if len(list) == 0 || list[0].Kind() != '{' || !isFault(members(list[0])) {
		return false
	}
	r.readFaults(list)
	r.setSchema("validation_list")
	return true
}

// readStringText reads a body that is a JSON string: a text, or JSON, encoded once more.
func (r *errorReader) readStringText(text string) bool {
	inner, err := jsontext.AppendUnquote(nil, text)
	if err != nil {
		return false
	}
	r.readBody(string(inner))
	return true
}

// readText reads a body that is text. A JSON object after an opening on its first line is read for what it says, but
// the body is none that begins with JSON.
func (r *errorReader) readText(text string) {
	if r.skim {
		return
	}
	if at := strings.IndexByte(text, '{'); at > 0 && at < 200 && strings.ContainsAny(text[:at], ":\n-") {
		o := members([]byte(text[at:]))
		if o.complete && (saysError(o) != "" || o.get("code") != nil && o.get("message") != nil) {
			r.notes.Embedded = true
			r.readObject(o)
		}
	}
	r.setMessage(text)
	r.setSchema("text")
}

// blockText joins the texts of content blocks. ok is false for a list that holds anything else.
func blockText(list []jsontext.Value) (text string, ok bool) {
	var texts []string
	for _, value := range list {
		if value.Kind() != '{' {
			return "", false
		}
		block := members(value)
		switch kind, _ := stringOf(block.get("type")); kind {
		case "text", "output_text", "input_text":
			text, _ := stringOf(block.get("text"))
			texts = append(texts, text)
		case "image", "resource", "resource_link", "audio", "input_image":
		default:
			return "", false
		}
	}
	return strings.Join(texts, "\n"), len(list) > 0
}

func (r *errorReader) setSchema(schema string) {
	if r.Schema == "" {
		r.Schema = schema
	}
}

func (r *errorReader) setMessage(message string) {
	if r.Message == "" {
		r.Message = clip(strings.TrimSpace(message), maxMessage)
	}
}

func (r *errorReader) setCode(code string) {
	if r.Code == "" {
		r.Code = Code(clip(strings.TrimSpace(code), 200))
	}
}

// clip shortens a text to at most limit bytes of valid UTF-8.
func clip(s string, limit int) string {
	if len(s) > limit {
		s = s[:limit]
	}
	return strings.ToValidUTF8(s, "")
}
