package ask

import (
	"context"
	"slices"
)

// Mapping says that what one payload has the code Old for has the code New in the other: in Count of the shadow records
// in which both call it an error, which are Share of all that have Old.
type Mapping struct {
	Old   string  `json:"old_code"`
	New   string  `json:"new_code"`
	Count int64   `json:"count"`
	Share float64 `json:"share"`
}

// leastAgreement is the share of an old code's shadow records that must have one new code, so that the old one counts as
// it. Where an old code falls into several new ones, what is counted under it would be compared with a part of itself.
const leastAgreement = .9

// mappingRow is a row of compare_codes.sql.
type mappingRow struct {
	Old   string `ch:"old_code"`
	New   string `ch:"new_code"`
	Count int64  `ch:"count"`
}

// readMappings reads which codes of the two payloads are the same by their shadow records. Where no code is asked about
// nothing needs to be told apart.
func (db *DB) readMappings(ctx context.Context, f CompareFilters) ([]Mapping, error) {
	if len(f.Code) == 0 {
		return []Mapping{}, nil
	}
	any := f
	any.Code = nil
	rows, _, err := read[mappingRow](ctx, db, "compare_codes.sql", any.compareParameters(db.settings))
	if err != nil {
		return nil, err
	}
	return mappings(rows), nil
}

// mappings keeps, of each old code, the new one on which nearly all of its shadow records agree. Rows are in the order of
// old codes, the most frequent new one first.
func mappings(rows []mappingRow) []Mapping {
	kept := []Mapping{}
	for len(rows) > 0 {
		n, all := 0, int64(0)
		for n < len(rows) && rows[n].Old == rows[0].Old {
			all += rows[n].Count
			n++
		}
		first := rows[0]
		if share := float64(first.Count) / float64(all); share >= leastAgreement && first.Old != first.New {
			kept = append(kept, Mapping{first.Old, first.New, first.Count, share})
		}
		rows = rows[n:]
	}
	return kept
}

// mapped adds to the codes that are asked about those that the other payload has for the same, and gives the mappings that
// were used. Whoever asks for one of several old codes of a new one asks for all of them: the other arm cannot tell them
// apart.
func mapped(codes []string, all []Mapping) ([]string, []Mapping) {
	codes, used := slices.Clone(codes), []Mapping{}
	for grown := true; grown; {
		grown = false
		for _, m := range all {
			old, new := slices.Contains(codes, m.Old), slices.Contains(codes, m.New)
			switch {
			case old == new:
				continue
			case old:
				codes = append(codes, m.New)
			default:
				codes = append(codes, m.Old)
			}
			grown = true
		}
	}
	for _, m := range all {
		if slices.Contains(codes, m.Old) {
			used = append(used, m)
		}
	}
	return codes, used
}
