package ask

import (
	"time"

	"errata/metrics"
)

// settlement settles the facts of one run against a time, as the fragments ended, label and ending do for the tables. A
// test holds both to the same answers.
type settlement struct {
	settings Settings
	asOf     time.Time
	run      metrics.RunFact
}

// ended says whether the run has ended.
func (s settlement) ended() bool {
	return s.run.Meta.Ended || s.asOf.After(s.run.LastActivity.Add(s.settings.IdleLimit))
}

// label is the label of an errored call as it is known.
func (s settlement) label(c *metrics.CallFact) metrics.Label {
	if c.Label != metrics.LabelNone {
		return c.Label
	}
	if s.ended() || s.run.Timed && !s.asOf.Before(c.Time.Add(s.settings.LabelHorizon)) {
		return metrics.LabelEnded
	}
	return metrics.LabelNone
}

// ending is the ending of an episode as it is known, with the reason where it was abandoned.
func (s settlement) ending(e *metrics.EpisodeFact) (metrics.Ending, metrics.Reason) {
	ending, reason := e.Ending, e.Reason
	if ending == metrics.EndingOpen && s.ended() {
		ending = metrics.EndingAbandoned
	}
	switch {
	case ending != metrics.EndingAbandoned:
		reason = ""
	case reason == "":
		reason = metrics.ReasonStopped
	}
	return ending, reason
}
