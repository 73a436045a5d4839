// Package gemini reads Gemini contents: messages whose parts are texts, function calls and function responses.
// Function calls need not carry ids; a response without one belongs to the oldest unanswered call of its name.
package gemini

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

type content struct {
	ID        string       `json:"id"`
	Role      string       `json:"role"`
	Model     string       `json:"model"`
	Parts     parts        `json:"parts"`
	Usage     *field.Usage `json:"usageMetadata"`
	Plain     *field.Usage `json:"usage"`
	Timestamp field.Time   `json:"timestamp"`
	Variant   string       `json:"variant"`
}

// parts is a list of parts; the interface also takes a single part or a bare text in its place.
type parts []part

type part struct {
	Text     *string           `json:"text"`
	Thought  field.Truth       `json:"thought"`
	Call     *functionCall     `json:"functionCall"`
	Response *functionResponse `json:"functionResponse"`
	Inline   jsontext.Value    `json:"inlineData"`
	File     jsontext.Value    `json:"fileData"`
	Code     *executableCode   `json:"executableCode"`
	Outcome  *codeResult       `json:"codeExecutionResult"`

	// The same in the spelling of the Python client.
	SnakeCall     *functionCall     `json:"function_call"`
	SnakeResponse *functionResponse `json:"function_response"`
}

type functionCall struct {
	ID   string    `json:"id"`
	Name string    `json:"name"`
	Args field.Raw `json:"args"`
}

type functionResponse struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Response jsontext.Value `json:"response"`
	Variant  string         `json:"variant"`
}

type executableCode struct {
	Language string `json:"language"`
	Code     string `json:"code"`
}

type codeResult struct {
	Outcome string `json:"outcome"`
	Output  string `json:"output"`
}

// UnmarshalJSONFrom reads the parts.
func (p *parts) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	switch decoder.PeekKind() {
	case 'n':
		return decoder.SkipValue()
	case '"':
		token, err := decoder.ReadToken()
		if err != nil {
			return err
		}
		text := token.String()
		*p = parts{{Text: &text}}
		return nil
	case '{':
		var single part
		err := json.UnmarshalDecode(decoder, &single)
		*p = parts{single}
		return err
	default:
		list, err := record.Parts[part](decoder)
		*p = list
		return err
	}
}

// Decode reads a list of contents. Every content of the list becomes one message, so that positions stay what they are.
// Its error is a Reject whose place is relative to the list.
func Decode(list jsontext.Value) ([]transcript.Message, error) {
	return record.List(list, (*content).convert)
}

func (c *content) convert() (transcript.Message, error) {
	out := transcript.Message{ID: c.ID, Time: c.Timestamp.Time, Model: c.Model}
	switch c.Role {
	case "model", "assistant":
		out.Role = transcript.RoleAssistant
		out.Generation = c.ID
		if out.Usage = c.Usage.Tokens(); out.Usage == nil {
			out.Usage = c.Plain.Tokens()
		}
	case "user", "function", "tool", "":
		out.Role = transcript.RoleUser
	case "system":
		out.Role = transcript.RoleSystem
	default:
		return out, dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/role",
			Message: strconv.Quote(c.Role) + " is no role of a Gemini content; it is one of user, model, function, system",
		}
	}
	if err := c.read(&out); err != nil {
		return out, err
	}
	if out.Role != transcript.RoleUser {
		return out, nil
	}
	injected := field.Injected(out.Text)
	switch {
	case len(out.Results) > 0 && (injected || out.Text == ""):
		out.Role = transcript.RoleTool
	case injected:
		out.Role = transcript.RoleHarness
	}
	return out, nil
}

// read brings the parts into the message.
func (c *content) read(out *transcript.Message) error {
	var texts, thoughts []string
	for i := range c.Parts {
		part := &c.Parts[i]
		call, response := either(part.Call, part.SnakeCall), either(part.Response, part.SnakeResponse)
		switch {
		case call != nil:
			if call.Name == "" {
				return nameless(i)
			}
			out.Calls = append(out.Calls, transcript.Call{ID: call.ID, Tool: transcript.Tool(call.Name), Arguments: arguments(call.Args)})
		case response != nil:
			result, err := response.result(transcript.Variant(c.Variant))
			if err != nil {
				return record.Refuse(err).Within(0, "/parts/"+strconv.Itoa(i)+"/functionResponse/response")
			}
			out.Results = append(out.Results, result)
		case part.Text != nil && part.Thought.State == transcript.True:
			thoughts = append(thoughts, *part.Text)
		default:
			texts = append(texts, part.words())
		}
	}
	out.Text, out.Reasoning = field.Lines(texts...), field.Lines(thoughts...)
	return nil
}

func nameless(index int) error {
	return dialect.Reject{
		Reason: dialect.ReasonMissingField, Pointer: "/parts/" + strconv.Itoa(index) + "/functionCall/name",
		Message: "a function call names no function; give the name that the model wrote",
	}
}

func either[T any](a, b *T) *T {
	if a != nil {
		return a
	}
	return b
}

// arguments of a call without any are the empty object, as the interface leaves it out.
func arguments(args field.Raw) string {
	if args.IsNull() {
		return "{}"
	}
	return args.Text
}

// words gives the text of a part. What is no text leaves its kind in its place.
func (p *part) words() string {
	switch {
	case p.Text != nil:
		return *p.Text
	case p.Code != nil:
		return p.Code.Code
	case p.Outcome != nil:
		return p.Outcome.Output
	case p.Inline != nil || p.File != nil:
		return "[data]"
	default:
		return "[part]"
	}
}
