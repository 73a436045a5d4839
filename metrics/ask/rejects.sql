-- Which records could not be used lately, and why?
SELECT
    topic,
    partition,
    offset,
    part,
    toString(reason) AS reason,
    message,
    run_id,
    toString(format) AS format,
    sample,
    rejected_at
FROM rejects FINAL
ORDER BY rejected_at DESC, topic, partition, offset DESC, part
LIMIT {limit:UInt32}
