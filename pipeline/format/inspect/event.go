package inspect

import (
	"github.com/go-json-experiment/json/jsontext"

	"errata/pipeline/format/field"
	"errata/pipeline/format/record"
	"errata/transcript"
)

// event is one of those that matter: a generation, a call, or the beginning of a span. Events of other kinds have members of
// the same names that mean something else, so that these are read only where the kind is known.
type event struct {
	Event     string     `json:"event"`
	Time      field.Time `json:"timestamp"`
	Completed field.Time `json:"completed"`
	Span      string     `json:"span_id"`
	Cache     field.Raw  `json:"cache"`

	// Of a span.
	ID     field.Raw `json:"id"` // of a call, too
	Parent string    `json:"parent_id"`
	Type   field.Raw `json:"type"`

	// Of a generation.
	Output jsontext.Value `json:"output"`

	// Of a call.
	Function field.Raw      `json:"function"`
	Result   field.Raw      `json:"result"`
	Error    jsontext.Value `json:"error"`
}

// generated is what a generation gave.
type generated struct {
	Model   string       `json:"model"`
	Usage   *tokenCounts `json:"usage"`
	Choices record.PartList[struct {
		Message said `json:"message"`
	}] `json:"choices"`
}

// tokenCounts are Inspect's. Versions since February 2026 leave what was read from the cache and written to it out of the input
// for every provider, older ones only for some; reasoning is within the output, or beside it. The total tells.
type tokenCounts struct {
	Input      field.Count `json:"input_tokens"`
	Output     field.Count `json:"output_tokens"`
	Total      field.Count `json:"total_tokens"`
	CacheRead  field.Count `json:"input_tokens_cache_read"`
	CacheWrite field.Count `json:"input_tokens_cache_write"`
	Reasoning  field.Count `json:"reasoning_tokens"`
}

func (c *tokenCounts) usage() *transcript.Usage {
	if c == nil {
		return nil
	}
	cached, input, output := c.CacheRead+c.CacheWrite, c.Input, c.Output
	rest := c.Total - input - output
	if rest >= c.Reasoning && c.Reasoning > 0 && rest != cached {
		rest -= c.Reasoning
		output += c.Reasoning
	}
	if rest <= 0 && c.Total > 0 {
		input = max(input-cached, 0) // the input includes the cache
	}
	usage := transcript.Usage{Input: int64(input), CacheRead: int64(c.CacheRead), CacheWrite: int64(c.CacheWrite), Output: int64(output)}
	if usage.Total() == 0 {
		return nil
	}
	return &usage
}

// readEvents adds to messages what only events know, and gathers what the messages lack.
func (r *reader) readEvents(list jsontext.Value, messages []transcript.Message) error {
	if list.Kind() != '[' {
		return nil
	}
	byID, answers := map[string]*transcript.Message{}, map[string]*transcript.Message{}
	for i := range messages {
		m := &messages[i]
		if m.Role == transcript.RoleAssistant && m.Generation != "" && byID[m.Generation] == nil {
			byID[m.Generation] = m
		}
		for _, result := range m.Results {
			answers[result.CallID] = m
		}
	}
	aside := asideReader{reader: r, scorers: map[string]bool{}, asked: map[string]string{}}
	_, err := record.List(list, func(e *event) (struct{}, error) {
		switch e.Event {
		case "span_begin":
			aside.span(e)
		case "model":
			return struct{}{}, aside.generation(e, byID)
		case "tool":
			if m := answers[e.ID.Text]; m != nil && m.Role == transcript.RoleTool && m.Time.IsZero() {
				m.Time = e.Completed.Time
				break
			}
			aside.result(e)
		}
		return struct{}{}, nil
	})
	return err
}

// asideReader gathers generations that the messages of a sample do not hold.
type asideReader struct {
	*reader
	scorers map[string]bool   // spans of scorers, and what is within them
	asked   map[string]string // the span of each call of theirs
}

func (a *asideReader) span(e *event) {
	if e.Type.Text == "scorers" || e.Type.Text == "scorer" || a.scorers[e.Parent] {
		a.scorers[e.ID.Text] = true
	}
}

func (a *asideReader) generation(e *event, byID map[string]*transcript.Message) error {
	if e.Output.Kind() != '{' || a.scorers[e.Span] {
		return nil
	}
	var output generated
	if err := record.Unmarshal(e.Output, &output); err != nil {
		return record.Refuse(err).Within(0, "/output")
	}
	if len(output.Choices) == 0 {
		return nil
	}
	wire := output.Choices[0].Message
	usage := output.Usage.usage()
	if e.Cache.Text == "read" {
		usage = nil
	}
	if m := byID[wire.ID]; m != nil {
		m.Time = e.Completed.Time
		if m.Time.IsZero() {
			m.Time = e.Time.Time
		}
		if usage != nil {
			m.Usage = usage
		}
		if m.Model == "" {
			m.Model = output.Model
		}
		return nil
	}
	if wire.Role != "assistant" || a.known[wire.ID] {
		return nil
	}
	m, err := a.message(&wire)
	if err != nil {
		return err
	}
	m.Time, m.Usage = e.Completed.Time, usage
	for _, call := range m.Calls {
		a.asked[call.ID] = e.Span
	}
	a.add(e.Span, m)
	return nil
}

func (a *asideReader) result(e *event) {
	span, ours := a.asked[e.ID.Text]
	if !ours {
		return
	}
	result := transcript.Result{CallID: e.ID.Text, Tool: transcript.Tool(e.Function.Object()), Body: a.resolve(e.Result.Object())}
	var fault failure
	if e.Error.Kind() == '{' && record.Unmarshal(e.Error, &fault) == nil {
		fault.mark(&result)
	}
	a.add(span, transcript.Message{Role: transcript.RoleTool, Time: e.Completed.Time, Results: []transcript.Result{result}})
}

func (a *asideReader) add(span string, m transcript.Message) {
	thread := "span-" + span[:min(len(span), 128)]
	if a.threads == nil {
		a.threads = map[string][]transcript.Message{}
	}
	if _, known := a.threads[thread]; !known {
		a.spans = append(a.spans, thread)
	}
	a.threads[thread] = append(a.threads[thread], m)
}
