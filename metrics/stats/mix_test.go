package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// perTool makes n runs with x units and y hits each of one tool.
func perTool(counts []ToolCount, tool, n int, x, y float64) []ToolCount {
	for range n {
		counts = append(counts, ToolCount{Run: len(counts), Tool: tool, X: x, Y: y})
	}
	return counts
}

// Simpson's paradox by hand. A: tool 1 has 80 runs of 10 with 2 hits, tool 2
// 20 of 10 with 6; B: tool 1 20 with 1, tool 2 80 with 5. Raw: A .28, B .42,
// difference +.14. Each tool fell by .1, so that the standardised difference
// is −.1 and the mix effect +.24.
func TestMixByHand(t *testing.T) {
	a := perTool(perTool(nil, 1, 80, 10, 2), 2, 20, 10, 6)
	b := perTool(perTool(nil, 1, 20, 10, 1), 2, 80, 10, 5)
	a = append(a, ToolCount{Run: 0, Tool: 2, X: 0, Y: 0})
	m := NewMix(a, b)
	near(t, "raw", value(t, "raw", m.Raw), .14, 1e-12)
	near(t, "standardised", value(t, "standardised", m.Standardised), -.1, 1e-12)
	near(t, "effect", value(t, "effect", m.Effect), .24, 1e-12)
	if !m.Flagged || m.Lost != 0 || len(m.Pooled) != 0 {
		t.Errorf("%+v", m)
	}
}

func TestMixOfRareTools(t *testing.T) {
	a := perTool(perTool(perTool(nil, 1, 40, 1, 0), 7, 4, 1, 1), 8, 4, 1, 0)
	b := perTool(perTool(perTool(nil, 1, 40, 1, 1), 7, 3, 1, 1), 8, 3, 1, 0)
	m := NewMix(a, b)
	if len(m.Pooled) != 2 || m.Lost != 0 {
		t.Errorf("two rare tools of 8 and 6 runs make one: %+v", m)
	}
	// Weights 80/94 and 14/94: .8511·1 + .1489·(3/6 − 4/8).
	near(t, "standardised", value(t, "standardised", m.Standardised), 80.0/94, 1e-12)
	lost := NewMix(perTool(perTool(nil, 1, 40, 1, 0), 7, 10, 1, 1), perTool(nil, 1, 50, 1, 1))
	near(t, "lost", lost.Lost, .1, 1e-12)
	near(t, "standardised", value(t, "standardised", lost.Standardised), 1, 1e-12)
}

func TestMixOfTooLittle(t *testing.T) {
	some := perTool(nil, 1, 40, 1, 0)
	if m := NewMix(nil, some); m.Raw != nil || m.Standardised != nil || m.Flagged {
		t.Errorf("an empty arm: %+v", m)
	}
	if m := NewMix(perTool(nil, 1, 3, 1, 1), some); m.Raw == nil || m.Standardised != nil || m.Lost != 1 {
		t.Errorf("no comparable tool: %+v", m)
	}
}

// With one tool the standardised comparison is the raw one, with the same
// interval, and nothing is mixed.
func TestMixOfOneTool(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	var counts [2][]ToolCount
	var moments [2]Moments
	for arm := range counts {
		for i := range 60 {
			x := 1 + random.IntN(5)
			c := ToolCount{Run: i, Tool: 3, X: float64(x), Y: float64(random.IntN(x + 1))}
			counts[arm] = append(counts[arm], c)
			moments[arm].Add(c.X, c.Y)
		}
	}
	m := NewMix(counts[0], counts[1])
	d := RatioArms(moments[0], moments[1]).Difference(Sequence{})
	near(t, "low", value(t, "low", m.Interval.Low), *d.Fixed.Low, 1e-12)
	near(t, "high", value(t, "high", m.Interval.High), *d.Fixed.High, 1e-12)
	if m.EffectInterval.Low != nil || m.Flagged || math.Abs(*m.Effect) > 1e-12 {
		t.Errorf("one tool has a mix effect: %+v", m)
	}
}
