-- What the runs cover, in figures that can be added up over them.
SELECT
    {{template "group"}},
    sum(of_run) AS calls,
    maxIf(newest, of_run > 0) AS newest_call,
    count() AS runs,
    min(time) AS first_activity,
    max(last_activity) AS last_activity,
    max(last_fact) AS last_fact
FROM
(
    SELECT
        {{template "by"}},
        time,
        last_activity,
        last_fact,
        of_run,
        newest
    FROM
    (
        SELECT
            started_at AS time,
            '' AS tool,
            '' AS code,
            '' AS variant,
            '' AS model,
            '' AS agent,
            last_activity,
            last_fact,
            length(calls.time) AS of_run,
            arrayMax(calls.time) AS newest
        FROM {{template "dated"}}
    )
)
GROUP BY {{template "group"}}
