package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"errata/internal/devstack/devtest"
)

// build makes the programs that the torture needs, and puts the engine beside them.
func build(t *testing.T) (dir string) {
	t.Helper()
	devtest.NeedEngine(t)
	dir = t.TempDir()
	cmd := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "errata/cmd/ingest", "errata/cmd/devstack", "errata/internal/torture/sabotage")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the programs: %v\n%s", err, out)
	}
	return dir
}

// short is a torture of half a minute.
func short(t *testing.T, programs, ingest string, plans ...plan) told {
	t.Helper()
	return told{
		programs: programs, ingest: filepath.Join(programs, ingest), dir: t.TempDir(), progress: io.Discard,
		material: material{runsPerDay: 15, corpus: os.Getenv("ERRATA_CORPUS"), realRuns: 30}, plans: plans,
	}
}

func (told told) results(t *testing.T) []result {
	t.Helper()
	results, err := told.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	report(&table, results)
	t.Log("\n" + table.String())
	return results
}

func TestNothingIsLostOrDoubled(t *testing.T) {
	if testing.Short() {
		t.Skip("kills programs for half a minute")
	}
	results := short(t, build(t), "ingest",
		plan{name: "one", seed: 1, ingesters: 1, kills: 6, stack: 2},
		plan{name: "two", seed: 2, ingesters: 2, kills: 2, stops: 2},
	).results(t)
	for _, r := range results {
		if len(r.differences) > 0 || r.rows < 500 || r.done.ingestKilled != r.plan.kills || r.done.stackKilled != r.plan.stack {
			t.Errorf("%s: %d differences in %d rows after %+v", r.plan.name, len(r.differences), r.rows, r.done)
		}
	}
}

// Test of the test: programs that are wired wrongly are caught, because of the kills and not otherwise.
func TestSabotageIsCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("kills programs for half a minute")
	}
	programs := build(t)
	// Whether a blow falls where it hurts is chance: the test goes on with other moments until one did.
	const attempts = 4
	f := func(wrong string, disturbed plan) {
		t.Run(wrong, func(t *testing.T) {
			t.Setenv("SABOTAGE", wrong)
			for attempt := range attempts {
				disturbed.seed += uint64(attempt)
				told := short(t, programs, "sabotage", plan{name: "in peace", ingesters: 1}, disturbed)
				// The version of a row is when it was written here; the facts of a run are the same in peace.
				told.only, told.except = []string{"runs"}, []string{"version"}
				results := told.results(t)
				if n := len(results[0].differences); n > 0 {
					t.Fatalf("in peace: %d differences", n)
				}
				if len(results[1].differences) > 0 {
					return
				}
			}
			t.Errorf("not caught in %d attempts", attempts)
		})
	}
	f("commit-first", plan{name: "killed", seed: 3, ingesters: 1, kills: 5})
	f("key-by-arrival", plan{name: "late", seed: 4, ingesters: 2, stops: 6})
}
