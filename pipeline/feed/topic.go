package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

// Admin asks and tells a Kafka cluster about topics and groups.
type Admin struct {
	client *kafka.Client
}

// NewAdmin makes an Admin; it does not connect yet.
func NewAdmin(brokers []string, transport kafka.RoundTripper) *Admin {
	return &Admin{client: &kafka.Client{Addr: kafka.TCP(brokers...), Transport: transport, Timeout: 10 * time.Second}}
}

// Ping asks whether the cluster answers.
func (a *Admin) Ping(ctx context.Context) error {
	// Metadata would be answered from what the client remembers.
	response, err := a.client.ApiVersions(ctx, &kafka.ApiVersionsRequest{})
	if err == nil {
		err = response.Error
	}
	if err != nil {
		return fmt.Errorf("ask whether Kafka answers: %w", err)
	}
	return nil
}

// CreateTopic makes a topic where it is missing. The cluster decides about replicas.
func (a *Admin) CreateTopic(ctx context.Context, topic string, partitions int) error {
	response, err := a.client.CreateTopics(ctx, &kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{{
		Topic: topic, NumPartitions: partitions, ReplicationFactor: -1,
	}}})
	if err != nil {
		return fmt.Errorf("create topic %s: %w", topic, err)
	}
	if err := response.Errors[topic]; err != nil && !errors.Is(err, kafka.TopicAlreadyExists) {
		return fmt.Errorf("create topic %s: %w", topic, err)
	}
	return nil
}

// Ends gives the end of every partition of a topic that holds records: the offset that its next record will have.
func (a *Admin) Ends(ctx context.Context, topic string) (map[int]int64, error) {
	partitions, err := a.partitions(ctx, topic)
	if err != nil {
		return nil, err
	}
	var requests []kafka.OffsetRequest
	for _, p := range partitions {
		requests = append(requests, kafka.FirstOffsetOf(p), kafka.LastOffsetOf(p))
	}
	response, err := a.client.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{topic: requests}})
	if err != nil {
		return nil, fmt.Errorf("list the ends of topic %s: %w", topic, err)
	}
	ends := map[int]int64{}
	for _, p := range response.Topics[topic] {
		if p.Error != nil {
			return nil, fmt.Errorf("list the end of partition %d of topic %s: %w", p.Partition, topic, p.Error)
		}
		if p.LastOffset > p.FirstOffset { // else it is empty, or everything on it was deleted
			ends[p.Partition] = p.LastOffset
		}
	}
	return ends, nil
}

// Committed gives the offset that a group has committed for every partition of a topic; -1 where it has none.
func (a *Admin) Committed(ctx context.Context, group, topic string) (map[int]int64, error) {
	partitions, err := a.partitions(ctx, topic)
	if err != nil {
		return nil, err
	}
	response, err := a.client.OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: group, Topics: map[string][]int{topic: partitions}})
	if err != nil {
		return nil, fmt.Errorf("ask for the offsets of group %s: %w", group, err)
	}
	committed := map[int]int64{}
	if errors.Is(response.Error, kafka.GroupIdNotFound) { // nobody has committed or joined yet
		for _, partition := range partitions {
			committed[partition] = -1
		}
		return committed, nil
	}
	if response.Error != nil {
		return nil, fmt.Errorf("ask for the offsets of group %s: %w", group, response.Error)
	}
	for _, p := range response.Topics[topic] {
		if p.Error != nil {
			return nil, fmt.Errorf("ask for the offset of group %s in partition %d: %w", group, p.Partition, p.Error)
		}
		committed[p.Partition] = p.CommittedOffset
	}
	return committed, nil
}

func (a *Admin) partitions(ctx context.Context, topic string) ([]int, error) {
	response, err := a.client.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{topic}})
	if err != nil {
		return nil, fmt.Errorf("ask for the partitions of topic %s: %w", topic, err)
	}
	for _, t := range response.Topics {
		if t.Name != topic {
			continue
		}
		if t.Error != nil {
			return nil, fmt.Errorf("ask for the partitions of topic %s: %w", topic, t.Error)
		}
		ids := make([]int, len(t.Partitions))
		for i, p := range t.Partitions {
			ids[i] = p.ID
		}
		return ids, nil
	}
	return nil, fmt.Errorf("ask for the partitions of topic %s: the cluster does not know it", topic)
}

// Missing tells how many records before the given ends a group has not committed.
func Missing(ends, committed map[int]int64) (missing int64) {
	for partition, end := range ends {
		missing += max(end-max(committed[partition], 0), 0)
	}
	return missing
}

// Exhausted tells whether nothing that a consumer would be given lies in a partition from an offset on before an end. An
// end need not follow a record: the marker of a transaction, and what compaction removed, take offsets too.
func (a *Admin) Exhausted(ctx context.Context, topic string, partition int, from, end int64) (bool, error) {
	for from < end {
		response, err := a.client.Fetch(ctx, &kafka.FetchRequest{
			Topic: topic, Partition: partition, Offset: from, MinBytes: 1, MaxBytes: 1 << 20, MaxWait: 500 * time.Millisecond,
		})
		if err == nil {
			err = response.Error
		}
		if err != nil {
			return false, fmt.Errorf("look at partition %d of topic %s from offset %d: %w", partition, topic, from, err)
		}
		next, found, err := scan(response.Records, from)
		if err != nil {
			return false, fmt.Errorf("read partition %d of topic %s from offset %d: %w", partition, topic, from, err)
		}
		if found {
			return false, nil
		}
		if next == from { // the broker has nothing more to give
			return true, nil
		}
		from = next
	}
	return true, nil
}

// scan looks for a record at or after an offset, and gives the offset after what it saw.
func scan(records kafka.RecordReader, from int64) (next int64, found bool, err error) {
	next = from
	batches := []kafka.RecordReader{records}
	if stream, ok := records.(*protocol.RecordStream); ok {
		batches = stream.Records
	}
	for _, batch := range batches {
		_, control := batch.(*protocol.ControlBatch)
		for {
			record, err := batch.ReadRecord()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return next, false, err
			}
			if record.Offset < from {
				continue
			}
			if !control {
				return next, true, nil
			}
			next = max(next, record.Offset+1)
		}
	}
	return next, false, nil
}
