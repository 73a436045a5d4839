package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/segmentio/kafka-go"

	"errata/pipeline/feed"
)

// topicName is the topic of every scenario; each has a broker of its own.
const topicName = "torture"

// publisher writes records to their partitions exactly once, however often the broker dies on the way: after an error
// it looks at the partition's end. It is the topic's only producer, so that offsets are the same in every scenario.
type publisher struct {
	client  *kafka.Client
	ends    map[int]int64 // what the broker has acknowledged
	records []placed      // not yet published
}

func newPublisher(broker string, records []placed) *publisher {
	return &publisher{
		client: &kafka.Client{Addr: kafka.TCP(broker), Timeout: time.Minute}, ends: map[int]int64{}, records: records,
	}
}

// create makes the topic.
func (p *publisher) create(ctx context.Context, broker string) error {
	admin := feed.NewAdmin([]string{broker}, nil)
	for _, name := range []string{topicName, feed.RejectsTopic(topicName)} {
		if err := admin.CreateTopic(ctx, name, partitions); err != nil {
			return err
		}
	}
	return nil
}

// publish writes the next n records.
func (p *publisher) publish(ctx context.Context, n int) error {
	n = min(n, len(p.records))
	byPartition := map[int][]kafka.Message{}
	for _, r := range p.records[:n] {
		byPartition[r.partition] = append(byPartition[r.partition], r.message)
	}
	for partition, messages := range byPartition {
		for len(messages) > 0 {
			fits := together(messages)
			if err := p.produce(ctx, partition, messages[:fits]); err != nil {
				return err
			}
			messages = messages[fits:]
		}
	}
	p.records = p.records[n:]
	return nil
}

// together is how many of the messages fit into one batch, which brokers take up to a megabyte.
func together(messages []kafka.Message) (n int) {
	const most = 500 << 10
	bytes := 0
	for n < len(messages) && (n == 0 || bytes+len(messages[n].Value) < most) {
		bytes += len(messages[n].Value)
		n++
	}
	return n
}

// reader gives messages as the client wants them, anew for each attempt.
func reader(messages []kafka.Message) kafka.RecordReader {
	records := make([]kafka.Record, len(messages))
	for i, m := range messages {
		records[i] = kafka.Record{Time: m.Time, Key: kafka.NewBytes(m.Key), Value: kafka.NewBytes(m.Value), Headers: m.Headers}
	}
	return kafka.NewRecordReader(records...)
}

func (p *publisher) produce(ctx context.Context, partition int, messages []kafka.Message) error {
	before, n := p.ends[partition], int64(len(messages))
	for {
		response, err := p.client.Produce(ctx, &kafka.ProduceRequest{
			Topic: topicName, Partition: partition, RequiredAcks: kafka.RequireAll, Records: reader(messages),
		})
		if err == nil {
			err = response.Error
		}
		if err == nil {
			p.ends[partition] = before + n
			return nil
		}
		if errors.Is(err, kafka.MessageSizeTooLarge) {
			return fmt.Errorf("publish %d records: %w", n, err)
		}
		end, err := p.endOf(ctx, partition)
		if err != nil {
			return err
		}
		switch end {
		case before: // it was not taken
		case before + n: // it was, and the answer got lost
			p.ends[partition] = end
			return nil
		default:
			return fmt.Errorf("partition %d ends at %d after %d acknowledged records and %d more: the broker lost or doubled some", partition, end, before, n)
		}
	}
}

// endOf asks for the end of a partition until a broker answers.
func (p *publisher) endOf(ctx context.Context, partition int) (int64, error) {
	for {
		response, err := p.client.ListOffsets(ctx, &kafka.ListOffsetsRequest{
			Topics: map[string][]kafka.OffsetRequest{topicName: {kafka.LastOffsetOf(partition)}},
		})
		if err == nil && len(response.Topics[topicName]) == 1 && response.Topics[topicName][0].Error == nil {
			return response.Topics[topicName][0].LastOffset, nil
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("ask for the end of partition %d: %w", partition, context.Cause(ctx))
		case <-time.After(200 * time.Millisecond):
		}
	}
}
