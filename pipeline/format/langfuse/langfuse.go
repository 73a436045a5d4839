// Package langfuse reads traces as Langfuse exports them: a trace and its observations. Generations are turns, tools are
// calls; a call that a generation asked for and the tool that served it are one.
//
// Several libraries may record one request, one generation within another: the innermost counts, so that its tokens are
// counted once. Observations that Langfuse mapped to ChatML are read too. What a generation was given and gave is in the words of whatever library wrote it; calls and results
// are found there by the forms that providers have for them. A tool with the level ERROR failed.
package langfuse

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/dialect"
	"errata/pipeline/format/field"
	"errata/pipeline/format/piece"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// Dialect is the door to this package.
var Dialect = dialect.Dialect{
	Name:   "langfuse",
	Title:  "Langfuse trace",
	Source: "Langfuse trace export, and its API: GET /api/public/traces/{traceId} (TraceWithFullDetails)",
	Unit:   dialect.UnitObject,
	Detect: detect,
	Decode: piece.Decode(decode),
	Split:  piece.Split(decode),
}

func detect(shape dialect.Shape) bool {
	first := shape.First()
	if isMapped(first) {
		return true
	}
	if first.Kind("observations") != '[' || first.Kind("trace") != '{' && !first.Has("id", "timestamp") {
		return false
	}
	head, _ := record.ShapeOf(first.Get("observations"))
	return head.First().Has("id", "traceId", "type", "startTime")
}

type export struct {
	ID           string         `json:"id"`
	Name         field.Raw      `json:"name"`
	Trace        *trace         `json:"trace"`
	Observations jsontext.Value `json:"observations"`
}

type trace struct {
	ID   string    `json:"id"`
	Name field.Raw `json:"name"`
}

type observation struct {
	ID      string         `json:"id"`
	Trace   string         `json:"traceId"`
	Parent  string         `json:"parentObservationId"`
	Type    string         `json:"type"`
	Name    field.Raw      `json:"name"`
	Level   string         `json:"level"`
	Status  field.Raw      `json:"statusMessage"`
	Start   field.Time     `json:"startTime"`
	End     field.Time     `json:"endTime"`
	Model   field.Raw      `json:"model"`
	Input   jsontext.Value `json:"input"`
	Output  jsontext.Value `json:"output"`
	Details jsontext.Value `json:"usageDetails"`
}

func decode(in dialect.Input) (dialect.Output, error) {
	if shape, err := record.ShapeOf(in.Value); err == nil && isMapped(shape.First()) {
		return decodeMapped(shape.First())
	}
	var wire export
	if err := record.Unmarshal(in.Value, &wire); err != nil {
		return dialect.Output{}, err
	}
	if wire.Trace == nil {
		wire.Trace = &trace{ID: wire.ID, Name: wire.Name}
	}
	if wire.Trace.ID == "" || wire.Observations.Kind() != '[' {
		return dialect.Output{}, dialect.Reject{
			Reason: dialect.ReasonMissingField, Pointer: "/observations",
			Message: "an export has a trace with an id and its observations; send it as Langfuse gave it",
		}
	}
	observations, err := record.List(wire.Observations, func(o *observation) (observation, error) { return *o, nil })
	if err != nil {
		return dialect.Output{}, record.Refuse(err).Within(0, "/observations")
	}
	slices.SortStableFunc(observations, func(a, b observation) int {
		return cmp.Or(a.Start.Compare(b.Start.Time), a.End.Compare(b.End.Time), cmp.Compare(a.ID, b.ID))
	})
	outer, within := outerOnes(observations)
	r := reader{seen: map[string]bool{}, within: within}
	for i := range observations {
		o := &observations[i]
		switch {
		case outer[o.ID]:
		case o.Type == "GENERATION":
			r.generation(o)
		case o.Type == "TOOL":
			r.tool(o)
		}
	}
	const most = 128
	return dialect.Output{Fragments: []transcript.Fragment{{
		Meta:     transcript.Meta{ID: transcript.RunID("langfuse-" + wire.Trace.ID[:min(len(wire.Trace.ID), most)]), Agent: wire.Trace.Name.Object()},
		First:    transcript.Unplaced,
		Messages: r.messages,
	}}}, nil
}

// outerOnes names the generations within which another one stands: as its ancestor, or, where two libraries recorded one
// request side by side, around it in time with the same tokens. within gives the generation around one that is alone in
// it: what the inner one does not hold of the answer, the outer one may.
func outerOnes(observations []observation) (outer map[string]bool, within map[string]*observation) {
	byID, inner := map[string]*observation{}, map[string]int{}
	outer, within = map[string]bool{}, map[string]*observation{}
	for i := range observations {
		byID[observations[i].ID] = &observations[i]
	}
	var last *observation
	for i := range observations {
		o := &observations[i]
		if o.Type != "GENERATION" {
			continue
		}
		const deep = 64
		parent := byID[o.Parent]
		for range deep {
			if parent == nil || parent == o {
				break
			}
			if parent.Type == "GENERATION" {
				outer[parent.ID], within[o.ID] = true, parent
				inner[parent.ID]++
			}
			parent = byID[parent.Parent]
		}
		if last != nil && !o.End.After(last.End.Time) && same(last.usage(), o.usage()) {
			outer[last.ID] = true
		}
		last = o
	}
	for id, around := range within {
		if inner[around.ID] > 1 {
			delete(within, id)
		}
	}
	return outer, within
}

func same(a, b *transcript.Usage) bool { return a != nil && b != nil && *a == *b }

// usage reads token counts of kinds that are disjoint, unless the total says that they are within one another.
func (o *observation) usage() *transcript.Usage {
	counts := map[string]field.Count{}
	if o.Details.Kind() != '{' || record.Unmarshal(o.Details, &counts) != nil {
		return nil
	}
	var read, write, reasoning field.Count
	for name, count := range counts {
		switch {
		case strings.Contains(name, "cache_creation"), strings.Contains(name, "cache_write"):
			write += count
		case strings.Contains(name, "cache"):
			read += count
		case strings.Contains(name, "reasoning"):
			reasoning += count
		}
	}
	input, output := counts["input"], counts["output"]
	if total := counts["total"]; total > 0 && total < input+output+read+write+reasoning {
		input = max(input-read-write, 0)
	} else {
		output += reasoning
	}
	usage := transcript.Usage{Input: int64(input), CacheRead: int64(read), CacheWrite: int64(write), Output: int64(output)}
	if usage.Total() == 0 {
		return nil
	}
	return &usage
}

// reader makes messages of observations in the order of time.
type reader struct {
	messages []transcript.Message
	open     []transcript.Call // calls without a result
	seen     map[string]bool   // what users said, which every request repeats
	within   map[string]*observation
}

func (r *reader) add(m transcript.Message, at time.Time) {
	m.Time, m.Seq = at, int64(len(r.messages))
	if len(r.messages) > 0 {
		m.Parent = r.messages[len(r.messages)-1].ID
	}
	r.messages = append(r.messages, m)
}

func (r *reader) generation(o *observation) {
	var input, output found
	input.scan(plain(o.Input), 0)
	output.scan(plain(o.Output), 0)
	if around := r.within[o.ID]; around != nil && len(output.calls) == 0 {
		var more found
		more.scan(plain(around.Output), 0)
		output.calls = more.calls
	}
	for i, text := range input.users {
		if !r.seen[text] {
			r.seen[text] = true
			r.add(transcript.Message{ID: o.ID + "-user-" + string(rune('a'+i%26)), Role: transcript.RoleUser, Text: text}, o.Start.Time)
		}
	}
	for _, result := range input.results {
		at := slices.IndexFunc(r.open, func(c transcript.Call) bool { return c.ID == result.CallID })
		if at >= 0 {
			r.answer(at, result, o.Start.Time)
		}
	}
	m := transcript.Message{ID: o.ID, Generation: o.ID, Role: transcript.RoleAssistant, Model: o.Model.Object(), Text: field.Lines(output.texts...), Usage: o.usage()}
	if m.Text == "" && len(output.calls) == 0 && m.Usage == nil {
		return // a request that failed is no turn
	}
	for i, call := range output.calls {
		if call.ID == "" {
			call.ID = o.ID + "-" + string(rune('a'+i%26))
		}
		m.Calls = append(m.Calls, call)
		r.open = append(r.open, call)
	}
	at := o.End.Time
	if at.IsZero() {
		at = o.Start.Time
	}
	r.add(m, at)
}

func (r *reader) answer(at int, result transcript.Result, when time.Time) {
	result.CallID = r.open[at].ID
	r.add(transcript.Message{ID: "result-" + result.CallID, Role: transcript.RoleTool, Results: []transcript.Result{result}}, when)
	r.open = slices.Delete(r.open, at, at+1)
}

// tool joins a tool to the oldest call of its name that is open. A tool that no generation asked for is a call by itself.
func (r *reader) tool(o *observation) {
	result := transcript.Result{Body: text(o.Output)}
	if o.Level == "ERROR" {
		result.Flag = transcript.FlagError
		if result.Body == "" {
			result.Body = o.Status.Object()
		}
	}
	name := o.Name.Object()
	at := slices.IndexFunc(r.open, func(c transcript.Call) bool { return strings.HasSuffix(name, string(c.Tool)) })
	if at < 0 {
		if name = name[strings.LastIndexByte(name, ' ')+1:]; name == "" {
			name = "tool"
		}
		call := transcript.Call{ID: o.ID, Tool: transcript.Tool(name), Arguments: text(o.Input)}
		r.add(transcript.Message{ID: o.ID, Role: transcript.RoleAssistant, Calls: []transcript.Call{call}}, o.Start.Time)
		r.open = append(r.open, call)
		at = len(r.open) - 1
	}
	r.answer(at, result, o.End.Time)
}

// text gives a value as it stands, texts unquoted.
func text(value jsontext.Value) string {
	var raw field.Raw
	if len(value) == 0 || record.Unmarshal(value, &raw) != nil {
		return ""
	}
	return raw.Object()
}
