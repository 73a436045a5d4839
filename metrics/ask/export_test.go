package ask

import (
	"time"

	"errata/metrics"
)

// Statements cuts a question into what is sent.
func Statements(text string) []string { return statements(text) }

// Settled settles labels and endings in Go, as the view of one run does.
func Settled(s Settings, asOf time.Time, facts metrics.Facts) (labels []metrics.Label, endings []metrics.Ending, reasons []metrics.Reason) {
	settle := settlement{s, asOf, facts.Run}
	for i := range facts.Calls {
		if facts.Calls[i].Outcome == metrics.OutcomeError {
			labels = append(labels, settle.label(&facts.Calls[i]))
		}
	}
	for i := range facts.Episodes {
		ending, reason := settle.ending(&facts.Episodes[i])
		endings, reasons = append(endings, ending), append(reasons, reason)
	}
	return labels, endings, reasons
}
