package otlp

import (
	"cmp"
	"slices"
	"strings"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// kind says what a span is of.
type kind int

const (
	other kind = iota
	model      // one generation of a model
	tool       // one execution of a tool
	agent      // the work of an agent: its parts have spans of their own
)

// item is a span that says something of a run.
type item struct {
	*span
	kind kind
	run  transcript.RunID
	up   *item // the nearest span around it that says something, nil: none in this input
	gone bool  // another item says the same

	input, output []transcript.Message
	usage         *transcript.Usage
	called        called
}

// key names a span.
type key struct{ trace, span ident }

// batch is the spans of one input.
type batch struct {
	parents map[key]ident
	items   []*item
	byKey   map[key]*item
	rejects []dialect.Reject
}

func (b *batch) add(s *span, unit record.Record) {
	if b.parents == nil {
		b.parents, b.byKey = make(map[key]ident), make(map[key]*item)
	}
	k := key{s.TraceID, s.SpanID}
	if _, again := b.parents[k]; again {
		return
	}
	b.parents[k] = s.ParentID
	it := &item{span: s, kind: s.sort()}
	if s.logged {
		it.kind = model
	}
	if it.kind == other {
		return
	}
	var err error
	switch it.kind {
	case model:
		err = it.readModel()
	case tool:
		it.readTool()
	}
	if err != nil {
		b.rejects = append(b.rejects, unit.Place(placed(err, s.pointer)))
	}
	it.Events = nil
	b.items = append(b.items, it)
	b.byKey[k] = it
}

// sort tells what a span is of.
func (s *span) sort() kind {
	a := s.Attributes
	switch strings.ToLower(a.text("gen_ai.operation.name")) {
	case "chat", "generate_content", "text_completion":
		return model
	case "execute_tool":
		return tool
	case "invoke_agent", "create_agent", "invoke_workflow":
		return agent
	case "embeddings", "retrieval":
		return other
	}
	switch strings.ToLower(a.text("traceloop.span.kind")) {
	case "tool":
		return tool
	case "agent":
		return agent
	case "workflow", "task":
		return other
	}
	switch strings.ToUpper(a.text("openinference.span.kind")) {
	case "LLM":
		return model
	case "TOOL":
		return tool
	case "AGENT":
		return agent
	case "CHAIN", "RETRIEVER", "RERANKER", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "PROMPT":
		return other
	}
	switch {
	case a.text("mcp.method.name") == "tools/call":
		if s.server() {
			return other // the same call, seen from its other end
		}
		return tool
	case a.has("gen_ai.tool.name", "ai.toolCall.name"):
		return tool
	case a.text("llm.request.type") == "embedding":
		return other
	case a.has("gen_ai.request.model", "gen_ai.response.model", "gen_ai.output.messages", "llm.request.type"):
		return model
	case a.has("gen_ai.agent.name"):
		return agent
	}
	return other
}

// resolve finds what the spans say of one another.
func (b *batch) resolve() {
	slices.SortStableFunc(b.items, func(x, y *item) int {
		return cmp.Or(x.Start.Compare(y.Start.Time), x.End.Compare(y.End.Time), cmp.Compare(x.SpanID, y.SpanID))
	})
	for _, it := range b.items {
		it.up = b.around(it)
	}
	b.nameRuns()
	b.foldModels()
	b.foldTools()
	b.matchTools()
}

// mostAround is how many spans around one are looked at. Those that stand around one another have no end.
const mostAround = 64

// around finds the nearest span around an item that says something.
func (b *batch) around(it *item) *item {
	at := it.ParentID
	for range mostAround {
		if at == "" {
			break
		}
		k := key{it.TraceID, at}
		if up := b.byKey[k]; up != nil && up != it {
			return up
		}
		at = b.parents[k]
	}
	return nil
}

// within tells whether an item is a part of one of a kind.
func (it *item) within(k kind) bool {
	for up, steps := it.up, 0; up != nil && steps < mostAround; up, steps = up.up, steps+1 {
		if up.kind == k {
			return true
		}
	}
	return false
}

// nameRuns gives every item its run: the conversation that it names, or a span around it, or any span of its trace;
// else the trace.
func (b *batch) nameRuns() {
	named := make(map[ident]string)
	for _, it := range b.items {
		if name := it.conversation(); name != "" && named[it.TraceID] == "" {
			named[it.TraceID] = name
		}
	}
	for _, it := range b.items {
		name := it.conversation()
		for up, steps := it.up, 0; name == "" && up != nil && steps < mostAround; up, steps = up.up, steps+1 {
			name = up.conversation()
		}
		name = cmp.Or(name, named[it.TraceID], "trace-"+string(it.TraceID))
		it.run = transcript.RunID(name)
	}
}

func (it *item) conversation() string {
	name := it.Attributes.text("gen_ai.conversation.id", "gcp.vertex.agent.session_id")
	if name == "" && it.Attributes.has("openinference.span.kind") {
		name = it.Attributes.text("session.id") // elsewhere it may be a person's visit
	}
	return name
}

// foldModels unites spans that nest because several libraries wrote one generation down. A span around several
// generations is their sum, and says nothing more.
func (b *batch) foldModels() {
	inner := make(map[*item][]*item)
	for _, it := range b.items {
		if it.kind == model && it.up != nil && it.up.kind == model && it.up.up != it {
			inner[it.up] = append(inner[it.up], it)
		}
	}
	// Inner spans start later, so that they are folded before what stands around them.
	for i := len(b.items) - 1; i >= 0; i-- {
		outer := b.items[i]
		var answered []*item
		for _, in := range inner[outer] {
			if !in.failed() {
				answered = append(answered, in)
			}
		}
		switch {
		case len(inner[outer]) == 0:
		case len(answered) > 1:
			outer.gone = true
		case len(answered) == 1:
			outer.fold(answered[0])
		}
	}
}

// failed tells a request that gave no answer.
func (it *item) failed() bool {
	return (it.Status.failed() || it.Attributes.has("error.type")) && len(it.output) == 0
}

// fold unites an outer span with the one inside it: the one that knows what was said stays.
func (outer *item) fold(in *item) {
	for in.gone && in.called.by != nil {
		in = in.called.by
	}
	if in == outer { // spans that stand around one another
		return
	}
	if in.gone {
		outer.gone = true // a sum, and so is this
		return
	}
	stays, goes := in, outer
	if len(in.output) == 0 && len(outer.output) > 0 {
		stays, goes = outer, in
	}
	goes.gone, goes.called.by = true, stays
	if fuller(goes.usage, stays.usage) {
		stays.usage = goes.usage
	}
	if len(stays.input) == 0 {
		stays.input = goes.input
	}
}

// fuller tells whether a usage counts more than another, or splits the same into more kinds. The kinds of two are never
// mixed: one library leaves the cache within the input.
func fuller(a, b *transcript.Usage) bool {
	if a == nil || b == nil {
		return a != nil
	}
	if a.Total() != b.Total() {
		return a.Total() > b.Total()
	}
	return a.Input < b.Input
}

// fragments makes the messages of every run.
func (b *batch) fragments() []transcript.Fragment {
	var out []transcript.Fragment
	runs := make(map[transcript.RunID]*teller)
	var order []*teller
	for _, it := range b.items {
		t := runs[it.run]
		if t == nil {
			t = newTeller(it.run)
			runs[it.run] = t
			order = append(order, t)
		}
		t.tell(it)
	}
	for _, t := range order {
		if t.fragment.Meta.Agent == "" && !strings.HasPrefix(t.service, "unknown_service") {
			t.fragment.Meta.Agent = t.service
		}
		out = append(out, t.fragment)
	}
	return out
}
