package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/cenkalti/backoff/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"errata/internal/settings"
	"errata/metrics/ask"
	"errata/metrics/review"
	"errata/migrations"
	"errata/web"
	"errata/web/api"
)

// run serves until the context ends. It prints the address once it listens.
func run(ctx context.Context, args []string, stdout io.Writer, getenv func(string) string) error {
	set := settings.New("dashboard", about, getenv)
	told := declare(set)
	rest, err := set.Parse(args, stdout, version)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return settings.Usagef("dashboard: takes no arguments, got %q; see dashboard -help", rest[0])
	}
	access, err := told.access()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if *told.gallery {
		gallery, err := web.NewGallery(access, log)
		if err != nil {
			return err
		}
		return serve(ctx, *told.listen, gallery, stdout)
	}
	d, err := newDashboard(told, access, log)
	if err != nil {
		return err
	}
	defer d.close()
	done := make(chan struct{})
	ctx, stop := context.WithCancel(ctx)
	go func() {
		defer close(done)
		d.prepare(ctx)
	}()
	defer func() { stop(); <-done }()
	return serve(ctx, *told.listen, d, stdout)
}

// dashboard is the wiring of questions, API and pages.
type dashboard struct {
	told    told
	options *clickhouse.Options
	db      *ask.DB
	log     *slog.Logger
	pages   *web.Server
	handler http.Handler
	ready   atomic.Bool // the tables are there
}

// newDashboard wires the parts; nothing connects yet.
func newDashboard(told told, access web.Access, log *slog.Logger) (*dashboard, error) {
	options, err := told.clickhouse.Options()
	if err != nil {
		return nil, err
	}
	asking, err := told.asking()
	if err != nil {
		return nil, err
	}
	db, err := ask.OpenOptions(options, asking)
	if err != nil {
		return nil, err
	}
	d := &dashboard{told: told, options: options, db: db, log: log}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	reviews := review.New(db.Conn(), asking.Now)
	pages, err := web.New(web.Config{
		Questions: db, Reviews: reviews, API: api.New(db, reviews, log), Ready: d.whyNot, PanelTimeout: *told.timeout,
		Access: access, Log: log, Now: asking.Now, Registry: registry,
		Metrics: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", d.readyz)
	mux.Handle("/", pages)
	d.pages, d.handler = pages, mux
	return d, nil
}

// ServeHTTP answers a request.
func (d *dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.handler.ServeHTTP(w, r) }

// EndStreams ends what never ends by itself.
func (d *dashboard) EndStreams() { d.pages.EndStreams() }

func (d *dashboard) close() {
	if err := d.db.Close(); err != nil {
		d.log.Warn("close ClickHouse", "error", err)
	}
}

// whyNot says why nothing can be answered yet.
func (d *dashboard) whyNot() error {
	if !d.ready.Load() {
		return errors.New("the database does not answer yet, or its tables are not there")
	}
	return nil
}

// probeLimit is how long the database may take to say that it is there.
const probeLimit = 5 * time.Second

// readyz says whether questions can be answered now.
func (d *dashboard) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), probeLimit)
	defer cancel()
	err := d.whyNot()
	if err == nil {
		_, err = d.db.Health(ctx)
	}
	if err != nil {
		http.Error(w, api.Explain(err).Message, http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

// prepare waits for the database and makes the tables, or waits until somebody else has.
func (d *dashboard) prepare(ctx context.Context) {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.MaxInterval = 200*time.Millisecond, 5*time.Second
	said := ""
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := d.tables(ctx)
		if err != nil && ctx.Err() == nil && err.Error() != said {
			said = err.Error()
			d.log.Warn("waiting for the tables", "error", err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(waits), backoff.WithMaxElapsedTime(0))
	if err == nil {
		d.ready.Store(true)
	}
}

func (d *dashboard) tables(ctx context.Context) error {
	if !*d.told.migrate {
		_, err := d.db.Health(ctx)
		return err
	}
	applied, err := migrations.Apply(ctx, migrations.Config{Options: d.options, Cluster: d.told.clickhouse.Cluster()})
	if applied > 0 {
		d.log.Info("migrations applied", "count", applied)
	}
	return err
}

// stopLimit is how long requests may take to end when the program is stopped.
const stopLimit = 5 * time.Second

// serve answers until the context ends, and then lets what was asked be answered.
func serve(ctx context.Context, address string, handler http.Handler, stdout io.Writer) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return settings.Usagef("-listen %s: %v: give a free address such as 127.0.0.1:8080, or port 0 for any", address, err)
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, WriteTimeout: 2 * time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	if streaming, ok := handler.(interface{ EndStreams() }); ok {
		server.RegisterOnShutdown(streaming.EndStreams)
	}
	fmt.Fprintf(stdout, "dashboard: http://%s/\n", listener.Addr())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve pages: %w", err)
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		_ = server.Close()
	}
	return nil
}
