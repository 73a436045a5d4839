package otlp

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// called is what a tool's span says of its call.
type called struct {
	name, id, arguments string
	result              transcript.Result
	generation          string // of the generation that made the call, where no message tells of it
	nth                 int    // how often the id was used before
	nameless            bool   // its call stands in a message, without an id
	by                  *item  // the item that says the same, where this one is gone
}

// readTool reads the execution of a tool.
func (it *item) readTool() {
	a := it.Attributes
	c := &it.called
	c.name = a.text("gen_ai.tool.name", "mcp.tool.name", "ai.toolCall.name", "traceloop.entity.name", "tool.name")
	if c.name == "" {
		c.name = strings.TrimPrefix(strings.TrimPrefix(it.Name, "execute_tool "), "tools/call ")
	}
	c.id = a.text("gen_ai.tool.call.id", "ai.toolCall.id", "tool.id", "tool_call.id")
	c.arguments = a.text("gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args", "tool_arguments", "ai.toolCall.args", "traceloop.entity.input", "input.value")
	c.arguments = plainArguments(c.arguments)
	body := a.text("gen_ai.tool.call.result", "gcp.vertex.agent.tool_response", "tool_response", "ai.toolCall.result", "traceloop.entity.output", "output.value")
	for i := range it.Events {
		e := &it.Events[i]
		if e.Name == "gen_ai.tool.message" && c.arguments == "" {
			c.arguments = e.Attributes.text("content")
		}
		if e.Name == choiceEvent && body == "" {
			body = e.Attributes.text("message", "content")
		}
	}
	c.result = transcript.Result{Tool: transcript.Tool(c.name), Body: plainBody(body), Variant: transcript.Variant(a.text("errata.variant"))}
	it.readFailure(&c.result)
	c.unwrapToolMessage()
}

// plainArguments gives arguments without white space, and in JSON where they stand as Python prints them: libraries
// write down anew what the model wrote, each in its way, and one call must not pass for two.
func plainArguments(text string) string {
	if json := jsontext.Value(text); json.IsValid(record.Options()) {
		return record.Compact(json)
	}
	if converted, ok := field.FromPython(text); ok {
		return converted
	}
	return text
}

// plainBody takes the text out of a body that is a list of parts or a JSON string.
func plainBody(text string) string {
	if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, `"`) {
		return text
	}
	var raw field.Raw
	if record.Unmarshal([]byte(text), &raw) != nil {
		return text
	}
	return bodyOf(raw)
}

// readFailure reads whether a span failed, and why.
func (it *item) readFailure(r *transcript.Result) {
	r.ErrorType = it.Attributes.text("error.type")
	if !it.Status.failed() && r.ErrorType == "" {
		if it.Status.succeeded() {
			r.Flag = transcript.FlagOK
		}
		return
	}
	r.Flag = transcript.FlagError
	message := it.Status.Message
	for i := range it.Events {
		if a := it.Events[i].Attributes; it.Events[i].Name == "exception" {
			if r.ErrorType == "" {
				r.ErrorType = a.text("exception.type")
			}
			if message == "" {
				message = a.text("exception.message")
			}
		}
	}
	if r.Body == "" {
		r.Body = message
	}
	if cancelled(r.ErrorType) {
		r.Fate = transcript.FateCancelled
	}
}

// cancelled tells the types by which languages say that a task was called off.
func cancelled(errorType string) bool {
	switch errorType[strings.LastIndexAny(errorType, "./:")+1:] {
	case "CancelledError", "CancellationException", "OperationCanceledException", "TaskCanceledException", "AbortError", "Canceled",
		"GraphInterrupt", "NodeInterrupt": // LangGraph asks a person
		return true
	}
	return false
}

// foldTools unites spans that nest because a client's library wrote the call down beside the agent's.
func (b *batch) foldTools() {
	for i := len(b.items) - 1; i >= 0; i-- {
		in := b.items[i]
		if in.kind != tool || in.up == nil || in.up.kind != tool || in.up.gone || in.up.called.name != in.called.name {
			continue
		}
		outer := in.up
		in.gone, in.called.by = true, outer
		if outer.called.id == "" {
			outer.called.id = in.called.id
		}
		if outer.called.arguments == "" {
			outer.called.arguments = in.called.arguments
		}
		outer.called.result = outer.called.result.Join(in.called.result)
	}
}

// asked is a call that a model's answer holds.
type asked struct {
	call  *transcript.Call
	by    *item
	nth   int // how often its id was used before
	taken bool
}

// matchTools finds the calls of tool spans that do not name them, and the generations of those that no answer tells of.
func (b *batch) matchTools() {
	m := matcher{byTool: make(map[asking][]*asked), byID: make(map[asking][]*asked), known: make(map[asking]bool), silent: make(map[transcript.RunID]*item)}
	for _, it := range b.items {
		if it.kind == model && !it.gone {
			m.note(it)
		}
	}
	for _, it := range b.items {
		if it.kind == tool && !it.gone && it.called.id != "" {
			m.take(it)
		}
	}
	next := 0
	answers := silentInOrder(b.items)
	for _, it := range b.items {
		for next < len(answers) && !answers[next].End.After(it.Start.Time) {
			m.silent[answers[next].run] = answers[next]
			next++
		}
		if it.kind == tool && !it.gone {
			m.match(it)
		}
	}
}

// asking names calls of a run by their tool or their id.
type asking struct {
	run  transcript.RunID
	name string
}

type matcher struct {
	byTool map[asking][]*asked
	byID   map[asking][]*asked
	known  map[asking]bool            // ids of calls that messages tell of, and whether with their arguments
	silent map[transcript.RunID]*item // the latest generation so far whose answer is not told
}

// mostRivals bounds how many calls a tool's span is compared with.
const mostRivals = 1000

func (m *matcher) note(it *item) {
	used := make(map[string]int)
	for i := range it.input {
		for j := range it.input[i].Calls {
			c := &it.input[i].Calls[j]
			used[c.ID]++
			m.know(it.run, c)
		}
	}
	for i := range it.output {
		for j := range it.output[i].Calls {
			c := &it.output[i].Calls[j]
			a := &asked{call: c, by: it, nth: used[c.ID]}
			used[c.ID]++
			m.know(it.run, c)
			byTool, byID := asking{it.run, string(c.Tool)}, asking{it.run, c.ID}
			m.byTool[byTool] = append(m.byTool[byTool], a)
			m.byID[byID] = append(m.byID[byID], a)
		}
	}
}

func (m *matcher) know(run transcript.RunID, c *transcript.Call) {
	a := asking{run, c.ID}
	m.known[a] = m.known[a] || c.Arguments != ""
}

// take gives a tool's span the call of its id: where the id is used again, of the last answer before it.
func (m *matcher) take(it *item) {
	list := m.byID[asking{it.run, it.called.id}]
	for i := len(list) - 1; i >= max(0, len(list)-mostRivals); i-- {
		if !list[i].taken && !list[i].by.End.After(it.Start.Time) {
			list[i].taken, it.called.nth = true, list[i].nth
			return
		}
	}
}

// match gives a tool's span the call that it is of.
func (m *matcher) match(it *item) {
	c := &it.called
	if c.id == "" {
		if a := m.find(it); a != nil {
			a.taken = true
			c.id, c.nth, c.nameless = a.call.ID, a.nth, a.call.ID == ""
		}
	}
	if c.nameless {
		return
	}
	if given, known := m.known[asking{it.run, c.id}]; known && c.id != "" {
		if given {
			c.arguments = "" // the model's own words stand in the message
		}
		return
	}
	silent := m.silent[it.run]
	if silent == nil && it.toldElsewhere() {
		c.nameless = true
		return
	}
	if silent != nil {
		c.generation = silent.generation()
	}
	if c.id == "" {
		c.id = "span-" + string(it.SpanID)
	}
}

// toldElsewhere tells a span whose call stands in a model's answer that came in another record, most likely: of a library
// that writes no id of the call, and that writes down what models say as it writes down what tools are given. It is a
// result then, of the oldest call of the tool that is open when it comes; a call of its own would be there twice.
func (it *item) toldElsewhere() bool {
	c := &it.called
	return c.id == "" && c.arguments != "" && it.Attributes.has("traceloop.span.kind", "openinference.span.kind")
}

// find looks for the last answer before the tool ran that asked for it: with the same arguments, else for it at all.
func (m *matcher) find(it *item) *asked {
	var only *asked
	list := m.byTool[asking{it.run, it.called.name}]
	for i := len(list) - 1; i >= max(0, len(list)-mostRivals); i-- {
		a := list[i]
		if a.taken || a.by.End.After(it.Start.Time) {
			continue
		}
		if sameJSON(a.call.Arguments, it.called.arguments) {
			return a
		}
		if only == nil || a.by == only.by {
			only = a // of one answer the first, of several the last
		}
	}
	return only
}

func sameJSON(a, b string) bool {
	return a == b || record.Compact(jsontext.Value(a)) == record.Compact(jsontext.Value(b))
}

// silentInOrder gives the generations whose answers are not told, as they ended.
func silentInOrder(items []*item) []*item {
	var out []*item
	for _, it := range items {
		if it.kind == model && !it.gone && len(it.output) == 0 && !it.failed() {
			out = append(out, it)
		}
	}
	sortByEnd(out)
	return out
}
