package main

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"golang.org/x/tools/txtar"

	"errata/internal/devstack/devtest"
	"errata/internal/realkafka"
	"errata/pipeline/feed"
	"errata/pipeline/format/otlp/wiretest"
)

// What a Collector writes to Kafka with either encoding, spans on one topic and logs beside them, gives the same tables.
// Its records have no key and none of Errata's headers. A record that was cut costs itself only.
func TestOTLPThroughApacheKafka(t *testing.T) {
	b := realkafka.Start(t, realkafka.Options{})
	var tables [2][]string
	for i, encoding := range []string{"otlp_json", "otlp_proto"} {
		dsn := devtest.ClickHouse(t)
		env := map[string]string{"ERRATA_KAFKA_BROKERS": b.Addr, "ERRATA_KAFKA_TOPIC": encoding, "ERRATA_CLICKHOUSE_DSN": dsn, "ERRATA_KAFKA_GROUP": encoding}
		b.Topic(t, encoding, 1)
		b.Topic(t, feed.RejectsTopic(encoding), 1)
		publishOTLP(t, b.Addr, encoding)
		var errs bytes.Buffer
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		code := dispatch(ctx, []string{"run", "-until-caught-up"}, world{out: io.Discard, err: &errs, getenv: func(name string) string { return env[name] }})
		cancel()
		if code != 0 {
			t.Fatalf("%s: %s", encoding, errs.String())
		}
		tables[i] = append(rowsOf(t, dsn, "SELECT toString(tuple(* EXCEPT stored_at)) FROM runs FINAL ORDER BY run_id"),
			rowsOf(t, dsn, "SELECT toString(tuple(* EXCEPT stored_at)) FROM transcripts FINAL ORDER BY run_id, thread_id, kind, slot")...)
		// By hand: update_ticket failed and get_ticket went well in one file, weather failed in the other.
		got := rowsOf(t, dsn, "SELECT concat(run_id, ' ', toString(length(calls)), ' ', toString(length(errors))) FROM runs FINAL ORDER BY run_id")
		if want := []string{"conv-1 2 1", "trace-5b8efff798038103d269b633813fc60d 1 1"}; !slices.Equal(got, want) {
			t.Errorf("%s: runs with calls and errors %q, want %q", encoding, got, want)
		}
		if rejects := rowsOf(t, dsn, "SELECT toString(offset) FROM rejects ORDER BY offset"); !slices.Contains(rejects, "1") {
			t.Errorf("%s: rejects at the offsets %q, want the cut record at 1 among them", encoding, rejects)
		}
	}
	if !slices.Equal(tables[0], tables[1]) {
		t.Errorf("in JSON\n%s\nin protobuf\n%s", strings.Join(tables[0], "\n"), strings.Join(tables[1], "\n"))
	}
}

// publishOTLP publishes a request with spans, the same one cut, and a request with log records.
func publishOTLP(t *testing.T, addr, encoding string) {
	t.Helper()
	spans, logs := otlpCase(t, "current"), otlpCase(t, "logs")
	if encoding == "otlp_proto" {
		spans, logs = wiretest.Protobuf(t, spans), wiretest.Protobuf(t, logs)
	}
	w := &kafka.Writer{Addr: kafka.TCP(addr), Topic: encoding, RequiredAcks: kafka.RequireAll, BatchTimeout: 5 * time.Millisecond, Transport: &kafka.Transport{}}
	defer w.Close()
	at := time.Date(2026, 3, 2, 10, 0, 7, 0, time.UTC)
	messages := []kafka.Message{{Value: spans, Time: at}, {Value: spans[:len(spans)/2], Time: at}, {Value: logs, Time: at}}
	if err := w.WriteMessages(t.Context(), messages...); err != nil {
		t.Fatal(err)
	}
}

func otlpCase(t *testing.T, name string) []byte {
	t.Helper()
	archive, err := txtar.ParseFile("../../pipeline/format/otlp/testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	return archive.Files[0].Data
}
