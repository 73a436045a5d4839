package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// The simulations in short: fewer repetitions, with limits that an exact
// method keeps 99.9 % of the time.
func TestAllBoundsInShort(t *testing.T) {
	if testing.Short() {
		t.Skip("simulations take seconds")
	}
	var table bytes.Buffer
	if !report(&table, scenarios(), plan{repetitions: 100, seed: 1, progress: io.Discard}) {
		for line := range strings.Lines(table.String()) {
			if strings.HasSuffix(strings.TrimSpace(line), string(missed)) {
				t.Error(strings.TrimSpace(line))
			}
		}
	}
}

// A method at its nominal 5 % has at most 244 of 4,000 false verdicts; 244 is
// the limit that the specification prints.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		name  string
		bound bound
		count int
		want  verdict
	}{
		{"at the limit", atMost{.05}, 244, met},
		{"over it", atMost{.05}, 245, missed},
		{"a control that fails", mustExceed{.05}, 245, met},
		{"a control that does not", mustExceed{.05}, 244, missed},
		{"coverage of 93 %", missesBetween{.03, .07}, 280, met},
		{"less", missesBetween{.03, .07}, 281, missed},
		{"coverage of 97 %", missesBetween{.03, .07}, 120, met},
		{"more", missesBetween{.03, .07}, 119, missed},
		{"shown only", ungated{}, 4000, noGate},
	} {
		if got := test.bound.pass(outcome{count: test.count, trials: 4000}); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	for _, b := range []bound{atMost{.05}, mustExceed{.05}, missesBetween{.03, .07}} {
		if got := b.pass(outcome{}); got != missed {
			t.Errorf("%T is met by nothing: %s", b, got)
		}
	}
}

// A missed bound fails the whole report, also when another follows.
func TestReportFails(t *testing.T) {
	always := scenario{
		name:   "always false",
		checks: []check{{method: "bad", rate: .05, bound: atMost{.05}}, {method: "shown", bound: ungated{}}},
		trial:  func(*rand.Rand) []event { return []event{yes, no} },
	}
	never := scenario{
		name:   "never false",
		checks: []check{{method: "good", rate: .05, bound: atMost{.05}}},
		trial:  func(*rand.Rand) []event { return []event{no} },
	}
	p := plan{repetitions: 50, progress: io.Discard}
	if report(io.Discard, []scenario{always, never}, p) {
		t.Error("a missed bound passes")
	}
	if !report(io.Discard, []scenario{never}, p) {
		t.Error("a met bound fails")
	}
}

// Figures depend on the seed, not on the number of cores.
func TestReportIsReproducible(t *testing.T) {
	table := func(cores int, seed uint64) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		var b bytes.Buffer
		report(&b, shareIntervals()[:3], plan{repetitions: 100, seed: seed, progress: io.Discard})
		return b.String()
	}
	if table(1, 1) != table(3, 1) {
		t.Error("the number of cores changes the figures")
	}
	if table(1, 1) == table(1, 2) {
		t.Error("the seed changes nothing")
	}
}

// The simulated runs are what they are said to be: 4 errors on average, hits
// at the rate, and a correlation of .4 between two errors of a run.
func TestSimulatedRuns(t *testing.T) {
	const n, rate = 200_000, .3
	r := rand.New(rand.NewPCG(1, 1))
	u := newUrn(rate)
	var errors, hits, pairs, both float64
	for range n {
		d := u.draw(r)
		errors += d.errors
		hits += d.hits
		pairs += d.errors * (d.errors - 1)
		both += d.hits * (d.hits - 1)
	}
	within := func(what string, got, want float64) {
		t.Helper()
		if got < want-.02 || got > want+.02 {
			t.Errorf("%s = %.3f, want %.2f", what, got, want)
		}
	}
	within("errors a run", errors/n, meanErrors)
	within("rate", hits/errors, rate)
	within("correlation", (both/pairs-rate*rate)/(rate*(1-rate)), correlation)
}
