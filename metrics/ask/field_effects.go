package ask

import (
	"cmp"
	"context"
	"slices"

	"errata/metrics"
	"errata/metrics/stats"
)

// FieldEffect is how the first errors of a code in a run are followed, where they carry a field and where they do not. It
// is an association: what carries a field may differ in other ways, unless its presence was drawn at random.
type FieldEffect struct {
	Code          string             `json:"code"`
	Field         string             `json:"field"`
	WithN         int64              `json:"with_n"`
	WithoutN      int64              `json:"without_n"`
	SharesWith    map[string]float64 `json:"shares_with"` // by label
	SharesWithout map[string]float64 `json:"shares_without"`
	P             *float64           `json:"p"`
	Verdict       stats.FieldVerdict `json:"verdict"`
	Association   bool               `json:"association"`
}

// fieldRow is a row of field_effects.sql.
type fieldRow struct {
	Code    string `ch:"code"`
	Variant string `ch:"variant"`
	Tool    string `ch:"tool"`
	Has     int64  `ch:"has"`
	What    string `ch:"what"`
	Runs    int64  `ch:"runs"`
}

// effectFields are the fields that are compared, with the bit that says an error carries it.
var effectFields = []struct {
	name string
	bit  metrics.Presence
}{
	{"hint", metrics.CarriesHint},
	{"received", metrics.CarriesReceived},
	{"allowed", metrics.CarriesAllowed},
	{"did_you_mean", metrics.CarriesDidYouMean},
	{"field", metrics.CarriesField},
	{"retryable", metrics.CarriesRetryable},
}

// effectLabels is the order of labels in stats.FieldCounts.
var effectLabels = [stats.Labels]string{"repeat", "corrected", "switched", "replied", "user", "ended"}

// mostEffects bounds how many pairs of a code and a field are tested, those with the most runs on their rarer side: each
// costs thousands of permutations. What is not tested is not shown, so that the correction is over all that is shown.
const mostEffects = 60

// FieldEffects asks what each field of an error does to the next call. Pairs whose errors all carry the field, or none, have
// nothing to compare and are left out.
func (db *DB) FieldEffects(ctx context.Context, f Filters) (Answer[FieldEffect], error) {
	if len(f.By) > 0 {
		return Answer[FieldEffect]{}, invalid("by", "field effects are by code and field; leave out by")
	}
	f, _, err := db.settled(ctx, f)
	if err != nil {
		return Answer[FieldEffect]{}, err
	}
	rows, q, err := read[fieldRow](ctx, db, "field_effects.sql", f.parameters(db.settings))
	if err != nil {
		return Answer[FieldEffect]{}, err
	}
	a := answer[FieldEffect](f, q)
	pairs := fieldPairs(rows)
	effects := make([]stats.FieldEffect, len(pairs))
	for i, pair := range pairs {
		effects[i] = stats.NewFieldEffect(pair.counts(), effectSeed)
	}
	verdicts := stats.JudgeFields(effects)
	for i, pair := range pairs {
		a.Rows = append(a.Rows, FieldEffect{
			Code: pair.code, Field: pair.field, WithN: int64(effects[i].With), WithoutN: int64(effects[i].Without),
			SharesWith: byLabel(effects[i].SharesWith), SharesWithout: byLabel(effects[i].SharesWithout),
			P: effects[i].P, Verdict: verdicts[i], Association: true,
		})
	}
	return a, nil
}

// effectSeed makes permutations the same at every look.
const effectSeed = 1

// fieldPair is one code and field, with the runs by stratum.
type fieldPair struct {
	code, field   string
	strata        map[[2]string]*stats.FieldCounts
	with, without int
}

// counts are the strata in a fixed order, on which the permutations depend.
func (p *fieldPair) counts() []stats.FieldCounts {
	keys := make([][2]string, 0, len(p.strata))
	for key := range p.strata {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	counts := make([]stats.FieldCounts, len(keys))
	for i, key := range keys {
		counts[i] = *p.strata[key]
	}
	return counts
}

// fieldPairs sorts runs into pairs, and keeps those that can be compared, by code.
func fieldPairs(rows []fieldRow) []*fieldPair {
	var pairs []*fieldPair
	for start := 0; start < len(rows); {
		end := start
		for end < len(rows) && rows[end].Code == rows[start].Code {
			end++
		}
		for _, field := range effectFields {
			pair := newFieldPair(field.name, field.bit, rows[start:end])
			if pair.with > 0 && pair.without > 0 {
				pairs = append(pairs, pair)
			}
		}
		start = end
	}
	if len(pairs) > mostEffects {
		slices.SortStableFunc(pairs, func(a, b *fieldPair) int { return cmp.Compare(min(b.with, b.without), min(a.with, a.without)) })
		pairs = pairs[:mostEffects]
		slices.SortStableFunc(pairs, func(a, b *fieldPair) int { return cmp.Compare(a.code, b.code) })
	}
	return pairs
}

func newFieldPair(field string, bit metrics.Presence, rows []fieldRow) *fieldPair {
	pair := &fieldPair{code: rows[0].Code, field: field, strata: map[[2]string]*stats.FieldCounts{}}
	for _, row := range rows {
		label := slices.Index(effectLabels[:], row.What)
		if label < 0 {
			continue
		}
		key := [2]string{row.Variant, row.Tool}
		counts := pair.strata[key]
		if counts == nil {
			counts = &stats.FieldCounts{}
			pair.strata[key] = counts
		}
		if metrics.Presence(row.Has)&bit != 0 {
			counts.With[label] += int(row.Runs)
			pair.with += int(row.Runs)
		} else {
			counts.Without[label] += int(row.Runs)
			pair.without += int(row.Runs)
		}
	}
	return pair
}

// byLabel names shares by their labels.
func byLabel(shares []float64) map[string]float64 {
	if shares == nil {
		return nil
	}
	named := make(map[string]float64, len(shares))
	for i, share := range shares {
		named[effectLabels[i]] = share
	}
	return named
}
