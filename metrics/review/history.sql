-- What was decided last, newest first, and what had been decided before each?
--
-- What came with an imported table was decided elsewhere, and would hide what people decide here.
SELECT *
FROM
(
    SELECT
        toString(level) AS level,
        tool,
        field,
        rejected,
        accepted,
        toString(r.state) AS state,
        r.note AS note,
        r.author AS author,
        r.decided_at AS decided_at,
        lagInFrame(toString(r.state), 1, 'new') OVER earlier AS before,
        r.decided_at = max(r.decided_at) OVER every AS newest
    FROM alias_reviews AS r
    WINDOW
        earlier AS (PARTITION BY r.level, tool, field, rejected, accepted ORDER BY r.decided_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
        every AS (PARTITION BY r.level, tool, field, rejected, accepted)
)
WHERE note != {imported:String}
ORDER BY decided_at DESC, level, tool, field, rejected, accepted
LIMIT {limit:UInt32}
