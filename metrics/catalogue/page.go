package catalogue

import (
	"fmt"
	"strings"

	"errata/metrics"
)

// Page is docs/metrics.md.
func Page() string {
	var b strings.Builder
	b.WriteString("# What each number means\n\nMade from the records of `metrics/catalogue` and `metrics` by `go generate ./metrics/catalogue`. Do not edit.\n")
	for _, section := range Sections {
		fmt.Fprintf(&b, "\n## %s\n\n`GET /api/v1/%s`\n", section.Title, section.Endpoint)
		for _, m := range section.Metrics {
			fmt.Fprintf(&b, "\n### `%s`\n\n%s %s\n\n- Formula: %s\n- Unit: %s; %s\n- It cannot say: %s\n",
				m.Name, m.Question, m.Definition, m.Formula, m.Unit, m.Direction, m.CannotSay)
			if m.Fields != "" {
				fmt.Fprintf(&b, "- Fields: `%s`\n", strings.ReplaceAll(m.Fields, ", ", "`, `"))
			}
		}
	}
	b.WriteString("\n## Findings of the contract\n\n`GET /api/v1/findings`\n\n| finding | what it says |\n| --- | --- |\n")
	for _, rule := range metrics.ContractRules {
		text := rule.Text
		if rule.Registry {
			text += " Needs a registry of codes."
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", rule.Name, text)
	}
	b.WriteString("\n## Rules that judge results\n\nThe first that applies wins; `error_rule` names it.\n\n| rule | what it says |\n| --- | --- |\n")
	for _, rule := range metrics.JudgeRules {
		fmt.Fprintf(&b, "| `%s` | %s |\n", rule.Name, rule.Text)
	}
	return b.String()
}
