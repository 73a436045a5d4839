package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"

	"errata/internal/simulate"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
)

// material says which records are published. The same material gives the same records, times and partitions.
type material struct {
	runsPerDay int    // simulated runs a day, for two days
	corpus     string // folder of public transcripts, "" for none
	realRuns   int    // records of real runs at most
}

// placed is a record with the partition that it goes to.
type placed struct {
	partition int
	message   kafka.Message
}

// records gives the material in the order in which it is published: the increments of all runs interleaved by their
// times, real runs in between, and now and then a record that nobody can read or that has no key.
func (m material) records(partitions int) ([]placed, error) {
	list := m.simulated()
	real, err := m.real()
	if err != nil {
		return nil, err
	}
	list = interleave(list, real)
	list = withBad(list)
	out := make([]placed, len(list))
	ids := make([]int, partitions)
	for i := range ids {
		ids[i] = i
	}
	balancer := kafka.Murmur2Balancer{Consistent: true}
	for i, message := range list {
		out[i] = placed{i % partitions, message}
		if len(message.Key) > 0 {
			out[i].partition = balancer.Balance(message, ids...)
		}
	}
	return out, nil
}

// noKey is how many records stand between two that lack their key, and so go to any partition.
const noKey = 23

func (m material) simulated() []kafka.Message {
	cfg := simulate.Small()
	cfg.RunsPerDay = m.runsPerDay
	var records []simulate.Record
	for run := range simulate.Generate(cfg) {
		records = append(records, run.Increments(6)...)
	}
	slices.SortStableFunc(records, func(a, b simulate.Record) int { return a.Time.Compare(b.Time) })
	out := make([]kafka.Message, len(records))
	for i, r := range records {
		out[i] = kafka.Message{Key: []byte(r.Key), Value: r.Value, Time: r.Time.Truncate(time.Millisecond)}
		if i%noKey == noKey-1 {
			out[i].Key = nil
		}
	}
	return out
}

// real gives the runs of a public result file, cut as "ingest send" cuts them.
func (m material) real() ([]kafka.Message, error) {
	if m.corpus == "" {
		return nil, nil
	}
	paths, err := filepath.Glob(filepath.Join(m.corpus, "tau-bench", "*.json"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("find tau-bench/*.json below %s: %w", m.corpus, errors.Join(err, os.ErrNotExist))
	}
	at := time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC)
	var out []kafka.Message
	for _, path := range paths {
		value, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read a real transcript: %w", err)
		}
		in := dialect.Input{Value: value}
		d, err := format.Detect(in)
		if err != nil {
			return nil, fmt.Errorf("tell the format of %s: %w", path, err)
		}
		parts, _ := format.Split(in, d, 16<<10)
		for _, part := range parts {
			if len(out) == m.realRuns {
				return out, nil
			}
			message := kafka.Message{Key: []byte(part.Key), Value: part.Value, Time: at.Add(time.Duration(len(out)) * time.Second)}
			for name, value := range part.Headers {
				message.Headers = append(message.Headers, kafka.Header{Key: name, Value: []byte(value)})
			}
			slices.SortFunc(message.Headers, func(a, b kafka.Header) int { return compare(a.Key, b.Key) })
			out = append(out, message)
		}
	}
	return out, nil
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// interleave spreads the second list evenly over the first.
func interleave(first, second []kafka.Message) []kafka.Message {
	out := make([]kafka.Message, 0, len(first)+len(second))
	for i, j := 0, 0; i < len(first) || j < len(second); {
		if j < len(second) && (i == len(first) || j*len(first) <= i*len(second)) {
			out = append(out, second[j])
			j++
			continue
		}
		out = append(out, first[i])
		i++
	}
	return out
}

// withBad puts records in between that cannot be used, or only in part.
func withBad(list []kafka.Message) []kafka.Message {
	bad := []string{
		`{"schema":"errata.run/v1","run_id":`,
		`{"schema":"errata.run/v1","run_id":5,"messages":[]}`,
		"\x00\x01\x02",
		`[{"schema":"errata.run/v1","run_id":"half","messages":[{"role":"user","content":"good"}]},{"schema":"errata.run/v1","messages":7}]`,
		`{"no":"transcript"}`,
	}
	const every = 61
	var out []kafka.Message
	for i, message := range list {
		out = append(out, message)
		if i%every == every-1 {
			out = append(out, kafka.Message{Key: []byte("bad"), Value: []byte(bad[i/every%len(bad)]), Time: message.Time})
		}
	}
	return out
}
