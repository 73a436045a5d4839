package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"errata/internal/settings"
)

// serve answers the machines that watch ingest, until ctx ends.
func (in *ingest) serve(ctx context.Context, address string) error {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if err := in.line.Register(registry); err != nil {
		return fmt.Errorf("register metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", in.ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))

	listener, err := net.Listen("tcp", address)
	if err != nil {
		return settings.Usagef("-listen %s: %v: give a free address such as 127.0.0.1:9464", address, err)
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	in.log.Info("listening", "address", listener.Addr().String())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve health and metrics: %w", err)
	}
	return nil
}

// ready says whether records can be stored now, and if not what is in the way.
func (in *ingest) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	err := in.store.Ping(ctx)
	if err == nil {
		err = in.admin.Ping(ctx)
	}
	if trouble := in.line.Trouble(); err == nil && trouble != nil {
		err = fmt.Errorf("nothing is stored since %s: %w", trouble.Since.UTC().Format(time.RFC3339), trouble.Err)
	}
	if err == nil && !in.prepared.Load() {
		err = errors.New("the tables and the topic are being prepared")
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}
