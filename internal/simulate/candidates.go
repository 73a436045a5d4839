package simulate

import (
	"cmp"
	"fmt"
	"slices"
)

// Candidate is one alias with how often the truths hold it.
type Candidate struct {
	Level, Tool, Field, Rejected, Accepted, Kind, Guard string

	Episodes, Runs int
	// Rivals is how many other accepted values the rejected one has.
	Rivals int
}

// Shown says that a reviewer is to see it: in three runs or more, no guard.
func (c *Candidate) Shown() bool { return c.Runs >= 3 && c.Guard == "" }

// Candidates are the aliases of all truths, by level, tool, field and names.
func Candidates(truths []Truth) []Candidate {
	found := map[AliasTruth]*Candidate{}
	runs, episodes := map[AliasTruth]string{}, map[AliasTruth]string{}
	rivals := map[AliasTruth]int{}
	for i := range truths {
		for _, a := range truths[i].Aliases {
			k := a
			k.Inferred, k.Episode = false, 0
			c := found[k]
			if c == nil {
				c = &Candidate{Level: a.Level, Tool: a.Tool, Field: a.Field, Rejected: a.Rejected, Accepted: a.Accepted, Kind: a.Kind, Guard: a.Guard}
				found[k] = c
				rivals[rejection(k)]++
			}
			run, episode := runs[k], episodes[k]
			c.Runs += first(&run, truths[i].RunID)
			c.Episodes += first(&episode, fmt.Sprint(truths[i].RunID, a.Episode))
			runs[k], episodes[k] = run, episode
		}
	}
	list := make([]Candidate, 0, len(found))
	for k, c := range found {
		c.Rivals = rivals[rejection(k)] - 1
		list = append(list, *c)
	}
	slices.SortFunc(list, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.Rejected, b.Rejected), cmp.Compare(a.Accepted, b.Accepted))
	})
	return list
}

// rejection is what a pair rejects, without what it accepts.
func rejection(a AliasTruth) AliasTruth {
	return AliasTruth{Level: a.Level, Tool: a.Tool, Field: a.Field, Rejected: a.Rejected}
}
