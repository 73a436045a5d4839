package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"errata/internal/simulate"
)

// shape is a load of one shape: what grows is the length of its runs, or how many are open at once.
type shape struct {
	what                  string
	runs, together, calls int
	args                  []string
}

// point is what ingest took for a shape.
type point struct {
	shape
	micros, perSecond float64
	peak              int64
}

// growth measures how the cost of a call grows with the length of its run, memory with the runs that are open, and the
// rate where no run is in memory. It writes a table and, as Mermaid text for the documentation, its charts.
func growth(ctx context.Context, bin string, calls int, out io.Writer) error {
	var lengths, opens []shape
	for _, length := range []int{20, 100, 500, 2500} {
		lengths = append(lengths, shape{what: "calls a run", runs: max(calls/length, 1), together: 500, calls: length})
	}
	for _, open := range []int{1, calls / 50, calls / 5} {
		opens = append(opens, shape{what: "open runs", runs: open, together: open, calls: 5})
	}
	opens[0].calls = 100
	cold := shape{what: "open runs, none in memory", runs: calls / 5, together: calls / 5, calls: 5, args: []string{"-memory", "1"}}
	const line = "%-26s %8v %12v %11v %8v %10v %8v\n" // written at once: a point may take minutes
	fmt.Fprintf(out, line, "load", "runs", "open at once", "calls a run", "calls/s", "CPU µs/call", "peak MiB")
	measure := func(list []shape) ([]point, error) {
		var points []point
		for _, sh := range list {
			p, err := sh.measure(ctx, bin)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(out, line, sh.what, sh.runs, min(sh.together, sh.runs), sh.calls, int(p.perSecond), int(p.micros), p.peak>>20)
			points = append(points, p)
		}
		return points, nil
	}
	long, err := measure(lengths)
	if err != nil {
		return err
	}
	wide, err := measure(opens)
	if err != nil {
		return err
	}
	if _, err := measure([]shape{cold}); err != nil {
		return err
	}
	fmt.Fprintln(out, chart("CPU of a call against the length of its run", "µs", long,
		func(p point) (string, float64) { return fmt.Sprint(p.calls), p.micros }))
	fmt.Fprintln(out, chart("Peak memory against open runs", "MiB", wide,
		func(p point) (string, float64) { return fmt.Sprint(p.runs), float64(p.peak >> 20) }))
	return nil
}

// measure has ingest work a load of the shape off, on a stack of its own.
func (sh shape) measure(ctx context.Context, bin string) (point, error) {
	s, err := startStack(ctx, bin, "")
	if err != nil {
		return point{}, err
	}
	defer s.stop()
	cfg := simulate.DefaultLoad()
	cfg.Runs, cfg.Together, cfg.CallsPerRun = sh.runs, sh.together, sh.calls
	l, err := publish(ctx, s, "growth", cfg)
	if err != nil {
		return point{}, err
	}
	took, err := s.program(ctx, "ingest", append([]string{"run", "-until-caught-up", "-kafka-topic", l.topic, "-kafka-group", "errata-growth"}, sh.args...)...)
	if err != nil {
		return point{}, err
	}
	return point{sh, took.cpu.Seconds() / float64(l.calls) * 1e6, float64(l.calls) / took.wall.Seconds(), took.peak}, nil
}

// chart writes points as a Mermaid chart.
func chart(title, unit string, points []point, of func(point) (string, float64)) string {
	var names, values []string
	for _, p := range points {
		name, value := of(p)
		names, values = append(names, `"`+name+`"`), append(values, fmt.Sprintf("%.1f", value))
	}
	return fmt.Sprintf("\n```mermaid\nxychart-beta\n    title %q\n    x-axis [%s]\n    y-axis %q 0\n    bar [%s]\n```",
		title, strings.Join(names, ", "), unit, strings.Join(values, ", "))
}
