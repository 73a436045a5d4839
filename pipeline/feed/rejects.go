package feed

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"
)

// Rejected is a record that could not be used, with the reason.
type Rejected struct {
	Record  Record
	Reason  string
	Message string
}

// sampleSize is how much of a record is kept where all of it would be beyond the broker's limit.
const sampleSize = 1 << 10

// RejectsTopic names the topic on which the rejects of a topic go.
func RejectsTopic(topic string) string { return topic + ".rejected" }

// RejectWriter publishes rejected records with their original bytes and key, and headers that say why and whence.
type RejectWriter struct {
	topic  string // the topic that is consumed
	writer *kafka.Writer
}

// NewRejectWriter makes a writer to the rejects topic of a topic.
func NewRejectWriter(brokers []string, topic string, transport kafka.RoundTripper) *RejectWriter {
	return &RejectWriter{topic: topic, writer: &kafka.Writer{
		Addr:                   kafka.TCP(brokers...),
		Topic:                  RejectsTopic(topic),
		Balancer:               &kafka.Hash{},
		RequiredAcks:           kafka.RequireAll,
		BatchTimeout:           10 * time.Millisecond,
		BatchBytes:             64 << 20, // the broker's own limit decides
		Transport:              transport,
		AllowAutoTopicCreation: true,
	}}
}

// Close ends the connections.
func (w *RejectWriter) Close() error { return w.writer.Close() }

// Write publishes rejects one by one, so that one that is beyond the broker's limit does not take others with it:
// of that one goes the first KiB.
func (w *RejectWriter) Write(ctx context.Context, rejects []Rejected) error {
	for _, r := range rejects {
		err := w.writer.WriteMessages(ctx, w.message(r, r.Record.Value, false))
		if tooLarge(err) {
			err = w.writer.WriteMessages(ctx, w.message(r, Sample(r.Record.Value), true))
		}
		if err != nil {
			return fmt.Errorf("publish the reject of partition %d offset %d: %w", r.Record.Partition, r.Record.Offset, err)
		}
	}
	return nil
}

func (w *RejectWriter) message(r Rejected, value []byte, cut bool) kafka.Message {
	m := kafka.Message{Key: r.Record.Key, Value: value}
	for key, v := range r.Record.Headers {
		m.Headers = append(m.Headers, kafka.Header{Key: key, Value: []byte(v)})
	}
	add := func(key, value string) {
		m.Headers = append(m.Headers, kafka.Header{Key: key, Value: []byte(value)})
	}
	add("errata-reject-reason", r.Reason)
	add("errata-reject-message", r.Message)
	add("errata-reject-topic", w.topic)
	add("errata-reject-partition", strconv.Itoa(r.Record.Partition))
	add("errata-reject-offset", strconv.FormatInt(r.Record.Offset, 10))
	if cut {
		add("errata-reject-cut", strconv.Itoa(len(r.Record.Value)))
	}
	return m
}

// Sample gives the beginning of a value that is too large to keep.
func Sample(value []byte) []byte { return value[:min(len(value), sampleSize)] }
