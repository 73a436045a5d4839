package broker_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"errata/internal/devstack/devtest"
)

// limit is how long a test waits before it fails; nothing is asserted of how long things take.
const limit = 60 * time.Second

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

func produce(t *testing.T, brokers []string, topic string, compression kafka.Compression, messages ...kafka.Message) {
	t.Helper()
	w := &kafka.Writer{
		Addr: kafka.TCP(brokers...), Topic: topic, Balancer: &kafka.Hash{}, RequiredAcks: kafka.RequireAll,
		Compression: compression, BatchTimeout: time.Millisecond, AllowAutoTopicCreation: true,
	}
	defer w.Close()
	// As with a broker, the first write to a topic made on the way may meet its making.
	var err error
	for range 20 {
		if err = w.WriteMessages(within(t), messages...); !errors.Is(err, kafka.UnknownTopicOrPartition) && !errors.Is(err, kafka.LeaderNotAvailable) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		t.Fatalf("produce: %v", err)
	}
}

func reader(t *testing.T, brokers []string, topic, group string) *kafka.Reader {
	t.Helper()
	r := kafka.NewReader(kafka.ReaderConfig{
		Brokers: brokers, Topic: topic, GroupID: group, StartOffset: kafka.FirstOffset, MaxWait: 100 * time.Millisecond,
		HeartbeatInterval: 200 * time.Millisecond, SessionTimeout: 6 * time.Second, RebalanceTimeout: 6 * time.Second,
	})
	t.Cleanup(func() { r.Close() })
	return r
}

// consume reads and commits n messages and returns their values.
func consume(t *testing.T, r *kafka.Reader, n int) map[string]int {
	t.Helper()
	got := map[string]int{}
	for range n {
		m, err := r.FetchMessage(within(t))
		if err != nil {
			t.Fatalf("fetch after %d messages: %v", len(got), err)
		}
		got[string(m.Value)]++
		if err := r.CommitMessages(within(t), m); err != nil {
			t.Fatalf("commit: %v", err)
		}
	}
	return got
}

func numbered(from, to int) []kafka.Message {
	messages := make([]kafka.Message, 0, to-from)
	for i := from; i < to; i++ {
		messages = append(messages, kafka.Message{Key: fmt.Append(nil, "run-", i%7), Value: fmt.Append(nil, i)})
	}
	return messages
}

func checkNumbered(t *testing.T, got map[string]int, from, to int) {
	t.Helper()
	if len(got) != to-from {
		t.Errorf("%d different messages, want %d", len(got), to-from)
	}
	for i := from; i < to; i++ {
		if got[fmt.Sprint(i)] != 1 {
			t.Errorf("message %d came %d times", i, got[fmt.Sprint(i)])
		}
	}
}

func TestCompressedRecordsWithHeadersAndNullKeys(t *testing.T) {
	brokers := devtest.Kafka(t)
	for _, codec := range []kafka.Compression{0, kafka.Gzip, kafka.Snappy, kafka.Lz4, kafka.Zstd} {
		t.Run(codec.String(), func(t *testing.T) {
			topic := devtest.Topic(t, brokers, 1)
			big := strings.Repeat("large ", 150_000)
			produce(t, brokers, topic, codec,
				kafka.Message{Value: []byte("no key"), Headers: []kafka.Header{{Key: "errata-format", Value: []byte("openai")}, {Key: "empty"}}},
				kafka.Message{Key: []byte("k")}, kafka.Message{Key: []byte{0, 255}, Value: []byte(big)})
			r := reader(t, brokers, topic, topic+"-group")
			var got []kafka.Message
			for range 3 {
				m, err := r.FetchMessage(within(t))
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, m)
			}
			if got[0].Key != nil || string(got[0].Value) != "no key" || len(got[0].Headers) != 2 || string(got[0].Headers[0].Value) != "openai" {
				t.Errorf("first record %+v", got[0])
			}
			if string(got[1].Key) != "k" || len(got[1].Value) != 0 {
				t.Errorf("second record %+v", got[1])
			}
			if string(got[2].Key) != "\x00\xff" || string(got[2].Value) != big {
				t.Errorf("third record has key %q and %d bytes", got[2].Key, len(got[2].Value))
			}
		})
	}
}

func TestARecordBeyondABrokersLimitIsRefused(t *testing.T) {
	brokers := devtest.Kafka(t)
	w := &kafka.Writer{Addr: kafka.TCP(brokers...), Topic: devtest.Topic(t, brokers, 1), BatchBytes: 64 << 20, RequiredAcks: kafka.RequireAll, MaxAttempts: 1}
	defer w.Close()
	if err := w.WriteMessages(within(t), kafka.Message{Value: make([]byte, 1_000_000)}); err != nil {
		t.Errorf("a record of 1,000,000 bytes: %v", err)
	}
	err := w.WriteMessages(within(t), kafka.Message{Value: make([]byte, 1_100_000)})
	var failures kafka.WriteErrors
	if !errors.Is(err, kafka.MessageSizeTooLarge) && !(errors.As(err, &failures) && errors.Is(failures[0], kafka.MessageSizeTooLarge)) {
		t.Errorf("a record of 1,100,000 bytes: %v, want that it is too large", err)
	}
}

func TestATopicIsMadeOnFirstUseWithFourPartitions(t *testing.T) {
	brokers := devtest.Kafka(t)
	produce(t, brokers, "made-on-first-use", 0, kafka.Message{Value: []byte("x")})
	conn, err := kafka.DialContext(within(t), "tcp", brokers[0])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	partitions, err := conn.ReadPartitions("made-on-first-use")
	if err != nil || len(partitions) != 4 {
		t.Errorf("%d partitions, %v; want 4", len(partitions), err)
	}
}

func TestTwoMembersShareATopicAndOneTakesOver(t *testing.T) {
	brokers := devtest.Kafka(t)
	topic := devtest.Topic(t, brokers, 4)
	group := topic + "-group"
	first, second := reader(t, brokers, topic, group), reader(t, brokers, topic, group)
	produce(t, brokers, topic, kafka.Zstd, numbered(0, 200)...)

	type fetched struct {
		from int
		m    kafka.Message
	}
	ctx, stop := context.WithCancel(within(t))
	out := make(chan fetched)
	pump := func(from int, r *kafka.Reader) {
		for {
			m, err := r.FetchMessage(ctx)
			if err != nil {
				return
			}
			select {
			case out <- fetched{from, m}:
			case <-ctx.Done():
				return
			}
			if r.CommitMessages(ctx, m) != nil {
				return
			}
		}
	}
	go pump(1, first)
	go pump(2, second)
	seen := map[string]bool{}
	collect := func(to int) {
		t.Helper()
		for len(seen) < to {
			select {
			case f := <-out:
				seen[string(f.m.Value)] = true
			case <-ctx.Done():
				t.Fatalf("%d of %d messages", len(seen), to)
			}
		}
	}
	collect(200)
	// A member leaves; the other one gets its partitions. A record may come twice around that, but none is lost.
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	produce(t, brokers, topic, 0, numbered(200, 400)...)
	collect(400)
	stop()
}

func TestRecordsAndOffsetsOutliveTheProcess(t *testing.T) {
	for name, end := range map[string]func(*devtest.Stack) error{"stopped": (*devtest.Stack).Stop, "killed": (*devtest.Stack).Kill} {
		t.Run(name, func(t *testing.T) {
			o := devtest.Options{Dir: filepath.Join(t.TempDir(), "data"), NoClickHouse: true, Kafka: devtest.FreeAddr(t)}
			stack := devtest.Start(t, o)
			topic := devtest.Topic(t, stack.Brokers, 3)
			produce(t, stack.Brokers, topic, kafka.Zstd, numbered(0, 500)...)
			r := reader(t, stack.Brokers, topic, "group")
			before := consume(t, r, 200)
			// A kill must not be softened by the reader's leaving the group.
			if name == "stopped" {
				r.Close()
			}
			if err := end(stack); err != nil {
				t.Fatal(err)
			}
			r.Close()

			stack = devtest.Start(t, o)
			after := consume(t, reader(t, stack.Brokers, topic, "group"), 300)
			for value := range before {
				after[value]++
			}
			checkNumbered(t, after, 0, 500)
			produce(t, stack.Brokers, topic, 0, numbered(500, 510)...)
			checkNumbered(t, consume(t, reader(t, stack.Brokers, topic, "fresh"), 510), 0, 510)
		})
	}
}

func TestAcknowledgedRecordsOutliveAKillInTheMiddle(t *testing.T) {
	o := devtest.Options{Dir: filepath.Join(t.TempDir(), "data"), NoClickHouse: true, Kafka: devtest.FreeAddr(t)}
	stack := devtest.Start(t, o)
	topic := devtest.Topic(t, stack.Brokers, 2)
	w := &kafka.Writer{Addr: kafka.TCP(stack.Brokers...), Topic: topic, RequiredAcks: kafka.RequireAll, BatchTimeout: time.Millisecond, MaxAttempts: 1}
	defer w.Close()
	acknowledged, enough := make(chan int, 1), make(chan struct{})
	go func() {
		for i := 0; ; i++ {
			if i == 100 {
				close(enough)
			}
			if err := w.WriteMessages(context.Background(), kafka.Message{Value: fmt.Append(nil, i)}); err != nil {
				acknowledged <- i
				return
			}
		}
	}()
	<-enough
	if err := stack.Kill(); err != nil {
		t.Fatal(err)
	}
	n := <-acknowledged
	stack = devtest.Start(t, o)
	// The record under way when the kill came may be there as well.
	got := map[string]bool{}
	r := reader(t, stack.Brokers, topic, "group")
	for len(got) < n {
		m, err := r.FetchMessage(within(t))
		if err != nil {
			t.Fatalf("%d of %d acknowledged records: %v", len(got), n, err)
		}
		if string(m.Value) != fmt.Sprint(n) {
			got[string(m.Value)] = true
		}
	}
}
