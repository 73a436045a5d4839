package pipeline

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"errata/pipeline/assemble"
	"errata/pipeline/feed"
)

// Counters is everything that moves, for /metrics.
type Counters struct {
	records, bytes, runs, messages, buried prometheus.Counter
	rejected                               *prometheus.CounterVec
	batches                                prometheus.Histogram
	partitions, heldRuns, held             prometheus.Gauge
	lag                                    *prometheus.GaugeVec
}

func newCounters() Counters {
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "errata_ingest_" + name, Help: help})
	}
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: "errata_ingest_" + name, Help: help})
	}
	return Counters{
		records:  counter("records_total", "Kafka records that were stored or rejected."),
		bytes:    counter("bytes_total", "Bytes of their values."),
		runs:     counter("runs_written_total", "Rows of facts written; a run is written again whenever it grows."),
		messages: counter("messages_written_total", "Transcript rows written."),
		buried:   counter("deleted_total", "Parts of records that were left out because their run was deleted."),
		rejected: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "errata_ingest_rejected_total", Help: "Parts of records that could not be used, by reason."}, []string{"reason"}),
		batches: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "errata_ingest_batch_seconds", Help: "Time from a batch's decoding to its acknowledgement.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2, 14)}),
		partitions: gauge("partitions", "Partitions that this process owns."),
		heldRuns:   gauge("held_runs", "Runs in memory."),
		held:       gauge("held_bytes", "Memory of the runs in memory, by the assembler's own account."),
		lag: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "errata_ingest_lag_records", Help: "Records of a partition behind its end."}, []string{"partition"}),
	}
}

// Register makes the counters known to a registry.
func (p *Pipeline) Register(registry prometheus.Registerer) error {
	c := p.counters
	stuck := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "errata_ingest_stuck_seconds", Help: "For how long nothing could be stored; 0 while all is well."}, func() float64 {
		trouble := p.Trouble()
		if trouble == nil {
			return 0
		}
		return time.Since(trouble.Since).Seconds()
	})
	for _, collector := range []prometheus.Collector{
		c.records, c.bytes, c.runs, c.messages, c.buried, c.rejected, c.batches, c.partitions, c.heldRuns, c.held, c.lag, p.retry.failed, stuck,
	} {
		if err := registry.Register(collector); err != nil {
			return err
		}
	}
	return nil
}

func (c Counters) observe(batch feed.Batch, took time.Duration, held *assemble.Assembler) {
	c.records.Add(float64(len(batch.Records)))
	for _, record := range batch.Records {
		c.bytes.Add(float64(len(record.Value)))
	}
	c.batches.Observe(took.Seconds())
	runs, bytes := held.Held()
	c.heldRuns.Set(float64(runs))
	c.held.Set(float64(bytes))
	for _, mark := range batch.Marks {
		c.lag.WithLabelValues(strconv.Itoa(mark.Partition)).Set(float64(mark.HighWatermark - mark.Next))
	}
}

func (c Counters) merged(batch assemble.Batch) {
	c.runs.Add(float64(len(batch.Changed)))
	for _, changed := range batch.Changed {
		c.messages.Add(float64(len(changed.Rows)))
	}
}
