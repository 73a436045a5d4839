package stats

import (
	"cmp"
	"math"
	"slices"
)

// ToolCount is what one run counted with one tool.
type ToolCount struct {
	Run  int
	Tool int
	X, Y float64
}

// OtherTool stands for the tools that are too rare to be compared alone.
const OtherTool = -1

// leastToolRuns is the number of runs of each arm that a tool needs.
const leastToolRuns = 5

// Mix separates a difference of two arms into what changed within tools and
// what comes from tools being used differently.
type Mix struct {
	// Raw is R_B − R_A, all tools together.
	Raw *float64 `json:"raw"`
	// Standardised is the difference with both arms at the pooled shares of
	// tools, nil where no tool is frequent enough in both arms.
	Standardised *float64 `json:"standardised"`
	Interval     Interval `json:"standardised_interval"`
	// Effect is Raw − Standardised, with an interval that takes both from the
	// same runs.
	Effect         *float64 `json:"effect"`
	EffectInterval Interval `json:"effect_interval"`
	// Pooled are the tools that were taken together as OtherTool.
	Pooled []int `json:"pooled"`
	// Lost is the share of units of tools that could not be compared at all.
	Lost float64 `json:"lost"`
	// Flagged says that the raw difference misleads: its sign differs from
	// the standardised one, or the effect's interval excludes 0.
	Flagged bool `json:"flagged"`
}

// NewMix standardises over tools, never over codes, which the variant itself
// changes. Tools with under five runs in an arm are pooled; if together they
// still have fewer, their weight is lost and the others' scaled up to 1.
//
// Source: direct standardisation, Kitagawa 1955; variance by the residuals of
// runs with the weights held.
func NewMix(a, b []ToolCount) Mix {
	var m Mix
	a, b, m.Pooled = poolRare(a, b)
	armA, armB := newMixArm(a), newMixArm(b)
	if armA.x == 0 || armB.x == 0 {
		return m
	}
	raw := armB.y/armB.x - armA.y/armA.x
	m.Raw = known(raw)
	weights, lost := mixWeights(armA, armB)
	m.Lost = lost
	if len(weights) == 0 {
		return m
	}
	standardised := 0.0
	for _, w := range weights {
		standardised += w.share * (armB.ratio(w.tool) - armA.ratio(w.tool))
	}
	m.Standardised, m.Effect = known(standardised), known(raw-standardised)
	m.Interval, m.EffectInterval = mixIntervals(armA, armB, weights)
	m.Flagged = raw*standardised < 0 || m.EffectInterval.Excludes(0)
	return m
}

// mixIntervals are Welch's intervals of the standardised difference and of the
// mix effect.
func mixIntervals(a, b mixArm, weights []toolWeight) (standardised, effect Interval) {
	if a.runs < 2 || b.runs < 2 {
		return Interval{}, Interval{}
	}
	ownA, effectA := a.estimates(weights)
	ownB, effectB := b.estimates(weights)
	return Arms{A: ownA, B: ownB}.Fixed(), Arms{A: effectA, B: effectB}.Fixed()
}

// toolWeight is a tool's share of the units of both arms.
type toolWeight struct {
	tool  int
	share float64
}

// toolSum is what an arm counted with one tool.
type toolSum struct {
	runs, x, y float64
}

// mixArm is one arm's counts, sorted by run, with the sums by tool.
type mixArm struct {
	counts     []ToolCount
	tools      map[int]toolSum
	runs, x, y float64
}

func newMixArm(counts []ToolCount) mixArm {
	arm := mixArm{tools: map[int]toolSum{}, counts: counts}
	for i, c := range counts {
		s := arm.tools[c.Tool]
		if i == 0 || counts[i-1].Run != c.Run {
			arm.runs++
		}
		if i == 0 || counts[i-1].Run != c.Run || counts[i-1].Tool != c.Tool {
			s.runs++
		}
		s.x += c.X
		s.y += c.Y
		arm.tools[c.Tool] = s
		arm.x += c.X
		arm.y += c.Y
	}
	return arm
}

// ratio is the tool's R in this arm.
func (m mixArm) ratio(tool int) float64 {
	s := m.tools[tool]
	return s.y / s.x
}

// estimates are the arm's ratio at the given weights of tools, and what its
// raw ratio has beyond that, each with the variance n/(n−1)·Σu² of its
// residuals by run.
func (m mixArm) estimates(weights []toolWeight) (standardised, effect Estimate) {
	share := map[int]float64{}
	r := m.y / m.x
	for _, w := range weights {
		share[w.tool] = w.share
		standardised.Value += w.share * m.ratio(w.tool)
	}
	var u, v, sumU, sumV float64
	for i, c := range m.counts {
		if w, ok := share[c.Tool]; ok {
			u += w * (c.Y - m.ratio(c.Tool)*c.X) / m.tools[c.Tool].x
		}
		v += (c.Y - r*c.X) / m.x
		if i+1 < len(m.counts) && m.counts[i+1].Run == c.Run {
			continue
		}
		sumU += u * u
		sumV += (v - u) * (v - u)
		u, v = 0, 0
	}
	// Where nothing is mixed the two ratios are one, but for rounding.
	if sumV < 1e-20*math.Max(1, r*r) {
		sumV = 0
	}
	scale := m.runs / (m.runs - 1)
	standardised.Runs, standardised.Variance = m.runs, scale*sumU
	effect = Estimate{Runs: m.runs, Value: r - standardised.Value, Variance: scale * sumV}
	return standardised, effect
}

// poolRare takes counts without units out, renames the tools that have under
// five runs in an arm to OtherTool, and sorts.
func poolRare(a, b []ToolCount) (pooledA, pooledB []ToolCount, rare []int) {
	a, b = sortedCounts(a), sortedCounts(b)
	armA, armB := newMixArm(a), newMixArm(b)
	seen := map[int]bool{}
	for _, c := range slices.Concat(a, b) {
		few := armA.tools[c.Tool].runs < leastToolRuns || armB.tools[c.Tool].runs < leastToolRuns
		if few && !seen[c.Tool] {
			seen[c.Tool] = true
			rare = append(rare, c.Tool)
		}
	}
	for _, counts := range [][]ToolCount{a, b} {
		for i := range counts {
			if seen[counts[i].Tool] {
				counts[i].Tool = OtherTool
			}
		}
	}
	slices.Sort(rare)
	return sortedCounts(a), sortedCounts(b), rare
}

// sortedCounts is a copy by run and tool without what counted nothing.
func sortedCounts(counts []ToolCount) []ToolCount {
	kept := make([]ToolCount, 0, len(counts))
	for _, c := range counts {
		if c.X > 0 {
			kept = append(kept, c)
		}
	}
	slices.SortFunc(kept, func(a, b ToolCount) int {
		return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Tool, b.Tool))
	})
	return kept
}

// mixWeights are the pooled shares of the tools that both arms can be compared
// on, in the order of tools, and the share of the units that is left out.
func mixWeights(a, b mixArm) (weights []toolWeight, lost float64) {
	all, kept := a.x+b.x, 0.0
	for tool, s := range a.tools {
		o := b.tools[tool]
		if s.runs < leastToolRuns || o.runs < leastToolRuns {
			continue
		}
		weights = append(weights, toolWeight{tool: tool, share: s.x + o.x})
	}
	slices.SortFunc(weights, func(x, y toolWeight) int { return cmp.Compare(x.tool, y.tool) })
	for _, w := range weights {
		kept += w.share
	}
	for i := range weights {
		weights[i].share /= kept
	}
	return weights, 1 - kept/all
}
