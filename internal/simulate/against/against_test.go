// Package against holds what is mined from simulated runs against the truth of
// the simulation: two ways to the same figures that share nothing but the
// specification.
package against

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"errata/internal/simulate"
	"errata/metrics"
	"errata/pipeline/assemble"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// nothing is a store that holds nothing.
type nothing struct{}

func (nothing) Load(context.Context, []transcript.RunID) (map[transcript.RunID][]transcript.Row, error) {
	return nil, nil
}

// mined decodes the records one by one, assembles them and mines the run.
func mined(t *testing.T, records []simulate.Record) metrics.Facts {
	t.Helper()
	a, err := assemble.New(assemble.DefaultConfig(), nothing{})
	if err != nil {
		t.Fatal(err)
	}
	var run transcript.Run
	for _, r := range records {
		out, _, err := format.Decode(dialect.Input{Value: r.Value, Key: r.Key}, format.DefaultLimits())
		if err != nil || len(out.Rejects) > 0 {
			t.Fatalf("decode a record of %s: %v, %v", r.Key, err, out.Rejects)
		}
		batch, err := a.Batch(t.Context(), []assemble.Arrival{{Fragments: out.Fragments, Time: r.Time}})
		if err != nil || len(batch.Rejects) > 0 {
			t.Fatalf("assemble a record of %s: %v, %v", r.Key, err, batch.Rejects)
		}
		for _, c := range batch.Changed {
			run = c.Run
		}
	}
	return metrics.Mine(run, metrics.Env{})
}

// skipUntilJudged skips where errors are not told from results.
func skipUntilJudged(t *testing.T) {
	t.Helper()
	body := transcript.Result{Body: `{"error":"Invalid status"}`}
	if metrics.DefaultRules().Judge(transcript.Call{Tool: "t"}, &body).Outcome != metrics.OutcomeError {
		t.Skip("this build does not judge results")
	}
}

func TestMinedAsSimulated(t *testing.T) {
	skipUntilJudged(t)
	cfg := simulate.Small()
	for seed := range uint64(6) {
		cfg.Seed = seed
		for r := range simulate.Generate(cfg) {
			compare(t, "whole", mined(t, r.Records), &r.Truth)
			if t.Failed() {
				t.Fatalf("seed %d, run %s, scenes %v", seed, r.ID, r.Truth.Scenes)
			}
		}
	}
}

func TestMinedAsSimulatedInEveryForm(t *testing.T) {
	skipUntilJudged(t)
	for r := range simulate.Generate(simulate.Small()) {
		for _, form := range []string{simulate.OpenAI, simulate.Anthropic, simulate.Gemini} {
			as := r.As(form)
			compare(t, form, mined(t, as.Records), &as.Truth)
		}
		if t.Failed() {
			t.Fatalf("run %s, scenes %v", r.ID, r.Truth.Scenes)
		}
	}
}

func TestMinedAsSimulatedHoweverCut(t *testing.T) {
	skipUntilJudged(t)
	seed := uint64(0)
	for r := range simulate.Generate(simulate.Small()) {
		seed++
		compare(t, "increments in disorder", mined(t, simulate.Disordered(r.Increments(5), seed)), &r.Truth)
		compare(t, "snapshots in disorder", mined(t, simulate.Disordered(r.Snapshots(4), seed)), &r.Truth)
		mixed := append(r.Increments(3), r.Snapshots(3)...)
		compare(t, "both in disorder", mined(t, simulate.Disordered(mixed, seed)), &r.Truth)
		if t.Failed() {
			t.Fatalf("run %s, scenes %v", r.ID, r.Truth.Scenes)
		}
	}
}

// compare tells which lines only one side has.
func compare(t *testing.T, how string, f metrics.Facts, truth *simulate.Truth) {
	t.Helper()
	got, want := factLines(&f), truthLines(truth)
	slices.Sort(got)
	slices.Sort(want)
	only := func(a, b []string) string {
		var lines []string
		for _, l := range a {
			if !slices.Contains(b, l) {
				lines = append(lines, l)
			}
		}
		return strings.Join(lines, "\n  ")
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s as %s\n only mined:\n  %s\n only simulated:\n  %s", truth.RunID, how, only(got, want), only(want, got))
	}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// place is how both sides name an episode.
func place(thread string, turn int, tool string) string {
	return fmt.Sprintf("%q/%d/%s", thread, turn, tool)
}

func truthLines(t *simulate.Truth) []string {
	lines := []string{
		fmt.Sprintf("run %s %s %s turns %d tokens %+v from %s to %s", t.RunID, t.Agent, t.Model, t.Turns, t.Tokens, stamp(t.Started), stamp(t.LastActivity)),
		fmt.Sprintf("patterns idle_repeat %d stuck_streak %d cycle %d", t.IdleRepeats, t.StuckStreaks, t.Cycles),
	}
	for _, c := range t.Calls {
		lines = append(lines, fmt.Sprintf("call %q/%d/%d %s %s %s %s %s", c.Thread, c.Turn, c.Index, c.ID, c.Tool, c.Outcome, c.Variant, stamp(c.Time)))
	}
	for _, e := range t.Errors {
		honoured := "-"
		if e.Honoured != nil {
			honoured = fmt.Sprint(*e.Honoured)
		}
		lines = append(lines, fmt.Sprintf("error %s %s %q sanctioned %v honoured %s", e.ID, e.Code, e.Label, e.Sanctioned && e.Label == simulate.Repeat, honoured))
	}
	for _, c := range t.Chains {
		lines = append(lines, fmt.Sprintf("chain %q %s %s %d at %s", c.Thread, c.Tool, c.Code, c.Repeats, stamp(c.Time)))
	}
	settled := t.Settled()
	for i, e := range t.Episodes {
		at := place(e.Thread, e.Turn, e.Tool)
		lines = append(lines, fmt.Sprintf("episode %s %s %s %s %s attempts %d turns %d seconds %.3f at %s serial %d collateral %d", at, e.Code, e.Variant,
			e.Ending, settled.Episodes[i].Reason, e.Attempts, e.Turns, e.Seconds, stamp(e.Opened), e.SerialFaults, e.CollateralChanged))
		for _, h := range e.Helpers {
			lines = append(lines, fmt.Sprintf("helper %s %s %d value %v named %v", at, h.Tool, h.Calls, h.ValueFromHelper, h.NamedByError))
		}
	}
	for _, c := range t.Charges {
		e := t.Episodes[c.Episode]
		lines = append(lines, fmt.Sprintf("charge %d to %s %s %s turns %d tokens %+v at %s", c.Turn, place(e.Thread, e.Turn, e.Tool), c.Code, c.Variant, c.Turns, c.Tokens, stamp(c.Time)))
	}
	for _, a := range t.Aliases {
		e := t.Episodes[a.Episode]
		lines = append(lines, fmt.Sprintf("alias %s %s %s→%s %s inferred %v of %s", a.Level, a.Field, a.Rejected, a.Accepted, a.Kind, a.Inferred, place(e.Thread, e.Turn, e.Tool)))
	}
	return lines
}

func factLines(f *metrics.Facts) []string {
	lines := []string{fmt.Sprintf("run %s %s %s turns %d tokens %+v from %s to %s", f.Run.Meta.ID, f.Run.Meta.Agent, f.Run.Meta.Model, f.Run.Turns,
		simulate.Tokens(f.Run.Usage), stamp(f.Run.Started), stamp(f.Run.LastActivity))}
	count := map[metrics.PatternKind]int{}
	for _, p := range f.Patterns {
		count[p.Kind]++
	}
	lines = append(lines, fmt.Sprintf("patterns idle_repeat %d stuck_streak %d cycle %d",
		count[metrics.PatternIdleRepeat], count[metrics.PatternStuckStreak], count[metrics.PatternCycle]))
	for i := range f.Calls {
		lines = append(lines, callLines(&f.Calls[i])...)
	}
	var places []string
	for _, e := range f.Episodes {
		at := place(string(e.First.Thread), e.First.Turn, string(e.Tool))
		places = append(places, at)
		lines = append(lines, fmt.Sprintf("episode %s %s %s %s %s attempts %d turns %d seconds %.3f at %s serial %d collateral %d", at, e.Code, e.Variant,
			e.Ending, e.Reason, e.Attempts, e.Turns, e.Seconds, stamp(e.Time), e.Serial, e.Changed))
		for _, h := range e.Helpers {
			lines = append(lines, fmt.Sprintf("helper %s %s %d value %v named %v", at, h.Tool, h.Calls, h.ValueFromIt, h.NamedByError))
		}
	}
	for _, c := range f.Charges {
		lines = append(lines, fmt.Sprintf("charge %d to %s %s %s turns %d tokens %+v at %s", c.Turn, places[c.Episode], c.Code, c.Variant, c.Turns, simulate.Tokens(c.Usage), stamp(c.Time)))
	}
	return append(lines, pairLines(f, places)...)
}

func callLines(c *metrics.CallFact) []string {
	lines := []string{fmt.Sprintf("call %q/%d/%d %s %s %s %s %s", c.Thread, c.Turn, c.Index, c.ID, c.Tool, c.Outcome, c.Variant, stamp(c.Time))}
	if c.Outcome != metrics.OutcomeError {
		return lines
	}
	honoured := "-"
	if c.Honoured != nil {
		honoured = fmt.Sprint(*c.Honoured)
	}
	lines = append(lines, fmt.Sprintf("error %s %s %q sanctioned %v honoured %s", c.ID, c.Folded, c.Label, c.Sanctioned, honoured))
	if c.Chain > 0 {
		lines = append(lines, fmt.Sprintf("chain %q %s %s %d at %s", c.Thread, c.Tool, c.Folded, c.Chain, stamp(c.Time)))
	}
	return lines
}

// pairLines are the pairs, each once in its episode however many rejections
// gave it, with values and names as the truth writes them.
func pairLines(f *metrics.Facts, places []string) []string {
	seen := map[string]bool{}
	var lines []string
	for _, p := range f.Pairs {
		field := strings.TrimPrefix(p.Field, "/")
		if p.Level != metrics.LevelValue {
			field = ""
		}
		line := fmt.Sprintf("alias %s %s %s→%s %s inferred %v of %s", p.Level, field, plain(p.Rejected), plain(p.Accepted), p.Kind, p.Inferred, places[p.Episode])
		if !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	return lines
}

// plain takes the quotes off a JSON string.
func plain(s string) string { return strings.Trim(s, `"`) }

func TestLoadIsWhatItSays(t *testing.T) {
	skipUntilJudged(t)
	cfg := simulate.DefaultLoad()
	cfg.Runs, cfg.Together = 12, 5
	byRun := map[string][]simulate.Record{}
	got := simulate.LoadTruth{}
	for r := range simulate.Load(cfg) {
		byRun[r.Key] = append(byRun[r.Key], r)
		got.Records++
	}
	for _, records := range byRun {
		f := mined(t, records)
		got.Runs++
		got.Calls += len(f.Calls)
		for _, c := range f.Calls {
			if c.Outcome == metrics.OutcomeError {
				got.Errored++
			}
			if c.Label == metrics.LabelRepeat {
				got.Repeats++
			}
		}
		for _, e := range f.Episodes {
			if e.Ending == metrics.EndingRecovered && e.Attempts == 1 && e.Turns == 1 {
				got.Episodes++
			}
		}
	}
	if want := cfg.Truth(); got != want {
		t.Errorf("mined %+v, want %+v", got, want)
	}
}
