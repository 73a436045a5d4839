package transcript

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Join unites what two records say of one run, field by field. It changes neither of them.
func (m Meta) Join(o Meta) Meta {
	m.ID = RunID(longer(string(m.ID), string(o.ID)))
	m.Format = longer(m.Format, o.Format)
	m.Agent = longer(m.Agent, o.Agent)
	m.AgentVersion = longer(m.AgentVersion, o.AgentVersion)
	m.Provider = longer(m.Provider, o.Provider)
	m.Model = longer(m.Model, o.Model)
	m.Variant = Variant(longer(string(m.Variant), string(o.Variant)))
	m.Attributes = joinAttributes(m.Attributes, o.Attributes)
	m.Ended = m.Ended || o.Ended
	m.EndReason = EndReason(longer(string(m.EndReason), string(o.EndReason)))
	if m.TaskSuccess == nil || (o.TaskSuccess != nil && *o.TaskSuccess) {
		m.TaskSuccess = o.TaskSuccess
	}
	m.Shadow = joinShadow(m.Shadow, o.Shadow)
	return m
}

func joinAttributes(a, b map[string]string) map[string]string {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	out := maps.Clone(a)
	for k, v := range b {
		out[k] = longer(out[k], v)
	}
	return out
}

// joinShadow unites payloads by call and variant, and sorts them by both.
func joinShadow(a, b []Shadow) []Shadow {
	if len(b) == 0 {
		return a
	}
	order := func(x, y Shadow) int {
		return cmp.Or(cmp.Compare(x.CallID, y.CallID), cmp.Compare(x.Variant, y.Variant))
	}
	all := append(slices.Clone(a), b...)
	slices.SortStableFunc(all, order)
	out := all[:0]
	for _, s := range all {
		if n := len(out); n > 0 && order(out[n-1], s) == 0 {
			out[n-1].Payload = longer(out[n-1].Payload, s.Payload)
			continue
		}
		out = append(out, s)
	}
	return out
}

// Weight is the version of what is known of a run as a whole; it grows as it does for a message.
func (m *Meta) Weight() uint64 {
	w := 1 + sizeWeight(string(m.ID), m.Format, m.Agent, m.AgentVersion, m.Provider, m.Model, string(m.Variant), string(m.EndReason))
	for k, v := range m.Attributes {
		w += 1 + sizeWeight(k, v)
	}
	for i := range m.Shadow {
		w += 1 + sizeWeight(m.Shadow[i].CallID, string(m.Shadow[i].Variant), m.Shadow[i].Payload)
	}
	if m.Ended {
		w++
	}
	if m.TaskSuccess != nil {
		w++
		if *m.TaskSuccess {
			w++
		}
	}
	return w
}

// Row is how a run as a whole is stored.
func (m *Meta) Row(arrived time.Time) (Row, error) {
	content, err := encode(m)
	if err != nil {
		return Row{}, fmt.Errorf("encode run %q: %w", m.ID, err)
	}
	return Row{Run: m.ID, Kind: RowRun, Version: m.Weight() + ArrivedWeight(arrived), Content: content, Arrived: arrived}, nil
}

// Join unites what two records say of one thread.
func (t ThreadMeta) Join(o ThreadMeta) ThreadMeta {
	t.ParentCall = longer(t.ParentCall, o.ParentCall)
	t.Ended = t.Ended || o.Ended
	t.Arrived = earlier(t.Arrived, o.Arrived)
	return t
}

// Weight is the version of what is known of a thread as a whole.
func (t *ThreadMeta) Weight() uint64 {
	w := 1 + sizeWeight(t.ParentCall) + ArrivedWeight(t.Arrived)
	if t.Ended {
		w++
	}
	return w
}

// Row is how a thread as a whole is stored.
func (t *ThreadMeta) Row(run RunID) (Row, error) {
	content, err := encode(t)
	if err != nil {
		return Row{}, fmt.Errorf("encode thread %q of run %q: %w", t.ID, run, err)
	}
	return Row{Run: run, Thread: t.ID, Kind: RowThread, Version: t.Weight(), Content: content, Arrived: t.Arrived}, nil
}
