package ask

import (
	"context"

	"errata/metrics"
	"errata/transcript"
)

// longRun is how many bytes of messages make a run worth not counting anew: counting a megabyte takes about a tenth of a second.
const longRun = 256 << 10

// storedTokens is the row of run_tokens.sql.
type storedTokens struct {
	Messages   int64    `ch:"messages"`
	Turns      int64    `ch:"turns"`
	Calls      int64    `ch:"calls"`
	Errors     int64    `ch:"errors"`
	Input      uint64   `ch:"input_tokens"`
	CacheRead  uint64   `ch:"cache_read_tokens"`
	CacheWrite uint64   `ch:"cache_write_tokens"`
	Output     uint64   `ch:"output_tokens"`
	Estimated  uint64   `ch:"estimated_tokens"`
	Money      int64    `ch:"nano_usd"`
	Unpriced   []string `ch:"unpriced"`

	Threads          []string `ch:"threads"`
	Charged          []uint32 `ch:"charged"`
	Episodes         []uint32 `ch:"episodes"`
	ChargeInput      []uint64 `ch:"input"`
	ChargeCacheRead  []uint64 `ch:"cache_read"`
	ChargeCacheWrite []uint64 `ch:"cache_write"`
	ChargeOutput     []uint64 `ch:"output"`
	ChargeEstimated  []bool   `ch:"estimated"`
	ChargeMoney      []int64  `ch:"money"`
}

// mineWithStoredTokens mines a long run without counting its tokens, and takes those from its stored facts, which other pages
// show as well. It does so only where the stored facts are of the same run as it is read; else nothing is known.
func (db *DB) mineWithStoredTokens(ctx context.Context, run transcript.Run, size int, p parameters) (metrics.Facts, bool) {
	if db.settings.MineUnestimated == nil || size < longRun {
		return metrics.Facts{}, false
	}
	rows, _, err := read[storedTokens](ctx, db, "run_tokens.sql", p)
	if err != nil || len(rows) != 1 {
		return metrics.Facts{}, false
	}
	facts := db.settings.MineUnestimated(run)
	if !rows[0].of(run, facts) {
		return metrics.Facts{}, false
	}
	rows[0].fill(&facts)
	return facts, true
}

// of says whether the stored facts are of the run as it is read: as many messages, turns, calls and errors, and the same turns
// charged to the same episodes.
func (s storedTokens) of(run transcript.Run, facts metrics.Facts) bool {
	messages, errored := 0, 0
	for i := range run.Threads {
		messages += len(run.Threads[i].Messages)
	}
	for i := range facts.Calls {
		if facts.Calls[i].Outcome == metrics.OutcomeError {
			errored++
		}
	}
	if s.Messages != int64(messages) || s.Turns != int64(facts.Run.Turns) || s.Calls != int64(len(facts.Calls)) || s.Errors != int64(errored) {
		return false
	}
	if len(s.Charged) != len(facts.Charges) {
		return false
	}
	for i, c := range facts.Charges {
		if s.Threads[i] != string(c.Thread) || int(s.Charged[i]) != c.Turn || int(s.Episodes[i]) != c.Episode {
			return false
		}
	}
	return true
}

// fill puts the stored tokens into the facts.
func (s storedTokens) fill(facts *metrics.Facts) {
	r := &facts.Run
	r.Usage = transcript.Usage{Input: int64(s.Input), CacheRead: int64(s.CacheRead), CacheWrite: int64(s.CacheWrite), Output: int64(s.Output)}
	r.Estimated, r.Money, r.Unpriced = int64(s.Estimated), s.Money, s.Unpriced
	for i := range facts.Charges {
		c := &facts.Charges[i]
		c.Usage = transcript.Usage{Input: int64(s.ChargeInput[i]), CacheRead: int64(s.ChargeCacheRead[i]), CacheWrite: int64(s.ChargeCacheWrite[i]), Output: int64(s.ChargeOutput[i])}
		c.Estimated, c.Money = s.ChargeEstimated[i], s.ChargeMoney[i]
	}
}
