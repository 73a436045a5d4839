package responses

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Item is one item of a request's input or of a response's output.
type Item struct {
	Type      string    `json:"type"`
	ID        string    `json:"id"`
	CallID    string    `json:"call_id"`
	Role      string    `json:"role"`
	Status    word      `json:"status"`
	Content   content   `json:"content"`
	Summary   content   `json:"summary"`
	Name      string    `json:"name"`
	Function  function  `json:"function"`
	Namespace word      `json:"namespace"`
	Server    word      `json:"server_label"`
	Arguments field.Raw `json:"arguments"`
	Input     field.Raw `json:"input"`
	Action    field.Raw `json:"action"`
	Operation field.Raw `json:"operation"`
	Queries   field.Raw `json:"queries"`
	Code      field.Raw `json:"code"`
	Output    field.Raw `json:"output"`
	Outputs   field.Raw `json:"outputs"`
	Result    field.Raw `json:"result"`
	Tools     field.Raw `json:"tools"`
	Error     field.Raw `json:"error"`

	// The answer of a person to the question whether an MCP call may run.
	Approve  *bool `json:"approve"`
	Approval word  `json:"approval_request_id"`
}

// function names a tool where a program that took over the items nests them as chat messages do.
type function struct{ name string }

// UnmarshalJSONFrom reads the name, and steps over anything else.
func (f *function) UnmarshalJSONFrom(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '{' {
		return decoder.SkipValue()
	}
	var wire struct {
		Name word `json:"name"`
	}
	err := json.UnmarshalDecode(decoder, &wire)
	f.name = string(wire.Name)
	return err
}

// Kind says what an item is to a conversation.
type Kind int

// The kinds.
const (
	KindOther     Kind = iota // lists of tools, references, what was made after this was written
	KindMessage               // of any role
	KindReasoning             // what the model thought
	KindCall                  // a call that the program answers by an item of its own
	KindHosted                // a call that the provider ran itself: it brings its own result
	KindOutput                // the result of a call
)

// Kind tells what an item is from its type. Calls and outputs of types that are not known yet are told by their ending.
func (i *Item) Kind() Kind {
	switch i.Type {
	case "message", "":
		if i.Role == "" {
			return KindOther
		}
		return KindMessage
	case "reasoning":
		return KindReasoning
	case "mcp_call", "web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call":
		return KindHosted
	case "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call", "tool_search_call":
		return KindCall
	}
	switch {
	case strings.HasSuffix(i.Type, "_call"):
		return KindCall
	case strings.HasSuffix(i.Type, "_call_output"), i.Type == "tool_search_output", i.Type == "tool_result":
		return KindOutput
	}
	return KindOther
}

// FromModel tells whether the model made an item.
func (i *Item) FromModel() bool {
	switch i.Kind() {
	case KindReasoning, KindCall, KindHosted:
		return true
	case KindMessage:
		return i.Role == "assistant"
	}
	return false
}

// Convert brings an item to the common words. A call that the provider ran itself has its result beside it. Its error is
// a Reject whose place is relative to the item.
func (i *Item) Convert() (transcript.Message, error) {
	out := transcript.Message{Role: transcript.RoleHarness}
	if i.FromModel() {
		out.Role, out.Generation = transcript.RoleAssistant, GenerationBetweenInputs
	}
	switch i.Kind() {
	case KindMessage:
		return out, i.message(&out)
	case KindReasoning:
		out.Reasoning = field.Lines(i.Summary.text, i.Content.text)
	case KindCall:
		call := i.call()
		if call.Tool == "" || i.Name == "" && (i.Type == "function_call" || i.Type == "custom_tool_call") {
			return out, dialect.Reject{
				Reason: dialect.ReasonMissingField, Pointer: "/name",
				Message: "a call names no tool; give the name that the model wrote",
			}
		}
		out.Calls = []transcript.Call{call}
	case KindHosted:
		out.Calls = []transcript.Call{i.call()}
		if result, known := i.hostedResult(); known {
			out.Results = []transcript.Result{result}
		}
	case KindOutput:
		out.Role = transcript.RoleTool
		out.Results = []transcript.Result{i.result()}
	default:
		if i.Approve != nil && !*i.Approve {
			out.Role, out.Text = transcript.RoleUser, "[MCP call not approved]"
		}
	}
	return out, nil
}

func (i *Item) message(out *transcript.Message) error {
	out.ID, out.Text = i.ID, i.Content.text
	switch i.Role {
	case "assistant":
		out.Reasoning = i.Content.reasoning
	case "system", "developer":
		out.Role = transcript.RoleSystem
	case "user":
		out.Role = transcript.RoleUser
		if field.Injected(out.Text) {
			out.Role = transcript.RoleHarness
		}
	case "tool", "critic", "discriminator", "unknown":
	default:
		return dialect.Reject{
			Reason: dialect.ReasonWrongType, Pointer: "/role",
			Message: "this is no role of an item; it is one of user, assistant, system, developer",
		}
	}
	return nil
}

// call reads a call. Types that have no name for their tool are named after their type.
func (i *Item) call() transcript.Call {
	call := transcript.Call{ID: i.CallID, Tool: transcript.Tool(i.Name), Arguments: i.arguments()}
	if call.ID == "" {
		call.ID = i.ID
	}
	switch {
	case i.Type == "function_call", i.Type == "custom_tool_call":
		if i.Namespace != "" && call.Tool != "" {
			call.Tool = transcript.Tool(string(i.Namespace) + "." + i.Name)
		}
	case i.Type == "mcp_call" && i.Server != "":
		call.Tool = transcript.Tool(string(i.Server) + "." + i.Name)
	case call.Tool == "" && i.Function.name != "":
		call.Tool = transcript.Tool(i.Function.name)
	case call.Tool == "":
		call.Tool = transcript.Tool(strings.TrimSuffix(i.Type, "_call"))
	}
	return call
}

// arguments gives what a call was called with, wherever its type has it.
func (i *Item) arguments() string {
	if i.Type == "custom_tool_call" {
		return wrap("input", i.Input)
	}
	for _, raw := range []field.Raw{i.Arguments, i.Action, i.Operation} {
		if !raw.IsNull() {
			return raw.Text
		}
	}
	switch {
	case !i.Queries.IsNull():
		return wrap("queries", i.Queries)
	case !i.Code.IsNull():
		return wrap("code", i.Code)
	}
	return ""
}

// wrap gives a value the form of arguments, so that free text is not taken for damaged JSON.
func wrap(name string, raw field.Raw) string {
	value := []byte(raw.Object())
	if raw.Kind == '"' || raw.IsNull() {
		quoted, err := jsontext.AppendQuote(nil, raw.Object())
		if err != nil {
			return raw.Text
		}
		value = quoted
	}
	return `{"` + name + `":` + string(value) + `}`
}

// Decode reads a list of items. Every item becomes one message, so that positions stay what they are. Its error is a
// Reject whose place is relative to the list.
func Decode(list jsontext.Value) ([]transcript.Message, error) {
	return record.List(list, (*Item).Convert)
}
