package langsmith

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/field"
	"errata/pipeline/format/otlp"
	"errata/pipeline/format/record"
)

// span brings a run to the words of OpenTelemetry's conventions.
func (r *run) span(unit record.Record) otlp.Span {
	s := otlp.Span{
		Trace: r.Trace, ID: r.ID, Parent: r.Parent, Name: r.Name, Start: r.Start.Time, End: r.End.Time,
		Attributes: map[string]jsontext.Value{}, Record: unit,
	}
	a := setter(s.Attributes)
	// The keys by which LangSmith itself gathers traces into threads.
	for _, name := range []string{"session_id", "thread_id", "conversation_id"} {
		if id := r.Extra.Metadata[name].Object(); id != "" {
			a.text("gen_ai.conversation.id", id)
			break
		}
	}
	failure := r.Error.Object()
	if failure != "" {
		s.Status, s.Message = "ERROR", failure
		a.text("error.type", errorType(failure))
	}
	switch r.Type {
	case "llm":
		a.text("gen_ai.operation.name", "chat")
		r.generation(a)
	case "tool":
		a.text("gen_ai.operation.name", "execute_tool")
		a.text("gen_ai.tool.name", r.Name)
		r.call(a)
	default:
		if r.Parent == "" {
			a.text("gen_ai.operation.name", "invoke_agent")
			a.text("gen_ai.agent.name", r.Name)
		}
	}
	return s
}

// setter sets attributes that have a value.
type setter map[string]jsontext.Value

func (a setter) text(name, text string) {
	if text == "" {
		return
	}
	if quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD")); err == nil {
		a[name] = quoted
	}
}

func (a setter) count(name string, n field.Count) {
	if n > 0 {
		a[name] = jsontext.Value(strconv.FormatInt(int64(n), 10))
	}
}

// errorType gives the class of an error that stands as Python prints it, ValueError('…').
func errorType(failure string) string {
	name, _, found := strings.Cut(failure, "(")
	if !found || name == "" || strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return ""
	}
	return name
}

// generation reads what a model read and said.
func (r *run) generation(a setter) {
	var in inputs
	var out outputs
	read(r.Inputs, &in)
	read(r.Outputs, &out)
	if list := in.chats(); len(list) > 0 {
		a.chats("gen_ai.input.messages", list)
	}
	said := out.answer()
	if said != nil {
		a.chats("gen_ai.output.messages", []chat{said.chat()})
	}
	usage := out.usage(said)
	a.count("gen_ai.usage.input_tokens", cmp.Or(usage.Input, r.Prompt))
	a.count("gen_ai.usage.output_tokens", cmp.Or(usage.Output, r.Output))
	a.count("gen_ai.usage.cache_read.input_tokens", usage.Details.Read)
	a.count("gen_ai.usage.cache_creation.input_tokens", usage.Details.Creation)
	a.text("gen_ai.request.model", cmp.Or(r.Extra.Metadata["ls_model_name"].Object(), r.Extra.Invocation.Model.Object(), r.Extra.Invocation.ModelName.Object()))
	a.text("gen_ai.provider.name", r.Extra.Metadata["ls_provider"].Object())
}

// read reads what it can: a run whose inputs are of another shape has none.
func read(value jsontext.Value, into any) {
	if value.Kind() == '{' {
		_ = record.Unmarshal(value, into) // inputs and outputs are whatever the traced program takes and gives
	}
}

func (a setter) chats(name string, list []chat) {
	text, err := json.Marshal(list, record.Options())
	if err == nil {
		a.text(name, string(text))
	}
}

// call reads what a tool was given and gave. A tool that LangGraph calls is given the call; others their arguments, or
// one text under the name input.
func (r *run) call(a setter) {
	given, _ := record.ShapeOf(r.Inputs)
	m := given.First()
	arguments := textOf(r.Inputs)
	switch {
	case m.Text("type") == "tool_call" && m.Has("args"):
		a.text("gen_ai.tool.call.id", m.Text("id"))
		arguments = textOf(m.Get("args"))
	case len(m) == 1 && m.Has("input"):
		arguments = textOf(m.Get("input"))
	}
	a.text("gen_ai.tool.call.arguments", arguments)
	gave, _ := record.ShapeOf(r.Outputs)
	out := gave.First()
	result := r.Outputs
	if len(out) == 1 && out.Has("output") {
		result = out.Get("output")
	}
	a.text("gen_ai.tool.call.result", textOf(result))
}

// textOf gives a value as it stands, a text unquoted, nothing for null and what is absent.
func textOf(value jsontext.Value) string {
	var raw field.Raw
	if len(value) == 0 || record.Unmarshal(value, &raw) != nil {
		return ""
	}
	return raw.Object()
}
