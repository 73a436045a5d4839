package web

import (
	"fmt"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// counters count what was asked of the dashboard and how long it took.
type counters struct {
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	questions *prometheus.HistogramVec
	failures  *prometheus.CounterVec
	streams   prometheus.Gauge
}

func newCounters(registry prometheus.Registerer) (*counters, error) {
	c := &counters{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "errata_dashboard_requests_total", Help: "Requests answered, by page and status.",
		}, []string{"page", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "errata_dashboard_request_seconds", Help: "Time to answer a request, by page.", Buckets: prometheus.ExponentialBuckets(.005, 2, 13),
		}, []string{"page"}),
		questions: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "errata_dashboard_question_seconds", Help: "Time the database took for a part of a page, by question.", Buckets: prometheus.ExponentialBuckets(.005, 2, 13),
		}, []string{"question"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "errata_dashboard_question_failures_total", Help: "Parts of pages that could not be answered, by question.",
		}, []string{"question"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "errata_dashboard_streams", Help: "Pages that follow what is ingested.",
		}),
	}
	if registry == nil {
		return c, nil
	}
	for _, collector := range []prometheus.Collector{c.requests, c.durations, c.questions, c.failures, c.streams} {
		if err := registry.Register(collector); err != nil {
			return nil, fmt.Errorf("register the dashboard's counters: %w", err)
		}
	}
	return c, nil
}

func (c *counters) request(page string, status int, took time.Duration) {
	c.requests.WithLabelValues(page, strconv.Itoa(status)).Inc()
	c.durations.WithLabelValues(page).Observe(took.Seconds())
}

func (c *counters) question(name string, took time.Duration, err error) {
	c.questions.WithLabelValues(name).Observe(took.Seconds())
	if err != nil {
		c.failures.WithLabelValues(name).Inc()
	}
}
