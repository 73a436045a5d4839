package main

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"errata/internal/simulate"
)

// wholeRuns gives the runs of a load as one record each.
func wholeRuns(cfg simulate.LoadConfig) iter.Seq2[simulate.Record, error] {
	return func(yield func(simulate.Record, error) bool) {
		whole := map[string]map[string]json.RawMessage{}
		said := map[string][]json.RawMessage{}
		for r := range simulate.Load(cfg) {
			var record map[string]json.RawMessage
			var messages []json.RawMessage
			err := json.Unmarshal(r.Value, &record)
			if err == nil {
				err = json.Unmarshal(record["messages"], &messages)
			}
			if err != nil {
				yield(r, fmt.Errorf("read a record of the load: %w", err))
				return
			}
			said[r.Key] = append(said[r.Key], messages...)
			if whole[r.Key] == nil {
				whole[r.Key] = record
			}
			if record["ended"] == nil {
				continue
			}
			record["first_message"] = whole[r.Key]["first_message"]
			if record["messages"], err = json.Marshal(said[r.Key]); err == nil {
				r.Value, err = json.Marshal(record)
			}
			delete(whole, r.Key)
			delete(said, r.Key)
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// ingestWhole measures the same runs with each in one record, beside what only copies such records.
func ingestWhole(ctx context.Context, bin string, runs int) ([]row, error) {
	s, err := startStack(ctx, bin, "")
	if err != nil {
		return nil, err
	}
	defer s.stop()
	cfg := simulate.DefaultLoad()
	cfg.Runs = runs
	l := load{topic: "whole", calls: runs * cfg.CallsPerRun}
	if err := s.publishAll(ctx, &l, wholeRuns(cfg)); err != nil {
		return nil, err
	}
	engine, err := s.copyWithEngine(ctx, l)
	if err != nil {
		return nil, err
	}
	took, err := s.program(ctx, "ingest", "run", "-until-caught-up", "-kafka-topic", l.topic, "-kafka-group", "errata-whole")
	if err != nil {
		return nil, err
	}
	calls := float64(l.calls)
	return []row{
		{what: "whole runs: Kafka engine that copies", figure: fmt.Sprintf("%.0f calls/s, %.1f MB/s", calls/engine.Seconds(), float64(l.bytes)/1e6/engine.Seconds()),
			ratio: fmt.Sprintf("%.2f", engine.Seconds()/took.wall.Seconds())},
		{what: "whole runs: errata ingest", figure: fmt.Sprintf("%.0f calls/s, %.1f MB/s", calls/took.wall.Seconds(), float64(l.bytes)/1e6/took.wall.Seconds()), ratio: "1",
			raw: fmt.Sprintf("%.1f CPU s per million calls, %d MiB, %.0f bytes a record", took.cpu.Seconds()/calls*1e6, took.peak>>20, float64(l.bytes)/float64(l.records))},
	}, nil
}
