-- Where do error payloads break their contract?
SELECT
    {{template "group"}},
    finding,
    toInt64(count()) AS count,
    toInt64(uniqExact(run_id)) AS runs,
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
        FROM runs FINAL
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
ORDER BY {{template "group"}}, count DESC, finding
