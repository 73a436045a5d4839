package metrics

import (
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"

	"errata/transcript"
)

// Bounds of what is remembered of the values that were accepted.
const (
	maxAcceptedValue  = 256   // bytes of one value as JSON; longer ones are free text, and each is distinct
	maxAcceptedFields = 1_024 // arguments of all tools of one run
	maxAcceptedValues = 1_024 // distinct values of one argument
)

// acceptedValues collects, for each argument of each tool, the values that accepted calls of a run gave.
type acceptedValues map[acceptedKey]*acceptedField

type acceptedKey struct {
	tool  transcript.Tool
	field string
}

type acceptedField struct {
	calls  int
	values map[uint32]struct{}
}

// add takes the scalar arguments of an ok call.
func (a acceptedValues) add(tool transcript.Tool, leaves []transcript.Leaf) {
	for i := range leaves {
		pointer, value := leaves[i].Pointer, scalarOrNone(leaves[i].Value)
		if pointer == "" || value == "" || len(value) > maxAcceptedValue {
			continue
		}
		key := acceptedKey{tool, pointer}
		field := a[key]
		if field == nil {
			if len(a) >= maxAcceptedFields {
				continue
			}
			field = &acceptedField{values: map[uint32]struct{}{}}
			a[key] = field
		}
		field.calls++
		if len(field.values) < maxAcceptedValues {
			field.values[uint32(xxhash.Sum64String(value))] = struct{}{}
		}
	}
}

// facts lists the arguments by tool and field.
func (a acceptedValues) facts() []AcceptedFact {
	facts := make([]AcceptedFact, 0, len(a))
	for key, field := range a {
		fact := AcceptedFact{Tool: key.tool, Field: key.field, Calls: field.calls}
		for hash := range field.values {
			fact.Values = append(fact.Values, hash)
		}
		slices.Sort(fact.Values)
		facts = append(facts, fact)
	}
	slices.SortFunc(facts, func(x, y AcceptedFact) int {
		return cmp.Or(cmp.Compare(x.Tool, y.Tool), cmp.Compare(x.Field, y.Field))
	})
	return facts
}
