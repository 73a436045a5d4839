-- Which errors are there?
SELECT
    toString(code) AS code,
    toString(template) AS template,
    toString(tool) AS tool,
    toString(schema) AS schema,
    toInt64(count()) AS count,
    toInt64(uniqExact(run_id)) AS runs,
    min(e.time) AS first_seen,
    max(e.time) AS last_seen,
    argMax(run_id, (e.time, run_id)) AS example_run,
    arraySort(groupUniqArray(toString(rule))) AS rules
FROM
(
    SELECT
        run_id,
        agent,
        error_time AS time,
        error_tool AS tool,
        error_code AS code,
        error_model AS model,
        error_variant AS variant,
        template,
        schema,
        rule
    FROM runs FINAL
    ARRAY JOIN
        errors.time AS error_time,
        errors.tool AS error_tool,
        errors.code AS error_code,
        errors.model AS error_model,
        errors.variant AS error_variant,
        errors.template AS template,
        errors.schema AS schema,
        errors.rule AS rule
) AS e
WHERE {{template "filter"}}
    AND (empty({rule:Array(String)}) OR has({rule:Array(String)}, rule))
GROUP BY code, template, tool, schema
ORDER BY count DESC, code, template, tool, schema
LIMIT {limit:UInt32}
