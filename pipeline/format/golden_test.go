package format_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"errata/metrics"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
	"errata/transcript"
)

// counted is what was counted by hand, or by a few lines that know nothing of this program, in public transcripts.
type counted struct {
	runs, calls, errors int
	tokens              int64 // 0: not counted
	endings             map[metrics.Ending]int
}

// countRuns counts the same in runs.
func countRuns(runs map[transcript.RunID]transcript.Run) counted {
	c := counted{runs: len(runs), endings: map[metrics.Ending]int{}}
	for _, run := range runs {
		for _, thread := range run.Threads {
			for _, turn := range thread.Turns {
				if turn.Usage != nil {
					c.tokens += turn.Usage.Total()
				}
			}
		}
		facts := metrics.Mine(run, metrics.Env{})
		c.calls += len(facts.Calls)
		for i := range facts.Calls {
			if facts.Calls[i].Outcome == metrics.OutcomeError {
				c.errors++
			}
		}
		for i := range facts.Episodes {
			c.endings[facts.Episodes[i].Ending]++
		}
	}
	return c
}

// TestGolden reads public transcripts whose calls, errors and endings were counted by hand.
func TestGolden(t *testing.T) {
	root := os.Getenv("ERRATA_CORPUS")
	if root == "" {
		t.Skip("ERRATA_CORPUS is not set")
	}
	f := func(want counted, paths ...string) {
		t.Helper()
		var outs []dialect.Output
		for _, path := range paths {
			value, err := os.ReadFile(filepath.Join(root, path))
			if err != nil {
				t.Log(err)
				return
			}
			out, _, err := format.Decode(dialect.Input{Value: value}, format.Limits{})
			if err != nil {
				t.Errorf("%s: %v", path, err)
				return
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
			t.Errorf("%s: %+v, want %+v", paths, got, want)
		}
	}
	codex := "codex-rollout-agentv/"
	f(counted{runs: 1, calls: 98, errors: 6, tokens: 2_729_119}, codex+"0b__9f2ac6f3aa__2__full.jsonl")
	f(counted{runs: 1, calls: 318, errors: 21, tokens: 19_619_628}, codex+"33__5841c2d678__0__full.jsonl")
	f(counted{runs: 1, calls: 111, errors: 4, tokens: 3_060_509}, codex+"b9__220e73bdf9__1__full.jsonl")
	f(counted{runs: 1, calls: 86, errors: 1, tokens: 1_597_908}, codex+"8d__1ecb6dc628__0__full.jsonl")
	// A session and a longer copy of it.
	f(counted{runs: 1, calls: 86, errors: 1, tokens: 1_597_908}, codex+"8d__1ecb6dc628__0__full.jsonl", codex+"a8__54a7cb1c1f__0__full.jsonl")
	f(counted{runs: 1, calls: 86, errors: 1, tokens: 1_597_908}, codex+"a8__54a7cb1c1f__0__full.jsonl", codex+"8d__1ecb6dc628__0__full.jsonl")
	gemini := "gemini-cli-entireio/"
	f(counted{runs: 1, calls: 2, tokens: 49_267}, gemini+"12__cbfeaa512b__0__full.jsonl")
	f(counted{runs: 1, calls: 1, tokens: 24_329}, gemini+"51__3fab7adf0b__0__full.jsonl")
	f(counted{runs: 1, calls: 9, tokens: 133_187}, gemini+"ab__2b9748b105__0__full.jsonl", gemini+"c9__45f262e88d__0__full.jsonl")
	f(counted{runs: 1, calls: 68, errors: 2}, "copilot-cli-agentv/26__9e1b9e5502__0__full.jsonl")
	f(counted{runs: 1, calls: 0}, "copilot-cli-agentv/6a__6787e4f86b__0__full.jsonl")
	f(counted{runs: 1, calls: 0}, "copilot-cli-agentv/db__325365b92c__0__full.jsonl")
	// Of twelve results that are flagged two were stopped by the person, and one is grep's "no".
	f(counted{runs: 1, calls: 454, errors: 9, tokens: 56_570_579}, "pi-mono/packages__coding-agent__test__fixtures__before-compaction.jsonl")
	f(counted{runs: 1, calls: 1, tokens: 406}, "openinference/openinference__instrumentation__agno__fixtures__agent_with_failing_tool.yaml")
	f(counted{runs: 1, calls: 2, tokens: 312}, "openinference/openinference__instrumentation__agno__fixtures__agent_with_mixed_tools.yaml")
	f(counted{runs: 1, calls: 4, tokens: 1350}, "openllmetry/test_router_analytics_complete_workflow.yaml")
	// The program gave the calls ids that the answers lack.
	f(counted{runs: 1, calls: 2, errors: 1}, "pydantic-ai-cassettes/test_google__test_google_model_retry.yaml")
}
