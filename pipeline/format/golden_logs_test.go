package format_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"errata/metrics"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
)

// TestGoldenLogs reads public logs of benchmarks and evaluations, whose calls and errors were counted by a few lines that
// know nothing of this program, and the endings of whose episodes were read off the logs.
func TestGoldenLogs(t *testing.T) {
	root := os.Getenv("ERRATA_CORPUS")
	if root == "" {
		t.Skip("ERRATA_CORPUS is not set")
	}
	f := func(pattern string, want counted) {
		t.Helper()
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(paths) == 0 {
			t.Logf("%s: not there (%v)", pattern, err)
			return
		}
		for _, path := range paths {
			if strings.Contains(pattern, "*.") && len(paths) > 1 {
				t.Fatalf("%s names %d files", pattern, len(paths))
			}
			value, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			out, _, err := format.Decode(dialect.Input{Value: value}, format.Limits{})
			if err != nil {
				t.Errorf("%s: %v", pattern, err)
				return
			}
			got := countRuns(assembled(t, out))
			if want.tokens == 0 {
				got.tokens = 0
			}
			if want.endings == nil {
				got.endings = nil
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, want %+v", pattern, got, want)
			}
		}
	}
	none := map[metrics.Ending]int{}
	recovered := func(n int) map[metrics.Ending]int { return map[metrics.Ending]int{metrics.EndingRecovered: n} }
	abandoned := func(n int) map[metrics.Ending]int { return map[metrics.Ending]int{metrics.EndingAbandoned: n} }

	f("swe-agent/*pydicom-1458.traj", counted{runs: 1, calls: 12, errors: 4, endings: recovered(2)})
	f("swe-agent/*BabyEncryption.traj", counted{runs: 1, calls: 16, errors: 5, endings: recovered(3)})
	f("swe-agent/*rev__rock.traj", counted{runs: 1, calls: 12, errors: 1, endings: abandoned(1)})
	f("swe-agent/*function_calling_simple.traj", counted{runs: 1, calls: 5, endings: none})
	f("mini-swe-agent/*chat_test_1-100__django__django-11620*.json", counted{runs: 1, calls: 117, errors: 5})
	f("mini-swe-agent/*reasoner_dev__pvlib__pvlib-python-1072*.json", counted{runs: 1, calls: 15, errors: 3, endings: abandoned(2)})
	f("mini-swe-agent/*reasoner_dev__pvlib__pvlib-python-1606*.json", counted{runs: 1, calls: 4, endings: none})
	f("openhands/demo1.json", counted{runs: 1, calls: 4, endings: none, tokens: 19321})
	f("inspect/*browser.json", counted{runs: 1, calls: 4, endings: none, tokens: 15516})

	f("otel-agentevals/samples__helm_2.json", counted{runs: 1, endings: none, tokens: 1865})
	f("otel-agentevals/samples__k8s.json", counted{runs: 1, endings: none, tokens: 2342})

	f("langfuse-traces/pydantic-ai-tools-2025-12-04.trace.json", counted{runs: 1, calls: 4, endings: none, tokens: 1524})
	f("langfuse-traces/agno-2025-06-11.trace.json", counted{runs: 1, calls: 1, endings: none, tokens: 1071})
	f("langfuse-traces/google-adk-2025-08-28.trace.json", counted{runs: 1, calls: 1, endings: none})

	f("intercode/*gpt-3.5_7_turns.json", counted{runs: 117, calls: 430, errors: 16})
	f("intercode/*sql_multiturn_gpt-4_10_turns.json", counted{runs: 1034, calls: 5867, errors: 1691})
	f("mint-bench/*results.jsonl", counted{runs: 134, calls: 279, errors: 164})
	f("toolbench/*G1_answer__10_ChatGPT*.json", counted{runs: 1, calls: 3, endings: none})
	f("toolbench/*G2_answer__127_ChatGPT*.json", counted{runs: 1, calls: 7, errors: 2, endings: abandoned(2)})
	f("toolbench/*G1_answer__69_ChatGPT*.json", counted{runs: 1, calls: 24, errors: 13})

	f("who-and-when/Algorithm-Generated__10.json", counted{runs: 1, calls: 2, errors: 1, endings: recovered(1)})
	f("who-and-when/Algorithm-Generated__112.json", counted{runs: 1, calls: 4, errors: 2})
	f("who-and-when/Algorithm-Generated__118.json", counted{runs: 1, calls: 4, errors: 2})
	f("tapeagents/*task1_seed42*.json", counted{runs: 1, calls: 5, errors: 2, endings: abandoned(2)})
	f("tapeagents/*task5_seed1337*.json", counted{runs: 1, calls: 19, errors: 15})
	f("tapeagents/*l1_task000.json", counted{runs: 1, calls: 4, endings: none})
}
