package store

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Progress is how far a consumer group has come in one partition.
type Progress struct {
	Group, Topic  string
	Partition     int
	FirstOffset   int64 // the first record that the group ever read
	NextOffset    int64 // the record after the last one that was stored or rejected
	HighWatermark int64 // the end of the partition when that was so
	Incarnation   int   // how often the topic was made anew
	At            time.Time
}

// Version is what lets the row stay that has come further, whoever wrote last.
func (p Progress) Version() uint64 {
	const offsets = 48 // bits: a million records a second for nine years
	return uint64(p.Incarnation)<<offsets | uint64(p.NextOffset)&(1<<offsets-1)
}

// WriteProgress notes how far ingest has come.
func (s *Store) WriteProgress(ctx context.Context, progress []Progress) error {
	if len(progress) == 0 {
		return nil
	}
	batch, err := s.prepare(ctx, `INSERT INTO ingest_progress
		(consumer_group, topic, partition, first_offset, next_offset, high_watermark, updated_at, version)`)
	if err != nil {
		return fmt.Errorf("prepare progress of %d partitions: %w", len(progress), err)
	}
	defer batch.Abort()
	for _, p := range progress {
		err := batch.Append(p.Group, p.Topic, int32(p.Partition), p.FirstOffset, p.NextOffset, p.HighWatermark, p.At, p.Version())
		if err != nil {
			return fmt.Errorf("append progress of partition %d: %w", p.Partition, err)
		}
	}
	if err := batch.Send(); err != nil {
		s.forget()
		return fmt.Errorf("insert progress of %d partitions: %w", len(progress), err)
	}
	return nil
}

// Progress gives how far a group has come, by partition, as far as it is noted.
func (s *Store) Progress(ctx context.Context, group, topic string) (map[int]Progress, error) {
	rows, err := s.conn.Query(ctx, `
		SELECT partition, first_offset, next_offset, high_watermark, bitShiftRight(version, 48), updated_at
		FROM ingest_progress FINAL
		WHERE consumer_group = {group:String} AND topic = {topic:String}`,
		clickhouse.Named("group", group), clickhouse.Named("topic", topic))
	if err != nil {
		return nil, fmt.Errorf("read the progress of group %s: %w", group, err)
	}
	defer rows.Close()
	known := map[int]Progress{}
	for rows.Next() {
		var partition int32
		var incarnation uint64
		p := Progress{Group: group, Topic: topic}
		if err := rows.Scan(&partition, &p.FirstOffset, &p.NextOffset, &p.HighWatermark, &incarnation, &p.At); err != nil {
			return nil, fmt.Errorf("read the progress of group %s: %w", group, err)
		}
		p.Partition, p.Incarnation = int(partition), int(incarnation)
		known[p.Partition] = p
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the progress of group %s: %w", group, err)
	}
	return known, nil
}
