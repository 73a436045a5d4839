-- The findings, with what can be added up over runs. The newest of a kind is its example.
SELECT
    {{template "group"}},
    finding,
    count() AS count,
    uniqExact(run_id) AS runs,
    max(time) AS last_seen,
    argMax(run_id, (time, run_id)) AS example_run
FROM
(
    SELECT
        {{template "by"}},
        run_id,
        time,
        toString(finding) AS finding
    FROM
    (
        SELECT
            run_id,
            agent,
            finding_time AS time,
            finding_tool AS tool,
            finding_code AS code,
            finding_model AS model,
            finding_variant AS variant,
            finding
        FROM {{template "dated"}}
        ARRAY JOIN
            findings.time AS finding_time,
            findings.tool AS finding_tool,
            findings.code AS finding_code,
            findings.model AS finding_model,
            findings.variant AS finding_variant,
            findings.finding AS finding
    )
    WHERE {{template "filter"}}
)
GROUP BY {{template "group"}}, finding
