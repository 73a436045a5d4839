-- How far has ingest come, and what could not be used?
--
-- Where several consumer groups read a topic, the one that moved last counts.
SELECT
    topic,
    partition,
    progress.consumer_group AS consumer_group,
    toInt64(progress.first_offset) AS first_offset,
    toInt64(progress.next_offset) AS next_offset,
    toInt64(progress.high_watermark) AS high_watermark,
    progress.updated_at AS updated_at,
    toInt64(reject.records) AS rejected
FROM
(
    SELECT
        topic,
        partition,
        argMax(s.consumer_group, s.updated_at) AS consumer_group,
        argMax(s.first_offset, s.updated_at) AS first_offset,
        argMax(s.next_offset, s.updated_at) AS next_offset,
        argMax(s.high_watermark, s.updated_at) AS high_watermark,
        max(s.updated_at) AS updated_at
    FROM ingest_progress AS s FINAL
    GROUP BY topic, partition
) AS progress
FULL JOIN
(
    SELECT
        topic,
        partition,
        uniqExact(offset) AS records
    FROM rejects
    GROUP BY topic, partition
) AS reject
USING (topic, partition)
ORDER BY topic, partition
