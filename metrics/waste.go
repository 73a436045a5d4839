package metrics

import (
	"slices"

	"errata/transcript"
)

// faulty lists the arguments that an errored call's error blames: those that it names, else the one that its message
// suggests, looked for in this call and in the other one.
func (c *callState) faulty(other *callState) []string {
	if named := namedBy(&c.fact.Error); len(named) > 0 {
		return named
	}
	if pointer, found := c.message.infer(c.leaves, other.leaves); found {
		return []string{pointer}
	}
	return nil
}

// findWaste compares a call that joins an episode with the call before it: which arguments did it change that the error
// before had not blamed, how many of those are rejected now, and is its error a serial fault?
func (s *threadState) findWaste(e *episode, index int) {
	before, c := &s.calls[e.last()], &s.calls[index]
	if !before.errored() {
		return
	}
	blamed := before.faulty(c)
	altered := collateral(before, c, blamed)
	e.changed += len(altered)
	if !c.errored() {
		return
	}
	rejected := c.faulty(before)
	for i := range altered {
		if blames(rejected, altered[i].pointer) || altered[i].isRenamed && blames(rejected, altered[i].renamed) {
			e.reject++
		}
	}
	// A rejection is one serial fault however many such arguments it names: it is the turn that counts.
	if slices.ContainsFunc(rejected, func(p string) bool { return isSerial(p, before, c, blamed) }) {
		e.serial++
	}
}

// collateral lists the arguments that differ between two calls and that the error between them did not blame. A renamed
// argument counts once, and not at all where either of its names was blamed.
func collateral(before, after *callState, blamed []string) []difference {
	return slices.DeleteFunc(differences(before.leaves, after.leaves), func(d difference) bool {
		if d.isRenamed {
			return blames(blamed, d.pointer) || blames(blamed, d.renamed)
		}
		return d.equal() || blames(blamed, d.pointer)
	})
}

// blames tells whether one of the pointers is that of an argument, of what holds it, or of a part of it.
func blames(pointers []string, argument string) bool {
	return slices.ContainsFunc(pointers, func(p string) bool { return covers(p, argument) || covers(argument, p) })
}

// isSerial tells whether a rejected argument had the same value in the call before, or was missing there too, without the
// error before having blamed it.
func isSerial(pointer string, before, after *callState, blamed []string) bool {
	if blames(blamed, pointer) {
		return false
	}
	return slices.Equal(under(before.leaves, pointer), under(after.leaves, pointer))
}

// valueAt is the scalar at a pointer, as canonical JSON; "" where there is none.
func valueAt(leaves []transcript.Leaf, pointer string) string {
	for i := range leaves {
		if leaves[i].Pointer == pointer {
			return scalarOrNone(leaves[i].Value)
		}
	}
	return ""
}

// scalarOrNone leaves out what is no value: empty objects and arrays, and null, which is as good as missing.
func scalarOrNone(value string) string {
	if value == "" || value == "null" || value[0] == '{' || value[0] == '[' {
		return ""
	}
	return value
}
