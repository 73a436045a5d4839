package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/segmentio/kafka-go"

	"errata/internal/devstack/devtest"
	"errata/internal/simulate"
	"errata/internal/torture/proxy"
	"errata/pipeline/feed"
)

// log keeps what is written to it from several goroutines.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

// lines counts the lines with a text.
func (l *log) lines(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), text)
}

// patient is a running "ingest run" whose surroundings fail.
type patient struct {
	t      *testing.T
	broker string
	health string
	proxy  *proxy.Proxy
	log    *log
	stop   func()
}

// startPatient runs ingest with a proxy before ClickHouse.
func startPatient(t *testing.T, broker, dsn string) *patient {
	host := regexp.MustCompile(`@([^/]+)/`).FindStringSubmatch(dsn)[1]
	p := &patient{t: t, broker: broker, health: devtest.FreeAddr(t), proxy: proxy.Start(t, host), log: &log{}}
	env := map[string]string{
		"ERRATA_KAFKA_BROKERS": broker, "ERRATA_KAFKA_TOPIC": topic,
		"ERRATA_CLICKHOUSE_DSN": strings.Replace(dsn, host, p.proxy.Addr, 1) + "?read_timeout=2s",
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int)
	go func() {
		ended <- dispatch(ctx, []string{"run", "-listen", p.health, "-session-timeout", "3s", "-batch-wait", "50ms"},
			world{out: io.Discard, err: p.log, getenv: func(name string) string { return env[name] }})
	}()
	p.stop = func() {
		cancel()
		if code := <-ended; code != 0 {
			t.Errorf("it ended with %d: %s", code, p.log.text.String())
		}
	}
	return p
}

// get asks the health address; 0 while nobody answers.
func (p *patient) get(path string) (int, string) {
	response, err := http.Get("http://" + p.health + path)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}

// await polls for a condition.
func (p *patient) await(what string, done func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			_, ready := p.get("/readyz")
			p.t.Fatalf("waited in vain for %s; ready: %s\n%s", what, ready, p.log.text.String())
		}
	}
}

func (p *patient) ready() bool { code, _ := p.get("/readyz"); return code == http.StatusOK }

// stuck reads the metric that says for how long nothing was stored.
func (p *patient) stuck() float64 {
	_, text := p.get("/metrics")
	found := regexp.MustCompile(`(?m)^errata_ingest_stuck_seconds (.*)$`).FindStringSubmatch(text)
	if found == nil {
		return -1
	}
	seconds, _ := strconv.ParseFloat(found[1], 64)
	return seconds
}

// caughtUp tells whether everything on the topic is committed.
func (p *patient) caughtUp() bool {
	admin := feed.NewAdmin([]string{p.broker}, &kafka.Transport{})
	ends, err := admin.Ends(context.Background(), topic)
	if err != nil {
		return false
	}
	committed, err := admin.Committed(context.Background(), "errata", topic)
	return err == nil && feed.Missing(ends, committed) == 0
}

func publishPortion(t *testing.T, broker string, messages []kafka.Message) {
	t.Helper()
	w := &kafka.Writer{Addr: kafka.TCP(broker), Topic: topic, Balancer: kafka.Murmur2Balancer{Consistent: true},
		RequiredAcks: kafka.RequireAll, BatchTimeout: 5 * time.Millisecond, Transport: &kafka.Transport{}}
	defer w.Close()
	if err := w.WriteMessages(t.Context(), messages...); err != nil {
		t.Fatal(err)
	}
}

// simulated gives records of some runs, in portions.
func simulated(portions int) [][]kafka.Message {
	cfg := simulate.Small()
	cfg.RunsPerDay = 15
	var all []kafka.Message
	for run := range simulate.Generate(cfg) {
		for _, r := range run.Increments(4) {
			all = append(all, kafka.Message{Key: []byte(r.Key), Value: r.Value, Time: r.Time.Truncate(time.Millisecond)})
		}
	}
	slices.SortStableFunc(all, func(a, b kafka.Message) int { return a.Time.Compare(b.Time) })
	return slices.Collect(slices.Chunk(all, len(all)/portions+1))
}

// Whatever ClickHouse and the broker do, ingest waits, says so, goes on by itself and loses nothing.
func TestIngestOutlastsFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	dsn, clean := devtest.ClickHouse(t), devtest.ClickHouse(t)
	options := devtest.Options{Dir: filepath.Join(t.TempDir(), "stack"), Kafka: devtest.FreeAddr(t), NoClickHouse: true}
	stack := devtest.Start(t, options)
	p := startPatient(t, options.Kafka, dsn)
	p.await("the first readiness", p.ready)
	faults := []proxy.Fault{proxy.Down, proxy.Slow, proxy.Hang, proxy.ReadOnly, proxy.DiskFull, proxy.Busy, proxy.Lost}
	portions := simulated(len(faults) + 1)
	for i, fault := range faults {
		said := p.log.lines("cannot go on")
		p.proxy.Set(fault)
		publishPortion(t, options.Kafka, portions[i])
		if fault != proxy.Slow {
			p.await(string(fault)+" to show", func() bool { return p.proxy.Struck() >= 2 && !p.ready() && p.stuck() > 0 })
			if lines := p.log.lines("cannot go on") - said; lines != 1 {
				t.Errorf("%s: %d lines say so, want 1", fault, lines)
			}
			if p.caughtUp() {
				t.Errorf("%s: what could not be stored was committed", fault)
			}
			p.proxy.Set(proxy.None)
		}
		p.await("going on after "+string(fault), func() bool { return p.caughtUp() && p.ready() && p.stuck() == 0 })
	}
	if err := stack.Kill(); err != nil {
		t.Fatal(err)
	}
	p.await("the broker's death to show", func() bool { return !p.ready() && p.stuck() > 0 })
	devtest.Start(t, options)
	publishPortion(t, options.Kafka, portions[len(faults)])
	p.await("going on with the broker", func() bool { return p.ready() && p.caughtUp() })
	p.stop()
	sameTables(t, options.Kafka, dsn, clean)
}

// sameTables compares what was stored with what a clean run of the same topic stores.
func sameTables(t *testing.T, broker, dsn, clean string) {
	t.Helper()
	env := map[string]string{"ERRATA_KAFKA_BROKERS": broker, "ERRATA_KAFKA_TOPIC": topic, "ERRATA_CLICKHOUSE_DSN": clean, "ERRATA_KAFKA_GROUP": "clean"}
	var errs bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if code := dispatch(ctx, []string{"run", "-until-caught-up"}, world{out: io.Discard, err: &errs, getenv: func(name string) string { return env[name] }}); code != 0 {
		t.Fatalf("clean run: %s", errs.String())
	}
	for _, query := range []string{
		"SELECT toString(tuple(* EXCEPT stored_at)) FROM runs FINAL ORDER BY run_id",
		"SELECT toString(tuple(* EXCEPT stored_at)) FROM transcripts FINAL ORDER BY run_id, thread_id, kind, slot",
	} {
		got, want := rowsOf(t, dsn, query), rowsOf(t, clean, query)
		if len(want) < 30 || !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, want the %d of a clean run", query, len(got), len(want))
		}
	}
}

func rowsOf(t *testing.T, dsn, query string) []string {
	t.Helper()
	options, err := clickhouse.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	rows, err := conn.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			t.Fatal(err)
		}
		out = append(out, row)
	}
	return out
}

// held is how many bytes of the heap are in use.
func held() int64 {
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	return int64(memory.HeapAlloc)
}

// While nothing can be stored, what was read ahead stays within its bound.
func TestAHaltFillsNoMemory(t *testing.T) {
	broker, dsn := startBroker(t), devtest.ClickHouse(t)
	p := startPatient(t, broker, dsn)
	p.await("the first readiness", p.ready)
	before := held()
	p.proxy.Set(proxy.DiskFull)
	text := strings.Repeat("x", 200<<10)
	for i := range 200 {
		var messages []kafka.Message
		for j := range 4 {
			id := fmt.Sprintf("r%d-%d", i, j)
			messages = append(messages, kafka.Message{Key: []byte(id), Value: []byte(envelope(id, `{"role":"user","content":"`+text+`"}`))})
		}
		publishPortion(t, broker, messages)
	}
	p.await("the halt", func() bool { return p.proxy.Struck() >= 3 })
	// At most 16 MiB are queued, 16 MiB gathered and 16 MiB in the batch at hand, each decoded once more, and some are read ahead.
	// What earlier tests left in the process is not counted.
	grown := held() - before
	if grown > 120_000_000 {
		t.Errorf("160 MB wait on the topic, and %d bytes are in memory beside the %d before", grown, before)
	}
	t.Logf("160 MB wait on the topic, %d bytes are in memory beside the %d before", grown, before)
	p.proxy.Set(proxy.None)
	p.await("all of it", p.caughtUp)
	p.stop()
	if n := len(rowsOf(t, dsn, "SELECT run_id FROM runs FINAL")); n != 800 {
		t.Errorf("%d runs, want 800", n)
	}
}
