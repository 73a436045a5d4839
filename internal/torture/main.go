// Command torture shows that nothing is lost and nothing counted twice. It publishes a fixed set of transcripts through
// the real programs while ingesters and engines are killed with SIGKILL at random moments, or stopped for so long that they
// lose their partitions and then write late, and compares every row of every table with those of an undisturbed run. It
// prints one table and exits 1 when a row differs.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"
)

// told is what the command is told.
type told struct {
	programs, ingest, dir string
	material              material
	plans                 []plan
	except, only          []string // columns that are not compared, tables that alone are
	progress              io.Writer
}

func main() {
	bin := flag.String("bin", "bin", "folder with the programs devstack and ingest")
	dir := flag.String("dir", "", "folder for data and logs, kept; empty: a temporary one")
	kills := flag.Int("kills", 50, "how often ingest is killed; each scenario has its share")
	stack := flag.Int("stack", 10, "how often broker and database are killed while one ingester works")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the moments of the kills")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	t := told{
		programs: *bin, ingest: filepath.Join(*bin, "ingest"), dir: *dir, progress: os.Stderr,
		material: material{runsPerDay: 60, corpus: os.Getenv("ERRATA_CORPUS"), realRuns: 400},
		plans: []plan{
			{name: "one ingester, engines too", seed: *seed, ingesters: 1, kills: *kills, stack: *stack},
			{name: "two, one killed", seed: *seed + 1, ingesters: 2, kills: *kills / 2, stack: *stack / 5},
			{name: "two, one stopped and late", seed: *seed + 2, ingesters: 2, stops: *kills / 2},
		},
	}
	results, err := t.run(ctx)
	report(os.Stdout, results)
	fmt.Printf("seed %d\n", *seed)
	if err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
	for _, r := range results {
		if len(r.differences) > 0 {
			os.Exit(1)
		}
	}
}

// result is what one scenario gave.
type result struct {
	plan        plan
	done        tally
	records     int
	rows        int
	differences []difference
	took        time.Duration
}

// run does the undisturbed run and then every plan.
func (t told) run(ctx context.Context) ([]result, error) {
	if t.dir == "" {
		dir, err := os.MkdirTemp("", "errata-torture-")
		if err != nil {
			return nil, fmt.Errorf("make a folder for the data: %w", err)
		}
		defer os.RemoveAll(dir)
		t.dir = dir
	}
	records, err := t.material.records(partitions)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(t.progress, "%d records, undisturbed …\n", len(records))
	want, _, err := t.scenario(ctx, plan{name: "undisturbed"}, records)
	if err != nil {
		return nil, fmt.Errorf("undisturbed: %w", err)
	}
	var results []result
	for _, p := range t.plans {
		fmt.Fprintf(t.progress, "%s …\n", p.name)
		began := time.Now()
		got, done, err := t.scenario(ctx, p, records)
		if err != nil {
			return results, fmt.Errorf("%s: %w", p.name, err)
		}
		r := result{plan: p, done: done, records: len(records), took: time.Since(began)}
		r.rows, r.differences = differences(want, got)
		results = append(results, r)
	}
	return results, nil
}

// scenario runs one plan on engines of its own and gives what it left behind.
func (t told) scenario(ctx context.Context, p plan, records []placed) (tables, tally, error) {
	w, err := newWorld(ctx, filepath.Join(t.dir, p.name), t, records)
	if err != nil {
		return nil, tally{}, err
	}
	defer w.close()
	var done tally
	if p.ingesters > 0 {
		done, err = disturb(ctx, w, p)
	} else {
		err = w.publisher.publish(ctx, len(records))
	}
	if err != nil {
		return nil, done, err
	}
	if err := w.catchUp(); err != nil {
		return nil, done, err
	}
	rows, err := w.read(ctx, t.except...)
	maps.DeleteFunc(rows, func(table string, _ []string) bool { return len(t.only) > 0 && !slices.Contains(t.only, table) })
	return rows, done, err
}

// report prints one row for each scenario, and the first differences.
func report(out io.Writer, results []result) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "scenario\tingest killed\tat work\tstored, not committed\tengines killed\tstopped\trecords\trows compared\tdifferences\ttook")
	for _, r := range results {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", r.plan.name, r.done.ingestKilled, r.done.atWork, r.done.between, r.done.stackKilled, r.done.stopped,
			r.records, r.rows, len(r.differences), r.took.Round(time.Second))
	}
	table.Flush()
	for _, r := range results {
		for _, d := range r.differences[:min(len(r.differences), 5)] {
			fmt.Fprintf(out, "%s: table %s: %s: %.250s\n", r.plan.name, d.table, d.side, d.row)
		}
	}
}
