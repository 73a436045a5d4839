package feed_test

import (
	"context"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"errata/internal/realkafka"
	"errata/pipeline/feed"
)

// What only a real cluster does: many partitions, a restart in the middle, logs whose beginning was deleted, transactions
// whose markers take offsets. All of it by TLS and with a password.
func TestWhatOnlyARealClusterDoes(t *testing.T) {
	server := realkafka.Start(t, realkafka.Options{TLS: true, SASL: true})
	b := broker{addrs: []string{server.Addr}, dialer: server.Dialer(t), transport: server.Transport(t)}
	t.Run("ManyPartitionsAndARestart", func(t *testing.T) { manyPartitionsAndARestart(t, b, server) })
	b.transport = server.Transport(t)
	t.Run("DeletedBeginning", func(t *testing.T) { deletedBeginning(t, b, server) })
	t.Run("TransactionMarkers", func(t *testing.T) { transactionMarkers(t, b, server) })
}

func manyPartitionsAndARestart(t *testing.T, b broker, server *realkafka.Broker) {
	const partitions, half = 50, 1500
	topic := b.topic(t, partitions)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	k := &keeper{}
	ended := make(chan error, 1)
	go func() { ended <- feed.New(b.config(topic, topic), slog.New(slog.DiscardHandler)).Run(ctx, k) }()
	b.send(t, topic, 0, numbered(half, 300)...)
	await(t, ctx, "the first half", func() bool { return len(places(k)) >= half })
	server.Kill()
	server.Resume(t)
	b.transport = server.Transport(t) // none of whose connections ends at the one that was killed
	b.send(t, topic, 0, numbered(half, 300)...)
	await(t, ctx, "the second half", func() bool { return len(places(k)) >= 2*half })
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	perPartition := map[int]bool{}
	for place := range places(k) {
		perPartition[place.partition] = true
	}
	if len(perPartition) != partitions || len(places(k)) != 2*half {
		t.Errorf("%d distinct records of %d partitions, want %d of %d", len(places(k)), len(perPartition), 2*half, partitions)
	}
}

// deletedBeginning: what the group had committed lies before the log by now, or behind it where the topic was made anew.
func deletedBeginning(t *testing.T, b broker, server *realkafka.Broker) {
	topic := b.topic(t, 1)
	b.send(t, topic, 0, numbered(20, 1)...)
	client := &kafka.Client{Addr: kafka.TCP(b.addrs...), Transport: b.transport}
	commit := func(offset int64) {
		t.Helper()
		_, err := client.OffsetCommit(t.Context(), &kafka.OffsetCommitRequest{GroupID: topic, GenerationID: -1,
			Topics: map[string][]kafka.OffsetCommit{topic: {{Partition: 0, Offset: offset}}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	commit(3)
	deleteBefore(t, server, topic, 12)
	k := consume(t, b.config(topic, topic), 8)
	if k.records[0].Offset != 12 || len(k.records) != 8 {
		t.Errorf("%d records from offset %d, want 8 from 12", len(k.records), k.records[0].Offset)
	}
	commit(1000)
	if k := consume(t, b.config(topic, topic), 8); k.records[0].Offset != 12 {
		t.Errorf("from offset %d, want 12", k.records[0].Offset)
	}
}

// deleteBefore removes the records of partition 0 before an offset, which the client under test cannot.
func deleteBefore(t *testing.T, server *realkafka.Broker, topic string, offset int64) {
	t.Helper()
	request := kmsg.NewPtrDeleteRecordsRequest()
	request.TimeoutMillis = 10_000
	request.Topics = []kmsg.DeleteRecordsRequestTopic{{Topic: topic, Partitions: []kmsg.DeleteRecordsRequestTopicPartition{{Offset: offset}}}}
	response, err := request.RequestWith(t.Context(), franz(t, server))
	if err != nil || response.Topics[0].Partitions[0].ErrorCode != 0 {
		t.Fatalf("delete records: %v, %+v", err, response)
	}
}

// franz is another client, for what the one under test cannot do.
func franz(t *testing.T, server *realkafka.Broker, options ...kgo.Opt) *kgo.Client {
	t.Helper()
	login := plain.Auth{User: realkafka.User, Pass: realkafka.Password}
	client, err := kgo.NewClient(append(options, kgo.SeedBrokers(server.Addr), kgo.DialTLSConfig(server.TLS(t)), kgo.SASL(login.AsMechanism()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// transactionMarkers: the end of the partition is no record, and asking for what is left tells so.
func transactionMarkers(t *testing.T, b broker, server *realkafka.Broker) {
	topic := b.topic(t, 1)
	producer := franz(t, server, kgo.TransactionalID(topic), kgo.DefaultProduceTopic(topic))
	for i := range 2 {
		if err := producer.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := producer.ProduceSync(t.Context(), kgo.StringRecord(strconv.Itoa(i))).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := producer.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
	}
	k := consume(t, b.config(topic, topic), 2)
	admin := feed.NewAdmin(b.addrs, b.transport)
	ends, err := admin.Ends(t.Context(), topic)
	if err != nil || ends[0] != 4 || k.records[1].Offset != 2 {
		t.Fatalf("ends %v, last record at %d, %v; want 4 and 2", ends, k.records[1].Offset, err)
	}
	f := func(from int64, want bool) {
		t.Helper()
		exhausted, err := admin.Exhausted(t.Context(), topic, 0, from, ends[0])
		if err != nil || exhausted != want {
			t.Errorf("from %d: exhausted %v, want %v, %v", from, exhausted, want, err)
		}
	}
	f(0, false)
	f(1, false)
	f(2, false)
	f(3, true)
	f(4, true)
}
