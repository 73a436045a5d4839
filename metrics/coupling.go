package metrics

import (
	"maps"
	"slices"
	"strings"

	"errata/transcript"
)

// Bounds of what is searched for the value that worked.
const (
	maxHelperCalls = 256       // ok calls before a recovery, the latest ones
	maxHelperBody  = 256 << 10 // bytes of one result
	maxHelperText  = 1 << 20   // bytes of the results before one recovery, from its end on
	maxWorked      = 16        // values
)

// findHelpers lists the tools whose ok calls stand between an episode's first error and its recovery: in turns after the
// one and before the other, since calls of the same turn were made without knowing of it.
func (s *threadState) findHelpers(e *episode) []HelperFact {
	first, success := &s.calls[e.first()], &s.calls[e.last()]
	worked := s.workedValues(e)
	byTool := map[transcript.Tool]*HelperFact{}
	seen, text := 0, maxHelperText
	for i := s.turn(success.fact.Turn).calls.from - 1; i >= 0 && seen < maxHelperCalls; i-- {
		c := &s.calls[i]
		if c.fact.Turn <= first.fact.Turn {
			break
		}
		if c.fact.Outcome != OutcomeOK || c.fact.Tool == e.tool || !s.isBetween(first, c, success) {
			continue
		}
		seen++
		helper := byTool[c.fact.Tool]
		if helper == nil {
			helper = &HelperFact{Tool: c.fact.Tool, NamedByError: s.namedByError(e, c.fact.Tool)}
			byTool[c.fact.Tool] = helper
		}
		helper.Calls++
		helper.Tokens += s.resultTokens(c)
		if !helper.ValueFromIt && c.result != nil {
			body := cut(c.result.Body, min(maxHelperBody, text))
			text -= len(body)
			helper.ValueFromIt = occurs(worked, body)
		}
	}
	helpers := make([]HelperFact, 0, len(byTool))
	for _, tool := range slices.Sorted(maps.Keys(byTool)) {
		helpers = append(helpers, *byTool[tool])
	}
	return helpers
}

func (s *threadState) isBetween(first, c, success *callState) bool {
	return !s.branched ||
		s.isAncestor(first.fact.Turn, c.fact.Turn) && s.isAncestor(c.fact.Turn, success.fact.Turn)
}

func (s *threadState) resultTokens(c *callState) int64 {
	if c.tokens < 0 {
		c.tokens = bodyTokens(s.env.Tokens, c.fact.Model, c.result)
	}
	return c.tokens
}

// workedValues lists the texts that finally worked: the name of the tool where another one was asked for, else the values
// of the recovering call that the last rejected one did not have in their places; where errors blame some of those
// arguments, only they count.
func (s *threadState) workedValues(e *episode) []string {
	success := &s.calls[e.last()]
	if success.fact.Tool != e.tool {
		return []string{string(success.fact.Tool)}
	}
	var rejected *callState
	var blamed []string
	for _, i := range e.calls[:len(e.calls)-1] {
		if s.calls[i].errored() {
			rejected = &s.calls[i]
			blamed = append(blamed, rejected.faulty(success)...)
		}
	}
	changed := slices.DeleteFunc(differences(rejected.leaves, success.leaves), func(d difference) bool {
		return d.isRenamed || d.equal() || d.after == ""
	})
	isBlamed := func(d difference) bool { return blames(blamed, d.pointer) }
	restricted := slices.ContainsFunc(changed, isBlamed)
	var values []string
	for _, d := range changed {
		if restricted && !isBlamed(d) || len(values) >= maxWorked {
			continue
		}
		if text, ok := scalarText(d.after); ok && strings.TrimSpace(text) != "" {
			values = append(values, text)
			if inner := strings.Trim(d.after, `"`); inner != text {
				values = append(values, inner) // as it stands in a result that is JSON
			}
		}
	}
	return values
}

func occurs(values []string, body string) bool {
	return slices.ContainsFunc(values, func(value string) bool { return standsIn(body, value) })
}

// namedByError tells whether an error of the episode names a tool.
func (s *threadState) namedByError(e *episode, tool transcript.Tool) bool {
	for _, i := range e.calls[:min(len(e.calls), maxHelperCalls)] {
		c := &s.calls[i]
		if !c.errored() {
			continue
		}
		said := &c.fact.Error
		for _, text := range [3]string{said.Message, said.Hint, said.NextAction} {
			if standsIn(foldCase(cut(text, maxMessage)), foldCase(string(tool))) {
				return true
			}
		}
		for j := range said.Fields {
			if standsIn(foldCase(cut(said.Fields[j].Message, maxMessage)), foldCase(string(tool))) {
				return true
			}
		}
	}
	return false
}
