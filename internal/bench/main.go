// Command bench measures Errata on one machine, in one run: what goes through the real programs, the real broker protocol
// and the real engine. Figures are given as ratios to what a user would take instead, with the raw figures beside them.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	bin := flag.String("bin", "bin", "the folder with the programs and the engine")
	runs := flag.Int("runs", 10_000, "runs of 20 calls in the ingest benchmark")
	history := flag.String("history", "", "measure questions instead, over histories of these numbers of calls, such as 1000000,10000000")
	dir := flag.String("dir", "", "a folder in which the histories stay, to be measured again; empty: a temporary one")
	grows := flag.Int("growth", 0, "measure how costs grow instead, with so many calls for each point")
	flag.Parse()
	if *grows > 0 {
		if err := growth(ctx, *bin, *grows, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	if *history != "" {
		lengths, err := lengthsOf(*history)
		if err == nil {
			err = histories(ctx, stackAt{bin: *bin, dir: *dir}, lengths, os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(ctx, *bin, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// row is one line of the table.
type row struct {
	what, figure, ratio, raw string
	missed                   string // the stated bound that it misses, "" where it holds or none is stated
}

func run(ctx context.Context, bin string, runs int) error {
	rows, err := ingest(ctx, bin, runs)
	if err != nil {
		return err
	}
	whole, err := ingestWhole(ctx, bin, runs)
	if err != nil {
		return err
	}
	rows = append(rows, whole...)
	fresh, err := freshness(ctx, bin)
	if err != nil {
		return err
	}
	rows = append(rows, fresh)
	out := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(out, "what\tfigure\terrata to it\traw\tbound")
	missed := 0
	for _, r := range rows {
		bound := ""
		if r.missed != "" {
			bound = "MISSED: " + r.missed
			missed++
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", r.what, r.figure, r.ratio, r.raw, bound)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if missed > 0 {
		return fmt.Errorf("%d of the stated bounds are missed", missed)
	}
	return nil
}
