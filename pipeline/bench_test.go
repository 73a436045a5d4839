package pipeline_test

import (
	"testing"

	"errata/internal/simulate"
	"errata/pipeline/feed"
)

// BenchmarkHandle is everything but Kafka: increments of one call each, the runs interleaved, in the feed's batches.
func BenchmarkHandle(b *testing.B) {
	cfg := simulate.DefaultLoad()
	cfg.Runs = 5_000
	var all []feed.Record
	for r := range simulate.Load(cfg) {
		all = append(all, feed.Record{Offset: int64(len(all)), Key: []byte(r.Key), Value: r.Value, Time: r.Time})
	}
	size := feed.DefaultConfig().MaxRecords
	for b.Loop() {
		b.StopTimer()
		w := newWorld(b)
		p := w.pipeline()
		b.StartTimer()
		for from := 0; from < len(all); from += size {
			w.handle(p, all[from:min(from+size, len(all))])
		}
	}
	b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "calls/s")
}
