package feed

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
)

// Rejected is a record that could not be used, with the reason.
type Rejected struct {
	Record  Record
	Reason  string
	Message string
	Whole   int // bytes of the value where the record has it no more, else 0
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
	m := kafka.Message{Key: r.Record.Key, Value: value, Headers: r.Record.original()}
	add := func(key, value string) {
		m.Headers = append(m.Headers, kafka.Header{Key: key, Value: []byte(value)})
	}
	add(headerReason, r.Reason)
	add(headerMessage, r.Message)
	add(headerTopic, w.topic)
	add(headerPartition, strconv.Itoa(r.Record.Partition))
	add(headerOffset, strconv.FormatInt(r.Record.Offset, 10))
	add(headerTime, r.Record.Time.UTC().Format(time.RFC3339Nano))
	switch {
	case r.Whole > 0:
		add(headerCut, strconv.Itoa(r.Whole))
	case cut:
		add(headerCut, strconv.Itoa(len(r.Record.Value)))
	}
	return m
}

// The headers by which a reject says why and whence.
const (
	rejectPrefix    = headerPrefix + "reject-"
	headerReason    = rejectPrefix + "reason"
	headerMessage   = rejectPrefix + "message"
	headerTopic     = rejectPrefix + "topic"
	headerPartition = rejectPrefix + "partition"
	headerOffset    = rejectPrefix + "offset"
	headerTime      = rejectPrefix + "time" // when the record came, by Kafka
	headerCut       = rejectPrefix + "cut"  // bytes of the whole value, of which only the beginning is there
)

// original gives the headers that the record had when it was rejected for the first time.
func (r Record) original() []kafka.Header {
	var out []kafka.Header
	for _, h := range r.Foreign {
		out = append(out, kafka.Header{Key: h.Key, Value: h.Value})
	}
	for _, key := range slices.Sorted(maps.Keys(r.Headers)) {
		if !strings.HasPrefix(key, rejectPrefix) {
			out = append(out, kafka.Header{Key: key, Value: []byte(r.Headers[key])})
		}
	}
	return out
}

// Sample gives the beginning of a value that is too large to keep.
func Sample(value []byte) []byte { return value[:min(len(value), sampleSize)] }
