package transcript

// unite joins what several places say of one message. Unlike in a slot their calls and results need not be the same
// ones: those of one id and tool are joined, the others are added.
func unite(a, b Message) Message {
	calls, results := uniteCalls(a.Calls, b.Calls), uniteResults(a.Results, b.Results)
	a = a.Join(b)
	a.Calls, a.Results = calls, results
	return a
}

// uniteCalls joins calls of one id, and the n-th calls without an id of one tool.
func uniteCalls(a, b []Call) []Call {
	if len(a) == 0 || len(b) == 0 {
		return append(a[:len(a):len(a)], b...)
	}
	type key struct {
		id   string
		tool Tool
		nth  int
	}
	at, nth := make(map[key]int, len(a)), make(map[key]int)
	count := func(c *Call) key {
		k := key{id: c.ID}
		if c.ID == "" {
			k.tool = c.Tool
		}
		nth[k]++
		k.nth = nth[k]
		return k
	}
	out := make([]Call, len(a), len(a)+len(b))
	copy(out, a)
	for i := range a {
		at[count(&a[i])] = i
	}
	clear(nth)
	for i := range b {
		if j, ok := at[count(&b[i])]; ok {
			out[j] = out[j].Join(b[i])
			continue
		}
		out = append(out, b[i])
	}
	return out
}

// uniteResults joins the n-th results of one call id, tool and actor.
func uniteResults(a, b []Result) []Result {
	if len(a) == 0 || len(b) == 0 {
		return append(a[:len(a):len(a)], b...)
	}
	type key struct {
		id    string
		tool  Tool
		actor Actor
		nth   int
	}
	at, nth := make(map[key]int, len(a)), make(map[key]int)
	count := func(r *Result) key {
		k := key{id: r.CallID, actor: r.Actor}
		if r.CallID == "" {
			k.tool = r.Tool
		}
		nth[k]++
		k.nth = nth[k]
		return k
	}
	out := make([]Result, len(a), len(a)+len(b))
	copy(out, a)
	for i := range a {
		at[count(&a[i])] = i
	}
	clear(nth)
	for i := range b {
		if j, ok := at[count(&b[i])]; ok {
			out[j] = out[j].Join(b[i])
			continue
		}
		out = append(out, b[i])
	}
	return out
}
