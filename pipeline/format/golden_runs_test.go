package format_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"errata/metrics"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// all is for a file of whose runs every one is counted.
const all = -1

// goldenRun compares a run of a file, or all runs of some files, with what was counted.
type goldenRun func(pattern string, index int, want counted)

// goldenRuns gives the comparison, and skips the test where there is no corpus.
func goldenRuns(t *testing.T) goldenRun {
	root := os.Getenv("ERRATA_CORPUS")
	if root == "" {
		t.Skip("ERRATA_CORPUS is not set")
	}
	return func(pattern string, index int, want counted) {
		t.Helper()
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(paths) == 0 {
			t.Logf("%s: not there (%v)", pattern, err)
			return
		}
		var outs []dialect.Output
		for _, path := range paths {
			value, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out, _, err := format.Decode(dialect.Input{Value: value}, format.Limits{})
			if err != nil {
				continue // of several files some are of no format
			}
			if index != all {
				out.Fragments = runAt(out.Fragments, index)
			}
			outs = append(outs, out)
		}
		got := countRuns(assembled(t, outs...))
		if want.tokens == 0 {
			got.tokens = 0
		}
		if want.endings == nil {
			got.endings = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s %d: %+v, want %+v", pattern, index, got, want)
		}
	}
}

// ended is what is wanted where all episodes ended alike.
func ended(ending metrics.Ending, n int) map[metrics.Ending]int {
	return map[metrics.Ending]int{ending: n}
}

// TestGoldenRuns reads single runs out of public files. Calls, errors and tokens were counted by a few lines that know
// nothing of this program, and by eye; how the episodes ended was read off the logs.
func TestGoldenRuns(t *testing.T) {
	f := goldenRuns(t)
	none := map[metrics.Ending]int{}
	recovered, withUser, abandoned := ended(metrics.EndingRecovered, 1), ended(metrics.EndingRecoveredWithUser, 1), ended(metrics.EndingAbandoned, 1)

	f("claude-code-packmind/d0__9ff7be434f*", all, counted{runs: 1, calls: 18, errors: 1, tokens: 271_225, endings: recovered})
	f("claude-code-packmind/59__a1a92063ab*", all, counted{runs: 1, calls: 15, errors: 3, tokens: 504_007, endings: ended(metrics.EndingRecovered, 2)})
	f("claude-code-entireio/17__55e38d324c*", all, counted{runs: 1, calls: 23, tokens: 1_632_771, endings: none})
	f("claude-code-entireio/76__62d755ef9f*", all, counted{runs: 1, calls: 60, tokens: 5_274_465, endings: none})
	f("claude-code-entireio/d0__161e0df1cb*", all, counted{runs: 1, calls: 218, errors: 9, tokens: 18_186_270})
	f("codex-rollout-agentv/8d__1ecb6dc628*", all, counted{runs: 1, calls: 86, errors: 1, endings: recovered})

	tau := "tau-bench/*gpt-4o-airline.json"
	f(tau, 0, counted{runs: 1, calls: 8, errors: 1, endings: withUser})
	f(tau, 11, counted{runs: 1, calls: 10, errors: 1, endings: withUser})
	f(tau, 15, counted{runs: 1, calls: 3, errors: 1, endings: abandoned})
	tau2 := "tau2-bench/*.json"
	f(tau2, 25, counted{runs: 1, calls: 9, errors: 4, endings: abandoned})
	f(tau2, 29, counted{runs: 1, calls: 6, errors: 1, endings: withUser})
	f(tau2, 30, counted{runs: 1, calls: 11, errors: 2, endings: abandoned})
	mint := "mint-bench/*results.jsonl"
	f(mint, 0, counted{runs: 1, calls: 3, endings: none})
	f(mint, 1, counted{runs: 1, calls: 1, errors: 1, endings: abandoned})
	f(mint, 4, counted{runs: 1, calls: 2, errors: 2, endings: abandoned})
	f("intercode/*sql_multiturn_gpt-4_10_turns.json", 0, counted{runs: 1, calls: 5, errors: 1})
	f("intercode/*gpt-3.5_7_turns.json", 104, counted{runs: 1, calls: 2, endings: none})
	// Commands that are written as text are one call a batch.
	terminus := "inspect-scout-fixtures/terminus_2_hello-world-context-summarization-linear-history.trajectory"
	f(terminus+".json", all, counted{runs: 1, calls: 3, tokens: 2412, endings: none})
	f(terminus+".cont-1.json", all, counted{runs: 1, calls: 2, tokens: 4780, endings: none})
}

// TestGoldenSessions reads small public sessions, counted by eye.
func TestGoldenSessions(t *testing.T) {
	f := goldenRuns(t)
	none, open := map[metrics.Ending]int{}, ended(metrics.EndingOpen, 1)
	// The logs of sessions do not say that they ended.
	small := "agent-sessions-fixtures/"
	f(small+"opencode__*", all, counted{runs: 3, calls: 1, errors: 1, tokens: 136, endings: open})
	f(small+"qwen__*000004.jsonl", all, counted{runs: 1, calls: 1, tokens: 16, endings: none})
	f(small+"qwen__*000005.jsonl", all, counted{runs: 1, endings: none})
	f(small+"qwen__*000002.jsonl", all, counted{runs: 1, endings: none})
	f(small+"kimi__small.jsonl", all, counted{runs: 1, endings: none})
	f(small+"kimi__subagent_agent-0.jsonl", all, counted{runs: 1, calls: 2, tokens: 41_651, endings: none})
	f(small+"droid__session_store_large.jsonl", all, counted{runs: 1, calls: 1, endings: none})
	f(small+"droid__session_store_small.jsonl", all, counted{runs: 1, calls: 1, errors: 1, endings: open})
	f(small+"droid__stream_json_large.jsonl", all, counted{runs: 1, calls: 1, endings: none})
	f(small+"cursor__schema_drift.jsonl", all, counted{runs: 1, calls: 1, endings: none})
	f(small+"cursor__small.jsonl", all, counted{runs: 1, calls: 1, endings: none})
	f(small+"cursor__subagent__parent.jsonl", all, counted{runs: 1, calls: 1, endings: none})
	f(small+"cursor__subagent__subagents__child.jsonl", all, counted{runs: 1, endings: none})
	f(small+"grok__chat_history.jsonl", all, counted{runs: 1, calls: 3, endings: none})
	f(small+"grok__subagent__chat_history.jsonl", all, counted{runs: 1, calls: 1, endings: none})
	f(small+"antigravity__cli_small.jsonl", all, counted{runs: 1, calls: 2, endings: none})
	f(small+"antigravity__cli_schema_drift.jsonl", all, counted{runs: 1, endings: none})
	f(small+"hermes__large.json", all, counted{runs: 1, calls: 1, endings: none})
	f(small+"hermes__small.json", all, counted{runs: 1, endings: none})
	f(small+"openclaw__large.jsonl", all, counted{runs: 1, calls: 2, endings: none})
	// A session of six calls, and a sub-agent of it with one.
	f("inspect-scout-fixtures/crux1-sample-telemetry.jsonl", all, counted{runs: 2, calls: 7, tokens: 97_802 + 28_473, endings: none})
	f("inspect-scout-fixtures/sample-telemetry.jsonl", all, counted{runs: 1, calls: 6, tokens: 257_238, endings: none})
}

// runAt keeps the fragments of the run that stands at an index among the runs of an output.
func runAt(fragments []transcript.Fragment, index int) []transcript.Fragment {
	var runs []transcript.RunID
	for i := range fragments {
		if id := fragments[i].Meta.ID; !slices.Contains(runs, id) {
			runs = append(runs, id)
		}
	}
	return slices.DeleteFunc(slices.Clone(fragments), func(f transcript.Fragment) bool {
		return index >= len(runs) || f.Meta.ID != runs[index]
	})
}
