-- Records that could not be used, with the reason. The bytes themselves are on the rejects topic.
CREATE TABLE rejects
(
    topic       String,
    partition   Int32,
    offset      Int64,
    part        Int32,  -- which of the record's parts: 0, 1, …
    reason      LowCardinality(String),
    message     String,
    run_id      String,
    format      LowCardinality(String),
    sample      String, -- the first KiB
    rejected_at DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(rejected_at)
ORDER BY (topic, partition, offset, part);
