package simulate

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// Record is one record of the topic.
type Record struct {
	Key   string // the run
	Value []byte
	Time  time.Time // when it was published: soon after its last message
}

// Run is one run: its records, each thread as one snapshot, and the truth.
type Run struct {
	ID      string
	Records []Record
	Truth   Truth

	cfg     *Config
	plan    *script
	threads []written // sub-agents first, so that the run ends with its last record
}

// lag is how long after its last message a record is published.
const lag = 300 * time.Millisecond

// As gives the same run as its messages would be in another form: the same
// facts but for the provider and for what a form cannot tell. Only Anthropic's
// tells what was written to the cache; elsewhere that is input.
func (r *Run) As(form string) Run {
	c := *r
	c.Truth.Provider = form
	if form != Anthropic {
		c.Truth.Tokens = withoutWrites(r.Truth.Tokens)
		c.Truth.Charges = r.plan.charges(withoutWrites)
	}
	return c.in(form)
}

// withoutWrites counts what was written to the cache as input.
func withoutWrites(t Tokens) Tokens {
	return Tokens{Input: t.Input + t.CacheWrite, CacheRead: t.CacheRead, Output: t.Output}
}

// in writes the run's records in a form.
func (r Run) in(form string) Run {
	r.threads = nil
	for i := range r.plan.stages {
		r.threads = append(r.threads, r.plan.stages[len(r.plan.stages)-1-i].write(form))
	}
	r.Records = r.Snapshots(1)
	return r
}

// Increments cuts every thread of the run into up to n records that each carry
// the next messages alone. In the order given they are as a source would send
// them; in any other order, and sent again, they hold the same run.
func (r *Run) Increments(n int) []Record {
	return r.cut(n, func(t *written, from, to int) object {
		return object{{"first_message", from}, {"messages", jsonOf(t.messages[from:to])}}
	})
}

// Snapshots cuts every thread of the run into up to n records that each carry
// all messages so far.
func (r *Run) Snapshots(n int) []Record {
	return r.cut(n, func(t *written, _, to int) object {
		return object{{"messages", jsonOf(t.messages[:to])}}
	})
}

// Disordered gives the records in an order that the seed draws, a third of them
// twice, as a topic that was written by several producers and read again would.
func Disordered(records []Record, seed uint64) []Record {
	rng := rand.New(rand.NewPCG(seed, 1))
	list := append([]Record(nil), records...)
	for _, r := range records {
		if rng.IntN(3) == 0 {
			list = append(list, r)
		}
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// cut writes every thread as up to n records, none of them without a message.
func (r *Run) cut(n int, body func(t *written, from, to int) object) []Record {
	var records []Record
	for i := range r.threads {
		t := &r.threads[i]
		parts := max(1, min(n, len(t.messages)))
		for k := range parts {
			from, to := k*len(t.messages)/parts, (k+1)*len(t.messages)/parts
			o := append(r.head(t), body(t, from, to)...)
			if k == parts-1 {
				o = append(o, r.tail(t)...)
			}
			records = append(records, Record{Key: r.ID, Value: o.appendTo(nil), Time: t.messages[to-1].at.Add(lag)})
		}
	}
	return records
}

// head is what every record says of its run and thread.
func (r *Run) head(t *written) object {
	o := object{{"schema", "errata.run/v1"}, {"run_id", r.ID}}
	if t.id != "" {
		o = append(o, field{"thread_id", t.id}, field{"parent_call", t.parent})
	}
	o = append(o, field{"agent", r.Truth.Agent}, field{"agent_version", r.cfg.AgentVersion}, field{"provider", r.Truth.Provider},
		field{"model", r.Truth.Model}, field{"variant", r.Truth.Variant})
	if len(r.cfg.Attributes) == 0 {
		return o
	}
	var attributes object
	for _, name := range slices.Sorted(maps.Keys(r.cfg.Attributes)) {
		attributes = append(attributes, field{name, r.cfg.Attributes[name]})
	}
	return append(o, field{"attributes", attributes})
}

// tail is what the last record of a thread says beside its messages.
func (r *Run) tail(t *written) object {
	var o object
	switch {
	case t.id != "":
		o = append(o, field{"ended", true}, field{"end_reason", "completed"})
	case !r.Truth.Open:
		o = append(o, field{"ended", true}, field{"end_reason", r.Truth.EndReason})
		if r.Truth.TaskSuccess != nil {
			o = append(o, field{"task_success", *r.Truth.TaskSuccess})
		}
	}
	if len(t.shadows) > 0 {
		o = append(o, field{"shadow", t.shadows})
	}
	return o
}

// jsonOf is the messages' JSON.
func jsonOf(messages []message) []raw {
	list := make([]raw, len(messages))
	for i := range messages {
		list[i] = messages[i].json
	}
	return list
}
