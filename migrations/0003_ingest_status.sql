-- How far each consumer group has come, one row for each partition, written with every commit.
CREATE TABLE ingest_status
(
    consumer_group String,
    topic          String,
    partition      Int32,
    first_offset   Int64,  -- the first record that the group ever read
    next_offset    Int64,  -- the record after the last one stored or rejected
    high_watermark Int64,  -- the end of the partition when that was so
    updated_at     DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(updated_at)
ORDER BY (consumer_group, topic, partition);
