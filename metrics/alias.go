package metrics

import (
	"slices"
	"strings"
)

// maxPairs bounds the pairs of one episode.
const maxPairs = 256

// findPairs lists the rejected names of a recovered episode with the accepted ones, each pair once: a candidate counts
// episodes, so that an episode that repeats a rejected value says it no louder. Episodes that recovered with a user's
// help count too: what was accepted is true whoever knew it.
func (s *threadState) findPairs(e *episode) []PairFact {
	success := &s.calls[e.last()]
	var pairs []PairFact
	for _, i := range e.calls[:len(e.calls)-1] {
		rejected := &s.calls[i]
		if !rejected.errored() || len(pairs) >= maxPairs {
			continue
		}
		found := s.pairsOf(e, rejected, success)
		for _, pair := range found {
			if !slices.ContainsFunc(pairs, pair.sameAs) {
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs
}

func (p *PairFact) sameAs(other PairFact) bool {
	return p.Level == other.Level && p.Tool == other.Tool && p.Field == other.Field &&
		p.Rejected == other.Rejected && p.Accepted == other.Accepted
}

// pairsOf lists the pairs of one rejected call and the recovering one. Between calls of two tools only the tool's name can
// have been wrong, since their arguments have nothing to do with each other.
func (s *threadState) pairsOf(e *episode, rejected, success *callState) []PairFact {
	first := &s.calls[e.first()].fact
	pair := PairFact{
		Tool:    rejected.fact.Tool,
		Code:    rejected.fact.Folded,
		Model:   first.Model,
		Variant: first.Variant,
		Time:    first.Time,
	}
	if rejected.fact.Tool != success.fact.Tool {
		if !rejected.missing {
			return nil
		}
		pair.Level, pair.Rejected, pair.Accepted = LevelTool, string(rejected.fact.Tool), string(success.fact.Tool)
		pair.Kind = kindOfNames(pair.Rejected, pair.Accepted)
		return []PairFact{pair}
	}
	return append(valuePairs(pair, rejected, success), parameterPairs(pair, rejected, success)...)
}

// valuePairs lists the values that the rejected call's error blames with what was accepted in their places: for each
// argument that it names, else the one that its message suggests, else the only top-level one that differs. Of the last
// two it is inferred which argument it was.
func valuePairs(pair PairFact, rejected, success *callState) []PairFact {
	pair.Level = LevelValue
	var pairs []PairFact
	add := func(pointer, value string, inferred bool) {
		accepted := valueAt(success.leaves, pointer)
		value = scalarOrNone(value)
		if value == "" || accepted == "" || value == accepted {
			return
		}
		pair.Field, pair.Rejected, pair.Accepted, pair.Inferred = pointer, value, accepted, inferred
		pair.Kind = kindOfValues(value, accepted)
		pairs = append(pairs, pair)
	}
	named := false
	for i := range rejected.fact.Error.Fields {
		field := &rejected.fact.Error.Fields[i]
		if field.Pointer == "" || len(pairs) >= maxPairs {
			continue
		}
		named = true
		value := valueAt(rejected.leaves, field.Pointer)
		if field.Received != nil && scalarOrNone(*field.Received) != "" {
			value = *field.Received // what the server says it got is what it refused
		}
		add(field.Pointer, value, false)
	}
	if named {
		return pairs
	}
	pointer, found := rejected.message.infer(rejected.leaves, success.leaves)
	if !found {
		pointer, found = onlyDifference(rejected, success)
	}
	if found {
		add(pointer, valueAt(rejected.leaves, pointer), true)
	}
	return pairs
}

// onlyDifference is the only top-level argument that two calls do not have in common.
func onlyDifference(a, b *callState) (pointer string, found bool) {
	for _, d := range differences(a.leaves, b.leaves) {
		if d.equal() && !d.isRenamed {
			continue
		}
		if d.isRenamed {
			return "", false
		}
		top := topLevel(d.pointer)
		if found && top != pointer {
			return "", false
		}
		pointer, found = top, true
	}
	return pointer, found && pointer != ""
}

// topLevel is the pointer to the top-level argument that a leaf is of.
func topLevel(pointer string) string {
	if pointer == "" {
		return ""
	}
	if end := strings.IndexByte(pointer[1:], '/'); end >= 0 {
		return pointer[:end+1]
	}
	return pointer
}

// parameterPairs lists the arguments that the recovering call gave under another name. The field is the rejected one's
// pointer.
func parameterPairs(pair PairFact, rejected, success *callState) []PairFact {
	pair.Level = LevelParameter
	var pairs []PairFact
	for _, d := range differences(rejected.leaves, success.leaves) {
		if !d.isRenamed || len(pairs) >= maxPairs {
			continue
		}
		pair.Field, pair.Rejected, pair.Accepted = renaming(d.pointer, d.renamed)
		if pair.Rejected == "" || pair.Accepted == "" || pair.Rejected == pair.Accepted {
			continue
		}
		pair.Kind = kindOfNames(pair.Rejected, pair.Accepted)
		if !slices.ContainsFunc(pairs, pair.sameAs) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// renaming tells which names changed between the pointers of a renamed leaf. Where a container was renamed its leaves
// agree at their ends, and where the leaf moved as well, the names are the whole pointers.
func renaming(before, after string) (field, rejected, accepted string) {
	for {
		i, j := strings.LastIndexByte(before, '/'), strings.LastIndexByte(after, '/')
		if i <= 0 || j <= 0 || before[i:] != after[j:] {
			break
		}
		before, after = before[:i], after[:j]
	}
	i, j := strings.LastIndexByte(before, '/'), strings.LastIndexByte(after, '/')
	if i < 0 || j < 0 || before[:i] != after[:j] {
		return before, before, after
	}
	return before, unescapePointer(before[i+1:]), unescapePointer(after[j+1:])
}

// pairFacts gives the pairs of the thread's episodes, whose numbers among the run's begin at offset.
func (s *threadState) pairFacts(offset int) []PairFact {
	var facts []PairFact
	for _, e := range s.episodes {
		for _, pair := range e.pairs {
			pair.Episode = offset + e.number
			facts = append(facts, pair)
		}
	}
	return facts
}
