-- What time do the stored runs cover?
SELECT
    toInt64(sum(part.calls)) AS calls,
    maxIf(part.newest_call, part.calls > 0) AS newest_call,
    toInt64(sum(part.runs)) AS runs,
    min(part.first_activity) AS first_activity,
    max(part.last_activity) AS last_activity
FROM
(
    SELECT calls, newest_call, runs, first_activity, last_activity FROM
    (
        {{template "span_parts"}}
    )
    UNION ALL
    SELECT
        calls,
        newest_call,
        runs,
        first_activity,
        last_activity
    FROM span_cells
    WHERE {{template "celled"}}
) AS part
