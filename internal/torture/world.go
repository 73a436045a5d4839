package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/segmentio/kafka-go"

	"errata/pipeline/feed"
)

// partitions is how many the topic has.
const partitions = 4

// session is after how long without a sign of life a process loses its partitions.
const session = 2 * time.Second

// world is one broker and one database with everything that works on them.
type world struct {
	dir, programs     string
	ingest            string // the program that consumes
	kafka, clickHouse string // addresses, the same after a restart
	stack             *process
	publisher         *publisher
}

// newWorld starts the engines in a folder of their own and makes the topic.
func newWorld(ctx context.Context, dir string, told told, records []placed) (*world, error) {
	w := &world{dir: dir, programs: told.programs, ingest: told.ingest}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make a folder for a scenario: %w", err)
	}
	for _, address := range []*string{&w.kafka, &w.clickHouse} {
		free, err := freeAddress()
		if err != nil {
			return nil, err
		}
		*address = free
	}
	w.stack = &process{
		program: filepath.Join(w.programs, "devstack"), log: filepath.Join(dir, "devstack.log"), says: "ready, data under",
		args: []string{"-dir", filepath.Join(dir, "stack"), "-kafka", w.kafka, "-clickhouse", w.clickHouse},
	}
	if err := w.startStack(ctx); err != nil {
		return nil, err
	}
	w.publisher = newPublisher(w.kafka, records)
	return w, w.publisher.create(ctx, w.kafka)
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

func (w *world) startStack(ctx context.Context) error {
	if err := w.stack.start(); err != nil {
		return err
	}
	return w.stack.hear(ctx)
}

func (w *world) close() {
	if w.stack.cmd != nil {
		_ = w.stack.kill()
	}
}

// dsn is where the tables are.
func (w *world) dsn() string { return "http://default@" + w.clickHouse + "/errata" }

// consumer gives an ingester that is not started yet, with batches so small that a kill hits any of its steps.
func (w *world) consumer(name string, args ...string) *process {
	return &process{
		program: w.ingest, log: filepath.Join(w.dir, name+".log"), says: "partitions assigned",
		args: append([]string{"run", "-batch-records", "4", "-batch-wait", "20ms", "-session-timeout", session.String(), "-partitions", strconv.Itoa(partitions)}, args...),
		env:  []string{"ERRATA_KAFKA_BROKERS=" + w.kafka, "ERRATA_KAFKA_TOPIC=" + topicName, "ERRATA_CLICKHOUSE_DSN=" + w.dsn()},
	}
}

// catchUp lets one ingester consume in peace until everything is stored.
func (w *world) catchUp() error {
	last := w.consumer("ingest-last", "-until-caught-up", "-batch-records", "500", "-batch-wait", "100ms")
	if err := last.start(); err != nil {
		return err
	}
	return last.wait()
}

// state tells how many records are on the topic but not committed, and how many of those are noted as stored.
func (w *world) state(ctx context.Context) (toDo, uncommitted int64, err error) {
	admin := feed.NewAdmin([]string{w.kafka}, &kafka.Transport{}) // none of whose connections ends at a broker that was killed
	ends, err := admin.Ends(ctx, topicName)
	if err != nil {
		return 0, 0, err
	}
	committed, err := admin.Committed(ctx, "errata", topicName)
	if err != nil {
		return 0, 0, err
	}
	conn, err := w.open()
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close()
	target, err := texts(ctx, conn, "SELECT concat(toString(partition), ' ', toString(next_offset)) FROM ingest_progress FINAL")
	if err != nil {
		return 0, 0, err
	}
	for _, line := range target {
		var partition int
		var next int64
		if _, err := fmt.Sscan(line, &partition, &next); err != nil {
			return 0, 0, fmt.Errorf("read the progress %q: %w", line, err)
		}
		uncommitted += max(next-max(committed[partition], 0), 0)
	}
	return feed.Missing(ends, committed), uncommitted, nil
}

// open connects to the database.
func (w *world) open() (driver.Conn, error) {
	options, err := clickhouse.ParseDSN(w.dsn())
	if err != nil {
		return nil, fmt.Errorf("read the tables: %w", err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		return nil, fmt.Errorf("read the tables: %w", err)
	}
	return conn, nil
}
