package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/segmentio/kafka-go"

	"errata/internal/devstack/broker"
	"errata/pipeline/feed"
	"errata/pipeline/format"
	"errata/pipeline/format/dialect"
)

const topic = "transcripts"

// TestSend publishes files of several kinds, and reads what came.
func TestSend(t *testing.T) {
	addr := startBroker(t)
	dir := t.TempDir()
	write(t, dir, "lines.jsonl", envelope("a", `{"role":"user","content":"one"}`)+"\n"+envelope("b", "")+"\n")
	write(t, dir, "deeper/packed.json.gz", gzipped(t, "["+envelope("c", "")+","+envelope("a", "")+"]"))
	write(t, dir, "packed.zst", zstded(t, envelope("d", "")))
	write(t, dir, "README.md", "# not a transcript")
	write(t, dir, ".hidden.json", envelope("hidden", ""))
	write(t, dir, "bad.json", `{"schema":"errata.run/v1","run_id":"x","messages":5}`)

	code, out, errs := run(t, "", "send", "-kafka-brokers", addr, "-kafka-topic", topic, "-ended", dir)
	if code != 1 {
		t.Errorf("exit code %d, want 1 for the bad file; %s", code, errs)
	}
	for _, want := range []string{"4 runs", "5 records", "1 files skipped", "1 records not sent"} {
		if !strings.Contains(out, want) {
			t.Errorf("it says %q, want %q in it", out, want)
		}
	}
	for _, want := range []string{"README.md: no JSON", "bad.json: at /messages, byte 0: wrong_type"} {
		if !strings.Contains(errs, want) {
			t.Errorf("it complains %q, want %q in it", errs, want)
		}
	}
	runs := map[string]int{}
	for _, message := range consume(t, addr) {
		decoded := decodeMessage(t, message)
		for _, fragment := range decoded.Fragments {
			if string(fragment.Meta.ID) != string(message.Key) {
				t.Errorf("run %q has the key %q", fragment.Meta.ID, message.Key)
			}
			runs[string(message.Key)]++
		}
	}
	if want := map[string]int{"a": 2, "b": 1, "c": 1, "d": 1}; !maps.Equal(runs, want) {
		t.Errorf("records by run: %v, want %v", runs, want)
	}
}

// TestSendSplits: a large run goes in several records, which give the run again; sent twice it has the same key.
func TestSendSplits(t *testing.T) {
	addr := startBroker(t)
	messages := strings.Repeat(`{"role":"user","content":"`+strings.Repeat("x", 700)+`"},`, 9) + `{"role":"assistant","content":"end"}`
	for range 2 {
		code, _, errs := run(t, envelope("big", messages), "send", "-kafka-brokers", addr, "-kafka-topic", topic, "-max-record", "2KiB", "-")
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, errs)
		}
	}
	first, count := map[int]int{}, 0
	for _, message := range consume(t, addr) {
		if len(message.Value) > 2<<10 {
			t.Errorf("a record has %d bytes", len(message.Value))
		}
		for _, fragment := range decodeMessage(t, message).Fragments {
			if fragment.Meta.ID != "big" || fragment.Snapshot {
				t.Errorf("a part is of run %q, snapshot %v", fragment.Meta.ID, fragment.Snapshot)
			}
			first[fragment.First] = len(fragment.Messages)
			count++
		}
	}
	// 9 messages of 730 bytes, two to a record beside some 80 bytes, and a short one that fits beside the last.
	if want := map[int]int{0: 2, 2: 2, 4: 2, 6: 2, 8: 2}; !maps.Equal(first, want) || count != 10 {
		t.Errorf("positions and sizes %v in %d records, want %v in 10", first, count, want)
	}
}

// TestSendMarksWholeRuns: result files hold whole runs, so that each is ended, in its last part.
func TestSendMarksWholeRuns(t *testing.T) {
	addr := startBroker(t)
	file := `[{"task_id":0,"trial":0,"reward":1,"info":{},"traj":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}]`
	if code, _, errs := run(t, file, "send", "-kafka-brokers", addr, "-kafka-topic", topic, "-max-record", "1B", "-"); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var ended []bool
	for _, message := range consume(t, addr) {
		for _, fragment := range decodeMessage(t, message).Fragments {
			ended = append(ended, fragment.Meta.Ended)
		}
	}
	if !slices.Equal(ended, []bool{false, true}) {
		t.Errorf("ended: %v, want false, true", ended)
	}
}

func TestSendUsage(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		code, _, errs := run(t, "", append([]string{"send"}, args...)...)
		if code != 2 || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
			t.Errorf("%q exits %d and says %q, want 2 and one line with %q", args, code, errs, want)
		}
	}
	f("names no file")
	f("-format", "-format", "nonsense", "x.json")
	f("-max-record", "-max-record", "0B", "x.json")
	f("no such file", filepath.Join(t.TempDir(), "missing.json"))
	f("-nonsense", "-nonsense")
}

func TestSendWithoutBroker(t *testing.T) {
	code, _, errs := run(t, envelope("a", ""), "send", "-kafka-brokers", "127.0.0.1:1", "-")
	if code != 1 || !strings.Contains(errs, "-kafka-brokers") {
		t.Errorf("it exits %d and says %q, want 1 and the setting to mend", code, errs)
	}
}

// envelope is a run record as text.
func envelope(run, messages string) string {
	return `{"schema":"errata.run/v1","run_id":"` + run + `","messages":[` + messages + `]}`
}

// run runs the program and gives its exit code, output and complaints.
func run(t *testing.T, stdin string, args ...string) (int, string, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	code := dispatch(ctx, args, world{in: strings.NewReader(stdin), out: &out, err: &errs, getenv: func(string) string { return "" }})
	return code, out.String(), errs.String()
}

func startBroker(t *testing.T) string {
	t.Helper()
	b, err := broker.Open(broker.Options{Addr: "127.0.0.1:0", Dir: t.TempDir(), Partitions: 3, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b.Addr()
}

// consume gives every record of the topic, in order within its partition.
func consume(t *testing.T, addr string) []kafka.Message {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ends, err := feed.NewAdmin([]string{addr}, nil).Ends(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	var messages []kafka.Message
	for partition, end := range ends {
		reader := kafka.NewReader(kafka.ReaderConfig{Brokers: []string{addr}, Topic: topic, Partition: partition, MaxWait: 50 * time.Millisecond})
		for range end {
			message, err := reader.ReadMessage(ctx)
			if err != nil {
				t.Fatal(err)
			}
			messages = append(messages, message)
		}
		reader.Close()
	}
	return messages
}

func decodeMessage(t *testing.T, message kafka.Message) dialect.Output {
	t.Helper()
	input := dialect.Input{Key: string(message.Key), Value: message.Value, Headers: map[string]string{}}
	for _, header := range message.Headers {
		input.Headers[header.Key] = string(header.Value)
	}
	out, _, err := format.Decode(input, format.DefaultLimits())
	if err != nil || len(out.Rejects) > 0 {
		t.Errorf("a record cannot be read: %v %v", err, out.Rejects)
	}
	return out
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

func zstded(t *testing.T, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}
