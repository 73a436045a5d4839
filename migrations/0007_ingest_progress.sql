-- How far each consumer group has come, one row for each partition, written with every batch before its commit.
-- It takes the place of ingest_status, where the row written last stayed: an ingester that had lost its partitions and
-- wrote late set the progress back. Here the row that has come further stays. A topic that was made anew begins
-- again at offset 0; each such beginning is an incarnation, which counts before the offset.
CREATE TABLE ingest_progress
(
    consumer_group String,
    topic          String,
    partition      Int32,
    first_offset   Int64,  -- the first record that the group ever read
    next_offset    Int64,  -- the record after the last one stored or rejected
    high_watermark Int64,  -- the end of the partition when that was so
    updated_at     DateTime64(3, 'UTC'),
    version        UInt64  -- incarnation of the topic in the upper 16 bits, next_offset in the lower 48
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (consumer_group, topic, partition);
-- What the table before it knew.
INSERT INTO ingest_progress
SELECT consumer_group, topic, partition, first_offset, next_offset, high_watermark, updated_at, toUInt64(next_offset)
FROM ingest_status FINAL;
