package ask_test

import (
	"testing"
	"time"

	"errata/metrics"
	"errata/metrics/ask"
	"errata/transcript"
)

// renamedArms are the two arms with the codes that their payloads have: those of a are mined, half of them another than
// the rest; b has one registered code. The shadows of a's runs say so, by the given rule.
func renamedArms(newCode func(run int) transcript.Code) []metrics.Facts {
	runs := twoArms()
	for i := range runs {
		r := &runs[i]
		code := transcript.Code("invalid")
		if i%2 == 0 {
			code = "~bad_value"
			if i%4 == 0 {
				code = "~wrong_value"
			}
			r.Shadows = []metrics.ShadowFact{{
				Time: r.Calls[0].Time, Tool: "search", Model: "gpt", Variant: "a", Shadow: "b",
				OldCode: code, OldTemplate: "template", NewCode: newCode(i),
			}}
		}
		r.Calls[0].Folded, r.Episodes[0].Code, r.Charges[0].Code = code, code, code
	}
	return runs
}

// Where shadow records say which new code an old one is, asking for either compares both, whole: 60 of 100 errors of a
// repeat and 10 of 100 of b.
func TestCompareOfACodeThroughShadowRecords(t *testing.T) {
	f := open(t)
	f.put(renamedArms(func(int) transcript.Code { return "invalid" })...)
	other := run("other", time.Hour) // between other variants, which says nothing about these
	other.Shadows = []metrics.ShadowFact{{Time: t0, Tool: "search", Model: "gpt", Variant: "a", Shadow: "c", OldCode: "~bad_value", NewCode: "odd"}}
	f.put(other)
	want := []ask.Mapping{{Old: "~bad_value", New: "invalid", Count: 50, Share: 1}, {Old: "~wrong_value", New: "invalid", Count: 50, Share: 1}}
	for _, code := range []string{"invalid", "~bad_value", "~wrong_value"} {
		c, err := f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b", Filters: ask.Filters{Code: []string{code}}})
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.Withheld, []string{})
		same(t, c.Mapped, want)
		same(t, c.Filters.Code, []string{code})
		r := row(t, c, "loop_rate")
		same(t, []any{r.AN, r.BN, r.A, r.B}, []any{100, 100, .6, .1})
		r = row(t, c, "recovered_within_3")
		same(t, []any{r.AN, r.BN, r.A, r.B}, []any{100, 100, .5, .9})
		r = row(t, c, "tokens_per_error")
		same(t, []any{r.AN, r.BN, r.A, r.B}, []any{100, 100, 100, 40})
	}
	// Without a code nothing is mapped, since all codes are counted anyhow.
	c, err := f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, c.Mapped, []ask.Mapping{})
}

// An old code of which one in five is another new one is none of them.
func TestCompareOfACodeThatFallsIntoTwo(t *testing.T) {
	f := open(t)
	f.put(renamedArms(func(run int) transcript.Code {
		if run%20 < 4 {
			return "missing"
		}
		return "invalid"
	})...)
	c, err := f.Compare(t.Context(), ask.CompareFilters{A: "a", B: "b", Filters: ask.Filters{Code: []string{"invalid"}}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, c.Mapped, []ask.Mapping{})
	same(t, c.Withheld, []string{ask.WithheldCode})
}

// A payload that nobody was shown yet: before a cutover the records carry it as their shadow, after it the runs see it.
func TestCompareOfACodeAroundACutover(t *testing.T) {
	f := open(t)
	f.put(renamedArms(func(int) transcript.Code { return "invalid" })...)
	c, err := f.Compare(t.Context(), ask.CompareFilters{Cutover: t0.Add(50 * time.Minute), Filters: ask.Filters{Code: []string{"invalid"}}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, len(c.Mapped), 2)
	r := row(t, c, "errors_per_run")
	same(t, []any{r.A, r.B}, []any{1, 1}) // every error of both payloads
}
