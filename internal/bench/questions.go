package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"errata/metrics/ask"
)

// slowest is the bound of a page's question at its 95th percentile.
const slowest = 100 * time.Millisecond

// question is one that pages put.
type question struct {
	name string
	put  func(context.Context) error
}

// asked adapts a question of package ask.
func asked[T any](name string, put func(context.Context) (ask.Answer[T], error)) question {
	return question{name, func(ctx context.Context) error {
		_, err := put(ctx)
		return err
	}}
}

// pageQuestions are what the pages ask over their default stretch, 28 days up to the newest call.
func pageQuestions(db *ask.DB) []question {
	list := []question{asked("simulated", func(ctx context.Context) (ask.Answer[ask.Simulated], error) {
		return db.Simulated(ctx, ask.Filters{})
	})}
	for _, by := range []string{"", ask.ByDay, ask.ByVariant, ask.ByTool, ask.ByCode} {
		f, name := ask.Filters{}, ""
		if by != "" {
			f.By, name = []string{by}, " by "+by
		}
		list = append(list, asked("loops"+name, func(ctx context.Context) (ask.Answer[ask.Loops], error) { return db.Loops(ctx, f) }))
	}
	for _, by := range []string{"", ask.ByCode} {
		f, name := ask.Filters{}, ""
		if by != "" {
			f.By, name = []string{by}, " by "+by
		}
		list = append(list,
			asked("recovery"+name, func(ctx context.Context) (ask.Answer[ask.Recovery], error) { return db.Recovery(ctx, f) }),
			asked("cost"+name, func(ctx context.Context) (ask.Answer[ask.Cost], error) { return db.Cost(ctx, f) }))
	}
	return append(list,
		asked("next actions", func(ctx context.Context) (ask.Answer[ask.NextActions], error) {
			return db.NextActions(ctx, ask.Filters{})
		}),
		asked("waste", func(ctx context.Context) (ask.Answer[ask.Waste], error) { return db.Waste(ctx, ask.Filters{}) }),
		asked("errors", func(ctx context.Context) (ask.Answer[ask.ErrorKind], error) {
			return db.Errors(ctx, ask.ErrorFilters{})
		}),
		asked("findings", func(ctx context.Context) (ask.Answer[ask.Finding], error) { return db.Findings(ctx, ask.Filters{}) }),
		asked("runs", func(ctx context.Context) (ask.Answer[ask.RunRow], error) { return db.Runs(ctx, ask.RunFilters{}) }),
		asked("runs of a code", func(ctx context.Context) (ask.Answer[ask.RunRow], error) {
			return db.Runs(ctx, ask.RunFilters{Filters: ask.Filters{Code: []string{"code-7"}}})
		}),
	)
}

// reads sums what the engine says that it read.
type reads struct {
	inner       http.RoundTripper
	mu          sync.Mutex
	rows, bytes uint64
}

func (r *reads) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.inner.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	var summary struct {
		Rows  uint64 `json:"read_rows,string"`
		Bytes uint64 `json:"read_bytes,string"`
	}
	if json.Unmarshal([]byte(response.Header.Get("X-ClickHouse-Summary")), &summary) == nil {
		r.mu.Lock()
		r.rows, r.bytes = r.rows+summary.Rows, r.bytes+summary.Bytes
		r.mu.Unlock()
	}
	return response, nil
}

// histories measures every question over histories of rising length, and writes a table for each as it has it.
func histories(ctx context.Context, at stackAt, lengths []int, out io.Writer) error {
	s, err := startStack(ctx, at.bin, at.dir)
	if err != nil {
		return err
	}
	defer s.stop()
	have, err := s.made(ctx)
	if err != nil {
		return err
	}
	if have == 0 {
		if err := s.mine(ctx); err != nil {
			return err
		}
	}
	before := map[string]time.Duration{}
	for _, want := range lengths {
		began := time.Now()
		if err := s.history(ctx, have, want); err != nil {
			return err
		}
		have = max(have, want)
		fmt.Fprintf(out, "\n%d calls, made in %.0f s\n", want, time.Since(began).Seconds())
		if err := s.measure(ctx, before, out); err != nil {
			return err
		}
	}
	return nil
}

// measure puts every question some times, one after the other, and compares with the shorter history before.
func (s *stack) measure(ctx context.Context, before map[string]time.Duration, out io.Writer) error {
	options, err := clickhouse.ParseDSN(s.dsn)
	if err != nil {
		return fmt.Errorf("read the address: %w", err)
	}
	var r reads
	options.TransportFunc = func(t *http.Transport) (http.RoundTripper, error) {
		r.inner = t
		return &r, nil
	}
	options.ReadTimeout = 2 * time.Minute
	settings := ask.DefaultSettings()
	settings.Timeout = 2 * time.Minute
	db, err := ask.OpenOptions(options, settings)
	if err != nil {
		return err
	}
	defer db.Close()
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "question\tmedian\tp95\tto the history before\trows read\tMB read\tbound")
	for _, q := range pageQuestions(db) {
		r.rows, r.bytes = 0, 0
		times, err := timed(ctx, q)
		if err != nil {
			return fmt.Errorf("ask %s: %w", q.name, err)
		}
		p95 := times[(len(times)*95+99)/100-1]
		growth := "-"
		if b, ok := before[q.name]; ok {
			growth = fmt.Sprintf("%.1f", float64(p95)/float64(b))
		}
		before[q.name] = p95
		n := uint64(len(times))
		missed := ""
		if p95 > slowest {
			missed = "MISSED: 100 ms"
		}
		fmt.Fprintf(table, "%s\t%d ms\t%d ms\t%s\t%d\t%.1f\t%s\n", q.name, times[len(times)/2].Milliseconds(), p95.Milliseconds(),
			growth, r.rows/n, float64(r.bytes)/float64(n)/1e6, missed)
	}
	return table.Flush()
}

// timed puts a question until there are times enough, at least three and at most twenty, and gives them in rising order.
func timed(ctx context.Context, q question) ([]time.Duration, error) {
	const most = 20
	var times []time.Duration
	began := time.Now()
	for len(times) < 3 || len(times) < most && time.Since(began) < 4*time.Second {
		start := time.Now()
		if err := q.put(ctx); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	return times, nil
}

// lengthsOf reads a comma list of numbers of calls.
func lengthsOf(text string) ([]int, error) {
	var lengths []int
	for word := range strings.SplitSeq(text, ",") {
		var n int
		if _, err := fmt.Sscan(word, &n); err != nil || n < mined*callsPerRun {
			return nil, fmt.Errorf("-history %q: want a comma list of numbers of calls, each at least %d, such as 1000000,10000000", text, mined*callsPerRun)
		}
		lengths = append(lengths, n)
	}
	return lengths, nil
}
