-- What time do the stored runs cover?
SELECT
    toInt64(sum(length(calls.time))) AS calls,
    maxIf(arrayMax(calls.time), notEmpty(calls.time)) AS newest_call,
    toInt64(count()) AS runs,
    min(started_at) AS first_activity,
    max(last_activity) AS last_activity
FROM runs FINAL
