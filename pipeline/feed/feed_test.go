package feed_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/compress"

	"errata/internal/devstack/devtest"
	"errata/internal/realkafka"
	"errata/pipeline/feed"
)

// broker is one of the two kinds of brokers that every test of the feed meets.
type broker struct {
	addrs     []string
	dialer    *kafka.Dialer
	transport kafka.RoundTripper
}

func TestOnTheEmbeddedBroker(t *testing.T) {
	everyCase(t, broker{addrs: devtest.Kafka(t)})
}

func TestOnApacheKafka(t *testing.T) {
	b := realkafka.Start(t, realkafka.Options{})
	everyCase(t, broker{addrs: []string{b.Addr}, dialer: b.Dialer(t), transport: b.Transport(t)})
}

func everyCase(t *testing.T, b broker) {
	cases := []struct {
		name string
		test func(*testing.T, broker)
	}{
		{"EveryRecordOnceInOrderPerPartition", everyRecordOnceInOrderPerPartition},
		{"GoesOnWhereItHadCommitted", goesOnWhereItHadCommitted},
		{"WhatAHandlerRefusedComesAgain", whatAHandlerRefusedComesAgain},
		{"HeadersNullKeysAndCompression", headersNullKeysAndCompression},
		{"TwoMembersShareThePartitions", twoMembersShareThePartitions},
		{"RejectsKeepBytesKeyAndReason", rejectsKeepBytesKeyAndReason},
		{"ARecordBeyondWhatIsFetched", aRecordBeyondWhatIsFetched},
		{"AGroupThatNobodyJoinedHasNoOffsets", aGroupThatNobodyJoinedHasNoOffsets},
		{"ASlowBrokerIsWaitedFor", aSlowBrokerIsWaitedFor},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.test(t, b) })
	}
}

func (b broker) config(topic, group string) feed.Config {
	cfg := feed.DefaultConfig()
	cfg.Brokers, cfg.Topic, cfg.Group, cfg.Dialer = b.addrs, topic, group, b.dialer
	cfg.MaxWait = 50 * time.Millisecond
	cfg.SessionTimeout = 6 * time.Second
	return cfg
}

func (b broker) topic(t *testing.T, partitions int) string {
	t.Helper()
	topic := "t" + fmt.Sprint(time.Now().UnixNano())
	if err := feed.NewAdmin(b.addrs, b.transport).CreateTopic(t.Context(), topic, partitions); err != nil {
		t.Fatal(err)
	}
	return topic
}

func (b broker) send(t *testing.T, topic string, codec kafka.Compression, messages ...kafka.Message) {
	t.Helper()
	w := &kafka.Writer{Addr: kafka.TCP(b.addrs...), Topic: topic, Balancer: &kafka.Hash{}, Compression: codec,
		RequiredAcks: kafka.RequireAll, BatchTimeout: 5 * time.Millisecond, BatchSize: 10_000, Transport: b.transport}
	defer w.Close()
	for attempt := 0; ; attempt++ {
		err := w.WriteMessages(t.Context(), messages...)
		if err == nil {
			return
		}
		if attempt > 50 {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // a topic just made has no leader yet
	}
}

// keeper is a handler that keeps what it was given.
type keeper struct {
	mu       sync.Mutex
	records  []feed.Record
	assigned [][]int
	wanted   int
	done     context.CancelFunc
	fail     func(batch feed.Batch) error
}

func (k *keeper) Assigned(_ context.Context, partitions []int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.assigned = append(k.assigned, partitions)
	return nil
}

func (k *keeper) Handle(_ context.Context, batch feed.Batch) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fail != nil {
		if err := k.fail(batch); err != nil {
			return err
		}
	}
	k.records = append(k.records, batch.Records...)
	if k.done != nil && len(k.records) >= k.wanted {
		k.done()
	}
	return nil
}

// consume runs a feed until it has got as many records as wanted.
func consume(t *testing.T, cfg feed.Config, wanted int) *keeper {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	k := &keeper{wanted: wanted, done: cancel}
	if err := feed.New(cfg, slog.New(slog.DiscardHandler)).Run(ctx, k); err != nil {
		t.Fatal(err)
	}
	if len(k.records) < wanted {
		t.Fatalf("got %d records of %d", len(k.records), wanted)
	}
	return k
}

func numbered(n int, keys int) []kafka.Message {
	out := make([]kafka.Message, n)
	for i := range out {
		out[i] = kafka.Message{Key: fmt.Appendf(nil, "k%d", i%keys), Value: fmt.Appendf(nil, "%d", i)}
	}
	return out
}

func everyRecordOnceInOrderPerPartition(t *testing.T, b broker) {
	topic := b.topic(t, 3)
	b.send(t, topic, 0, numbered(1000, 7)...)
	k := consume(t, b.config(topic, topic), 1000)
	last := map[int]int64{}
	perKey := map[string]int{}
	for _, r := range k.records {
		if before, ok := last[r.Partition]; ok && r.Offset != before+1 {
			t.Fatalf("partition %d: offset %d after %d", r.Partition, r.Offset, before)
		}
		last[r.Partition] = r.Offset
		perKey[string(r.Key)]++
	}
	if len(k.records) != 1000 || len(perKey) != 7 {
		t.Errorf("%d records, %d keys", len(k.records), len(perKey))
	}
}

func goesOnWhereItHadCommitted(t *testing.T, b broker) {
	topic := b.topic(t, 2)
	b.send(t, topic, 0, numbered(100, 5)...)
	consume(t, b.config(topic, topic), 100)
	b.send(t, topic, 0, kafka.Message{Key: []byte("k0"), Value: []byte("later")})
	k := consume(t, b.config(topic, topic), 1)
	if len(k.records) != 1 || string(k.records[0].Value) != "later" {
		t.Errorf("got %d records, the first %q", len(k.records), k.records[0].Value)
	}
	admin := feed.NewAdmin(b.addrs, b.transport)
	ends, err := admin.Ends(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	committed, err := admin.Committed(t.Context(), topic, topic)
	if err != nil || feed.Missing(ends, committed) != 0 {
		t.Errorf("ends %v, committed %v, %v", ends, committed, err)
	}
}

func whatAHandlerRefusedComesAgain(t *testing.T, b broker) {
	topic := b.topic(t, 1)
	b.send(t, topic, 0, numbered(10, 1)...)
	broken := errors.New("disk full")
	k := &keeper{fail: func(feed.Batch) error { return broken }}
	if err := feed.New(b.config(topic, topic), slog.New(slog.DiscardHandler)).Run(t.Context(), k); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if k := consume(t, b.config(topic, topic), 10); len(k.records) != 10 {
		t.Errorf("%d records", len(k.records))
	}
}

func headersNullKeysAndCompression(t *testing.T, b broker) {
	codecs := map[string]kafka.Compression{"none": 0, "gzip": compress.Gzip, "snappy": compress.Snappy, "lz4": compress.Lz4, "zstd": compress.Zstd}
	topic := b.topic(t, 4)
	for name, codec := range codecs {
		b.send(t, topic, codec,
			kafka.Message{Value: []byte(name), Headers: []kafka.Header{{Key: "errata-format", Value: []byte(name)}, {Key: "traceparent", Value: []byte("x")}}},
			kafka.Message{Key: []byte(name), Value: nil},
		)
	}
	k := consume(t, b.config(topic, topic), 2*len(codecs))
	var seen []string
	for _, r := range k.records {
		if len(r.Value) == 0 {
			continue
		}
		if r.Headers["errata-format"] != string(r.Value) || len(r.Headers) != 1 || len(r.Key) != 0 {
			t.Errorf("%s: headers %v, key %q", r.Value, r.Headers, r.Key)
		}
		seen = append(seen, string(r.Value))
	}
	slices.Sort(seen)
	if fmt.Sprint(seen) != "[gzip lz4 none snappy zstd]" {
		t.Errorf("got %v", seen)
	}
}

func twoMembersShareThePartitions(t *testing.T, b broker) {
	topic := b.topic(t, 6)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	first, second := &keeper{}, &keeper{}
	var members sync.WaitGroup
	run := func(ctx context.Context, k *keeper) {
		members.Go(func() {
			if err := feed.New(b.config(topic, topic), slog.New(slog.DiscardHandler)).Run(ctx, k); err != nil {
				t.Error(err)
			}
		})
	}
	secondCtx, stopSecond := context.WithCancel(ctx)
	run(ctx, first)
	run(secondCtx, second)
	await(t, ctx, "both to own partitions", func() bool { return owns(first)+owns(second) == 6 && owns(first) == 3 })
	b.send(t, topic, 0, numbered(600, 60)...)
	await(t, ctx, "all records", func() bool { return len(places(first, second)) == 600 })
	if len(places(first)) == 0 || len(places(second)) == 0 {
		t.Errorf("%d and %d records", len(places(first)), len(places(second)))
	}
	stopSecond()
	await(t, ctx, "the first to own all", func() bool { return owns(first) == 6 })
	b.send(t, topic, 0, numbered(60, 60)...)
	await(t, ctx, "the rest", func() bool { return len(places(first, second)) == 660 })
	cancel()
	members.Wait()
}

func owns(k *keeper) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.assigned) == 0 {
		return 0
	}
	return len(k.assigned[len(k.assigned)-1])
}

// place is where a record lies on its topic.
type place struct {
	partition int
	offset    int64
}

// places gives the distinct records that keepers were given. What was handled but not committed comes again, so that
// counting what was given would count some twice.
func places(keepers ...*keeper) map[place]bool {
	distinct := map[place]bool{}
	for _, k := range keepers {
		k.mu.Lock()
		for _, r := range k.records {
			distinct[place{r.Partition, r.Offset}] = true
		}
		k.mu.Unlock()
	}
	return distinct
}

func await(t *testing.T, ctx context.Context, what string, done func() bool) {
	t.Helper()
	for !done() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited in vain for %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func rejectsKeepBytesKeyAndReason(t *testing.T, b broker) {
	topic := b.topic(t, 1)
	w := feed.NewRejectWriter(b.addrs, topic, b.transport)
	defer w.Close()
	if err := feed.NewAdmin(b.addrs, b.transport).CreateTopic(t.Context(), feed.RejectsTopic(topic), 1); err != nil {
		t.Fatal(err)
	}
	large := make([]byte, 3<<20)
	err := w.Write(t.Context(), []feed.Rejected{
		{Record: feed.Record{Partition: 2, Offset: 7, Key: []byte("k"), Value: []byte("{bad"), Headers: map[string]string{"errata-format": "x"}}, Reason: "malformed_json", Message: "m"},
		{Record: feed.Record{Value: large}, Reason: "too_large", Message: "m"},
	})
	if err != nil {
		t.Fatal(err)
	}
	k := consume(t, b.config(feed.RejectsTopic(topic), topic), 2)
	r := k.records[0]
	if string(r.Key) != "k" || string(r.Value) != "{bad" || r.Headers["errata-reject-reason"] != "malformed_json" ||
		r.Headers["errata-reject-offset"] != "7" || r.Headers["errata-reject-partition"] != "2" || r.Headers["errata-format"] != "x" {
		t.Errorf("got %+v", r)
	}
	if len(k.records[1].Value) != 1<<10 || k.records[1].Headers["errata-reject-cut"] != "3145728" {
		t.Errorf("of the large one came %d bytes, headers %v", len(k.records[1].Value), k.records[1].Headers)
	}
}

func aGroupThatNobodyJoinedHasNoOffsets(t *testing.T, b broker) {
	topic := b.topic(t, 3)
	committed, err := feed.NewAdmin(b.addrs, b.transport).Committed(t.Context(), "nobody-"+topic, topic)
	if err != nil || len(committed) != 3 || committed[0] != -1 || committed[1] != -1 || committed[2] != -1 {
		t.Errorf("got %v, %v, want -1 for each of 3 partitions", committed, err)
	}
}
