package store

import (
	"errata/metrics"
	"errata/transcript"
	"time"
)

var callColumns = []column{
	{"calls.time", func(r *Run) any {
		return each(calls(r), func(f metrics.CallFact) time.Time { return storable(f.Time) })
	}},
	{"calls.tool", func(r *Run) any { return each(calls(r), func(f metrics.CallFact) string { return string(f.Tool) }) }},
	{"calls.model", func(r *Run) any { return each(calls(r), func(f metrics.CallFact) string { return f.Model }) }},
	{"calls.variant", func(r *Run) any { return each(calls(r), func(f metrics.CallFact) string { return string(f.Variant) }) }},
	{"calls.outcome", func(r *Run) any { return each(calls(r), func(f metrics.CallFact) string { return string(f.Outcome) }) }},
}

var errorColumns = []column{
	{"errors.time", func(r *Run) any {
		return each(errored(r), func(f metrics.CallFact) time.Time { return storable(f.Time) })
	}},
	{"errors.tool", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) string { return string(f.Tool) }) }},
	{"errors.code", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) string { return string(f.Folded) }) }},
	{"errors.raw_code", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) string { return string(f.Code) }) }},
	{"errors.model", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) string { return f.Model }) }},
	{"errors.variant", func(r *Run) any {
		return each(errored(r), func(f metrics.CallFact) string { return string(f.Variant) })
	}},
	{"errors.thread", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) string { return string(f.Thread) }) }},
	{"errors.turn", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) uint32 { return uint32(f.Turn) }) }},
	{"errors.index", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) uint16 { return uint16(f.Index) }) }},
	{"errors.label", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) string { return string(f.Label) }) }},
	{"errors.sanctioned", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) bool { return f.Sanctioned }) }},
	{"errors.chain", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) uint32 { return uint32(f.Chain) }) }},
	{"errors.obeyed", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) *bool { return f.Obeyed }) }},
	{"errors.honoured", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) *bool { return f.Honoured }) }},
	{"errors.rule", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) string { return f.ErrorRule }) }},
	{"errors.schema", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) string { return f.Error.Schema }) }},
	{"errors.template", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) string { return f.Template }) }},
	{"errors.retryable", func(r *Run) any {
		return each(errored(r), func(f metrics.CallFact) string { return tristate(f.Error.Retryable) })
	}},
	{"errors.next_action", func(r *Run) any {
		return each(errored(r), func(f metrics.CallFact) string { return f.Error.NextAction })
	}},
	{"errors.has", func(r *Run) any {
		return each(errored(r), func(f metrics.CallFact) uint16 { return uint16(metrics.Carries(f.Error)) })
	}},
	{"errors.hash", func(r *Run) any { return each(errored(r), func(f metrics.CallFact) uint64 { return f.Hash }) }},
	{"errors.body_tokens", func(r *Run) any {
		return each(errored(r), func(f metrics.CallFact) uint32 { return uint32(f.BodyTokens) })
	}},
}

var episodeColumns = []column{
	{"episodes.time", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) time.Time { return storable(f.Time) })
	}},
	{"episodes.tool", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) string { return string(f.Tool) })
	}},
	{"episodes.code", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) string { return string(f.Code) })
	}},
	{"episodes.model", func(r *Run) any { return each(r.Facts.Episodes, func(f metrics.EpisodeFact) string { return f.Model }) }},
	{"episodes.variant", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) string { return string(f.Variant) })
	}},
	{"episodes.thread", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) string { return string(f.First.Thread) })
	}},
	{"episodes.turn", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) uint32 { return uint32(f.First.Turn) })
	}},
	{"episodes.index", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) uint16 { return uint16(f.First.Index) })
	}},
	{"episodes.ending", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) string { return string(f.Ending) })
	}},
	{"episodes.reason", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) string { return string(f.Reason) })
	}},
	{"episodes.attempts", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) uint32 { return uint32(f.Attempts) })
	}},
	{"episodes.turns", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) uint32 { return uint32(f.Turns) })
	}},
	{"episodes.seconds", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) float64 { return f.Seconds })
	}},
	{"episodes.serial", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) uint32 { return uint32(f.Serial) })
	}},
	{"episodes.changed", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) uint32 { return uint32(f.Changed) })
	}},
	{"episodes.rejected", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) uint32 { return uint32(f.Rejected) })
	}},
	{"episodes.helpers", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) []any { return helpers(f.Helpers) })
	}},
	{"episodes.streak", func(r *Run) any {
		return each(r.Facts.Episodes, func(f metrics.EpisodeFact) uint32 { return uint32(f.Streak) })
	}},
}

var chargeColumns = []column{
	{"charges.time", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) time.Time { return storable(f.Time) })
	}},
	{"charges.tool", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) string { return string(f.Tool) })
	}},
	{"charges.code", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) string { return string(f.Code) })
	}},
	{"charges.model", func(r *Run) any { return each(r.Facts.Charges, func(f metrics.ChargeFact) string { return f.Model }) }},
	{"charges.variant", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) string { return string(f.Variant) })
	}},
	{"charges.thread", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) string { return string(f.Thread) })
	}},
	{"charges.turn", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) uint32 { return uint32(f.Turn) })
	}},
	{"charges.episode", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) uint32 { return uint32(f.Episode) })
	}},
	{"charges.turns", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) uint8 { return uint8(f.Turns) })
	}},
	{"charges.input", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) uint64 { return count(f.Usage.Input) })
	}},
	{"charges.cache_read", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) uint64 { return count(f.Usage.CacheRead) })
	}},
	{"charges.cache_write", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) uint64 { return count(f.Usage.CacheWrite) })
	}},
	{"charges.output", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) uint64 { return count(f.Usage.Output) })
	}},
	{"charges.estimated", func(r *Run) any { return each(r.Facts.Charges, func(f metrics.ChargeFact) bool { return f.Estimated }) }},
	{"charges.nano_usd", func(r *Run) any { return each(r.Facts.Charges, func(f metrics.ChargeFact) int64 { return f.Money }) }},
	{"charges.seconds", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) float64 { return f.Seconds })
	}},
	{"charges.streak", func(r *Run) any {
		return each(r.Facts.Charges, func(f metrics.ChargeFact) uint32 { return uint32(f.Streak) })
	}},
}

var patternColumns = []column{
	{"patterns.kind", func(r *Run) any {
		return each(r.Facts.Patterns, func(f metrics.PatternFact) string { return string(f.Kind) })
	}},
	{"patterns.time", func(r *Run) any {
		return each(r.Facts.Patterns, func(f metrics.PatternFact) time.Time { return storable(f.Time) })
	}},
	{"patterns.tool", func(r *Run) any {
		return each(r.Facts.Patterns, func(f metrics.PatternFact) string { return string(f.Tool) })
	}},
	{"patterns.code", func(r *Run) any {
		return each(r.Facts.Patterns, func(f metrics.PatternFact) string { return string(f.Code) })
	}},
	{"patterns.model", func(r *Run) any { return each(r.Facts.Patterns, func(f metrics.PatternFact) string { return f.Model }) }},
	{"patterns.variant", func(r *Run) any {
		return each(r.Facts.Patterns, func(f metrics.PatternFact) string { return string(f.Variant) })
	}},
	{"patterns.thread", func(r *Run) any {
		return each(r.Facts.Patterns, func(f metrics.PatternFact) string { return string(f.First.Thread) })
	}},
	{"patterns.turn", func(r *Run) any {
		return each(r.Facts.Patterns, func(f metrics.PatternFact) uint32 { return uint32(f.First.Turn) })
	}},
	{"patterns.length", func(r *Run) any {
		return each(r.Facts.Patterns, func(f metrics.PatternFact) uint32 { return uint32(f.Length) })
	}},
}

var pairColumns = []column{
	{"pairs.level", func(r *Run) any {
		return each(r.Facts.Pairs, func(f metrics.PairFact) string { return string(f.Level) })
	}},
	{"pairs.time", func(r *Run) any {
		return each(r.Facts.Pairs, func(f metrics.PairFact) time.Time { return storable(f.Time) })
	}},
	{"pairs.tool", func(r *Run) any {
		return each(r.Facts.Pairs, func(f metrics.PairFact) string { return string(f.Tool) })
	}},
	{"pairs.code", func(r *Run) any {
		return each(r.Facts.Pairs, func(f metrics.PairFact) string { return string(f.Code) })
	}},
	{"pairs.model", func(r *Run) any { return each(r.Facts.Pairs, func(f metrics.PairFact) string { return f.Model }) }},
	{"pairs.variant", func(r *Run) any {
		return each(r.Facts.Pairs, func(f metrics.PairFact) string { return string(f.Variant) })
	}},
	{"pairs.field", func(r *Run) any { return each(r.Facts.Pairs, func(f metrics.PairFact) string { return f.Field }) }},
	{"pairs.rejected", func(r *Run) any { return each(r.Facts.Pairs, func(f metrics.PairFact) string { return f.Rejected }) }},
	{"pairs.accepted", func(r *Run) any { return each(r.Facts.Pairs, func(f metrics.PairFact) string { return f.Accepted }) }},
	{"pairs.kind", func(r *Run) any { return each(r.Facts.Pairs, func(f metrics.PairFact) string { return f.Kind }) }},
	{"pairs.inferred", func(r *Run) any { return each(r.Facts.Pairs, func(f metrics.PairFact) bool { return f.Inferred }) }},
	{"pairs.episode", func(r *Run) any {
		return each(r.Facts.Pairs, func(f metrics.PairFact) uint32 { return uint32(f.Episode) })
	}},
}

var acceptedColumns = []column{
	{"accepted.tool", func(r *Run) any {
		return each(r.Facts.Accepted, func(f metrics.AcceptedFact) string { return string(f.Tool) })
	}},
	{"accepted.field", func(r *Run) any {
		return each(r.Facts.Accepted, func(f metrics.AcceptedFact) string { return f.Field })
	}},
	{"accepted.calls", func(r *Run) any {
		return each(r.Facts.Accepted, func(f metrics.AcceptedFact) uint32 { return uint32(f.Calls) })
	}},
	{"accepted.values", func(r *Run) any {
		return each(r.Facts.Accepted, func(f metrics.AcceptedFact) []uint32 { return f.Values })
	}},
}

var findingColumns = []column{
	{"findings.finding", func(r *Run) any {
		return each(r.Facts.Findings, func(f metrics.FindingFact) string { return f.Finding })
	}},
	{"findings.time", func(r *Run) any {
		return each(r.Facts.Findings, func(f metrics.FindingFact) time.Time { return storable(f.Time) })
	}},
	{"findings.tool", func(r *Run) any {
		return each(r.Facts.Findings, func(f metrics.FindingFact) string { return string(f.Tool) })
	}},
	{"findings.code", func(r *Run) any {
		return each(r.Facts.Findings, func(f metrics.FindingFact) string { return string(f.Code) })
	}},
	{"findings.model", func(r *Run) any { return each(r.Facts.Findings, func(f metrics.FindingFact) string { return f.Model }) }},
	{"findings.variant", func(r *Run) any {
		return each(r.Facts.Findings, func(f metrics.FindingFact) string { return string(f.Variant) })
	}},
	{"findings.thread", func(r *Run) any {
		return each(r.Facts.Findings, func(f metrics.FindingFact) string { return string(f.Ref.Thread) })
	}},
	{"findings.turn", func(r *Run) any {
		return each(r.Facts.Findings, func(f metrics.FindingFact) uint32 { return uint32(f.Ref.Turn) })
	}},
	{"findings.index", func(r *Run) any {
		return each(r.Facts.Findings, func(f metrics.FindingFact) uint16 { return uint16(f.Ref.Index) })
	}},
}

func tristate(t transcript.Tristate) string {
	switch t {
	case transcript.True:
		return "true"
	case transcript.False:
		return "false"
	}
	return "unset"
}

// helpers gives the tuples of episodes.helpers.
func helpers(facts []metrics.HelperFact) []any {
	out := make([]any, len(facts))
	for i, h := range facts {
		out[i] = []any{string(h.Tool), uint32(h.Calls), count(h.Tokens), h.ValueFromIt, h.NamedByError}
	}
	return out
}
