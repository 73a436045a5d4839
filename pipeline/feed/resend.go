package feed

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"
)

// Refused is a record as it stands on a rejects topic.
type Refused struct {
	Record          // with its place on the rejects topic
	Reason, Message string
	Topic           string // the topic that it was rejected from, and its place there
	SourcePartition int
	SourceOffset    int64
	Came            time.Time // its Kafka time there; zero: not told
	Whole           int       // bytes of the whole value where only the beginning is here, else 0
}

// Origin names the record on the topic that it was rejected from.
func (r Refused) Origin() string {
	return fmt.Sprintf("%s/%d/%d", r.Topic, r.SourcePartition, r.SourceOffset)
}

// Topic reads and writes a topic outside of any consumer group.
type Topic struct {
	Brokers   []string
	Name      string
	Dialer    *kafka.Dialer
	Transport kafka.RoundTripper
}

// quiet is how long a partition may give nothing before what its end promises is taken for no record.
const quiet = 10 * time.Second

// Rejects calls do with every record of the rejects topic that is there now, partition by partition.
func (t Topic) Rejects(ctx context.Context, do func(Refused) error) error {
	name := RejectsTopic(t.Name)
	ends, err := NewAdmin(t.Brokers, t.Transport).Ends(ctx, name)
	if errors.Is(err, kafka.UnknownTopicOrPartition) {
		return nil // nothing was ever rejected
	}
	if err != nil {
		return err
	}
	for partition := 0; len(ends) > 0; partition++ {
		end, ok := ends[partition]
		if !ok {
			continue
		}
		delete(ends, partition)
		if err := t.read(ctx, partition, end, func(r Record) error { return do(refused(r)) }); err != nil {
			return fmt.Errorf("read partition %d of %s: %w", partition, name, err)
		}
	}
	return nil
}

func (t Topic) read(ctx context.Context, partition int, end int64, do func(Record) error) error {
	reader := kafka.NewReader(kafka.ReaderConfig{
		Brokers: t.Brokers, Topic: RejectsTopic(t.Name), Partition: partition, Dialer: t.Dialer, MinBytes: 1, MaxBytes: 64 << 20, MaxWait: 250 * time.Millisecond,
	})
	defer reader.Close()
	for {
		waiting, cancel := context.WithTimeout(ctx, quiet)
		message, err := reader.ReadMessage(waiting)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return nil
		}
		if err != nil {
			return err
		}
		if message.Offset < end {
			if err := do(recordOf(message)); err != nil {
				return err
			}
		}
		if message.Offset+1 >= end {
			return nil
		}
	}
}

func refused(r Record) Refused {
	out := Refused{Record: r, Reason: r.Headers[headerReason], Message: r.Headers[headerMessage], Topic: r.Headers[headerTopic]}
	// Headers that somebody else wrote may hold anything; what is no number is 0.
	out.SourcePartition, _ = strconv.Atoi(r.Headers[headerPartition])
	out.SourceOffset, _ = strconv.ParseInt(r.Headers[headerOffset], 10, 64)
	out.Came, _ = time.Parse(time.RFC3339Nano, r.Headers[headerTime])
	out.Whole, _ = strconv.Atoi(r.Headers[headerCut])
	return out
}

// Resender sends records to the topic that they were rejected from, as they came to it first.
type Resender struct{ writer *kafka.Writer }

// Resender gives one for this topic.
func (t Topic) Resender() *Resender {
	return &Resender{&kafka.Writer{
		Addr: kafka.TCP(t.Brokers...), Topic: t.Name, Balancer: kafka.Murmur2Balancer{Consistent: true}, RequiredAcks: kafka.RequireAll,
		BatchTimeout: 5 * time.Millisecond, BatchBytes: 64 << 20, Compression: kafka.Zstd, Transport: t.Transport,
	}}
}

// Close ends the connections.
func (s *Resender) Close() error { return s.writer.Close() }

// Send publishes one record with its original bytes, key, headers and time, and returns once all replicas have it. The
// time is kept since it may be all that says when a message was: the same record again tells nothing new.
func (s *Resender) Send(ctx context.Context, r Refused) error {
	err := s.writer.WriteMessages(ctx, kafka.Message{Key: r.Key, Value: r.Value, Headers: r.original(), Time: r.Came})
	if err != nil {
		return fmt.Errorf("send the record from %s again: %w", r.Origin(), err)
	}
	return nil
}
