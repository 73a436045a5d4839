// Command statscheck simulates what metrics/stats promises: that its verdicts
// on equal arms are false as seldom as they say, however often one looks, and
// that its intervals hold the truth. It prints one table and exits 1 when a
// stated bound is missed, which includes two methods that must miss it.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	repetitions := flag.Int("repetitions", 4000, "simulated comparisons behind each figure")
	seed := flag.Uint64("seed", 1, "seed of all random numbers")
	only := flag.String("only", "", "run only the scenarios whose name holds this text")
	flag.Parse()
	if *repetitions < 20 {
		fmt.Fprintln(os.Stderr, "statscheck: -repetitions must be at least 20, or no bound means anything")
		os.Exit(2)
	}
	chosen := slices.DeleteFunc(scenarios(), func(s scenario) bool { return !strings.Contains(s.name, *only) })
	if len(chosen) == 0 {
		fmt.Fprintf(os.Stderr, "statscheck: -only %q fits no scenario; leave it out to see their names\n", *only)
		os.Exit(2)
	}
	p := plan{repetitions: *repetitions, seed: *seed, progress: os.Stderr}
	if !report(os.Stdout, chosen, p) {
		os.Exit(1)
	}
}

// report runs the scenarios, prints a row for each of their figures, and
// says whether every bound was met.
func report(w io.Writer, chosen []scenario, p plan) bool {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "scenario\tmethod\tnominal\tachieved\tlimit\tpass\n")
	all := true
	for n, s := range chosen {
		fmt.Fprintf(p.progress, "%d of %d: %s\n", n+1, len(chosen), s.name)
		for i, o := range s.run(p) {
			c := s.checks[i]
			pass := c.bound.pass(o)
			all = all && pass != missed
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", s.name, c.method, c.nominal(), c.achieved(o), c.bound.text(o), pass)
		}
	}
	table.Flush()
	fmt.Fprintf(w, "%d repetitions, seed %d; a limit is what a method at its nominal rate passes 99.9 %% of the time\n", p.repetitions, p.seed)
	return all
}

// scenarios are all simulations, in the order of the table.
func scenarios() []scenario {
	return slices.Concat(
		equalArms(),
		equalCurves(),
		cutovers(),
		fixedIntervals(),
		sequences(),
		quantiles(),
		shareIntervals(),
		fieldTests(),
		splitTests(),
		mixes(),
		power(),
	)
}
