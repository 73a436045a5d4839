-- Which stretches of time hold something, and which of them are rolled?
SELECT
    level,
    stretch,
    sum(s.writes) AS writes,
    max(s.written_at) AS written_at,
    toUInt64(0) AS roll,
    toUInt64(0) AS runs,
    toDateTime64(0, 3, 'UTC') AS last_fact
FROM stretches AS s
WHERE level < 2
GROUP BY level, stretch
UNION ALL
SELECT
    level,
    stretch,
    argMax(r.writes, r.roll) AS writes,
    toDateTime64(0, 3, 'UTC') AS written_at,
    max(r.roll) AS roll,
    argMax(r.runs, r.roll) AS runs,
    argMax(r.last_fact, r.roll) AS last_fact
FROM rolls AS r
WHERE basis = {basis:UInt64}
GROUP BY level, stretch
