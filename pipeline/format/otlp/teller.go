package otlp

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"errata/transcript"
)

// teller makes the messages of one run.
type teller struct {
	fragment  transcript.Fragment
	at        map[string]int // messages by id
	service   string         // that the run's spans came from, the first of them
	outermost bool           // the agent that is named is not within another
}

func newTeller(run transcript.RunID) *teller {
	return &teller{
		fragment: transcript.Fragment{Meta: transcript.Meta{ID: run}, First: transcript.Unplaced},
		at:       make(map[string]int),
	}
}

func sortByEnd(items []*item) {
	slices.SortStableFunc(items, func(x, y *item) int {
		return cmp.Or(x.End.Compare(y.End.Time), cmp.Compare(x.SpanID, y.SpanID))
	})
}

// tell adds what an item says.
func (t *teller) tell(it *item) {
	t.service = cmp.Or(t.service, it.service)
	if name := it.Attributes.text("gen_ai.agent.name"); name != "" {
		outermost := it.kind == agent && !it.within(agent)
		if t.fragment.Meta.Agent == "" || (outermost && !t.outermost) {
			t.outermost = outermost
			t.fragment.Meta.Agent, t.fragment.Meta.AgentVersion = name, it.Attributes.text("gen_ai.agent.version")
		}
	}
	if it.gone {
		return
	}
	switch it.kind {
	case model:
		t.tellModel(it)
	case tool:
		t.tellTool(it)
	}
}

// generation names the generation of an item.
func (it *item) generation() string { return "span-" + string(it.SpanID) }

// tellModel adds the history that a generation read, and what it said. What came after the last answer in the history
// is new with this generation, and has its time.
func (t *teller) tellModel(it *item) {
	nth, uses := make(map[string]int), distinct{calls: make(map[string]int), results: make(map[string]int)}
	answered := -1
	for i := range it.input {
		if it.input[i].Role == transcript.RoleAssistant {
			answered = i
		}
	}
	parent := ""
	seq := int64(0)
	name := func(m *transcript.Message) {
		uses.rename(m)
		id := identity(m)
		n := nth[id]
		nth[id]++
		m.ID = id + "-" + strconv.Itoa(n)
		seq++
		m.Seq = seq
		if m.Role != transcript.RoleSystem {
			m.Parent = parent
		}
	}
	for i := range it.input {
		m := it.input[i]
		name(&m)
		if i > answered {
			m.Time = it.Start.Time
		}
		if m.Role != transcript.RoleSystem {
			parent = m.ID
		}
		if m.Role == transcript.RoleUser && it.within(tool) {
			m.Role = transcript.RoleHarness // an agent wrote it, for another that it uses as a tool
		}
		t.add(m)
	}
	if len(it.output) == 0 {
		if !it.failed() || it.usage != nil {
			t.add(it.answer(transcript.Message{ID: it.generation(), Parent: parent, Seq: seq + 1, Role: transcript.RoleAssistant}, true))
		}
		return
	}
	for i := range it.output {
		m := it.output[i]
		name(&m)
		t.add(it.answer(m, i == 0))
	}
}

// answer makes a message the answer of a generation.
func (it *item) answer(m transcript.Message, first bool) transcript.Message {
	m.Generation = it.generation()
	m.Time = it.End.Time
	m.Model = it.Attributes.text("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
	m.Provider = it.Attributes.text("gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system")
	if first {
		m.Usage = it.usage
	}
	return m
}

// afterAll is the place in its log of what a tool's span says: at one time it comes after the answer that asked for it.
const afterAll = 1 << 30

func (t *teller) tellTool(it *item) {
	c := &it.called
	if c.name == "" {
		return
	}
	c.id = useOf(c.id, c.nth)
	c.result.CallID, c.result.Time = c.id, it.End.Time
	m := transcript.Message{
		ID: "tool-" + string(it.SpanID), Seq: afterAll, Role: transcript.RoleTool, Time: it.Start.Time, Generation: c.generation,
		Results: []transcript.Result{c.result},
	}
	if c.nameless {
		m.Time = it.End.Time
	} else {
		m.Calls = []transcript.Call{{ID: c.id, Tool: transcript.Tool(c.name), Arguments: c.arguments}}
	}
	t.add(m)
}

// add adds a message, or what it says more of one that is there.
func (t *teller) add(m transcript.Message) {
	i, known := t.at[m.ID]
	if !known {
		t.at[m.ID] = len(t.fragment.Messages)
		t.fragment.Messages = append(t.fragment.Messages, m)
		return
	}
	old := &t.fragment.Messages[i]
	if m.Generation == "" || !old.Time.IsZero() {
		m.Time = old.Time // generations are told as they began: the first knows best what was new with it
	}
	*old = old.Join(m)
}

// distinct tells the calls of one history apart that bear one id, as local models' do: the second use gets a name of its
// own, and so does its result.
type distinct struct{ calls, results map[string]int }

func (d *distinct) rename(m *transcript.Message) {
	m.Calls, m.Results = slices.Clone(m.Calls), slices.Clone(m.Results)
	for i := range m.Calls {
		id := &m.Calls[i].ID
		n := d.calls[*id]
		d.calls[*id]++
		*id = useOf(*id, n)
	}
	for i := range m.Results {
		id := &m.Results[i].CallID
		n := d.results[*id]
		d.results[*id]++
		*id = useOf(*id, min(n, d.calls[*id]-1)) // more results than calls are of the last one
	}
}

// useOf names the use of an id after n others.
func useOf(id string, n int) string {
	if n <= 0 || id == "" {
		return id
	}
	return id + "#" + strconv.Itoa(n+1)
}

// identity names a message by what it says: its calls or results by their ids, everything else by its text.
func identity(m *transcript.Message) string {
	h := xxhash.New()
	field := func(s string) {
		h.WriteString(strconv.Itoa(len(s)))
		h.WriteString(":")
		h.WriteString(s)
	}
	field(string(m.Role))
	named := len(m.Calls)+len(m.Results) > 0
	for i := range m.Calls {
		c := &m.Calls[i]
		field(c.ID)
		named = named && c.ID != ""
		if c.ID == "" {
			field(string(c.Tool))
			field(c.Arguments)
		}
	}
	for i := range m.Results {
		r := &m.Results[i]
		field(r.CallID)
		named = named && r.CallID != ""
		if r.CallID == "" {
			field(r.Body)
		}
	}
	if !named {
		field(m.Text)
	}
	return "m-" + strconv.FormatUint(h.Sum64(), 36)
}
