-- The kinds of errors, with what can be added up over runs. The newest of a kind is its example.
SELECT
    {{template "group"}},
    kind_code,
    kind_tool,
    kind_template,
    kind_schema,
    count() AS count,
    uniqExact(run_id) AS runs,
    min(e.time) AS first_seen,
    max(e.time) AS last_seen,
    argMax(run_id, (e.time, run_id)) AS example_run,
    groupUniqArray(e.rule) AS rules
FROM
(
    SELECT
        {{template "by"}},
        toString(code) AS kind_code,
        toString(tool) AS kind_tool,
        toString(template) AS kind_template,
        toString(schema) AS kind_schema,
        run_id,
        time,
        toString(rule) AS rule
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
        FROM {{template "dated"}}
        ARRAY JOIN
            errors.time AS error_time,
            errors.tool AS error_tool,
            errors.code AS error_code,
            errors.model AS error_model,
            errors.variant AS error_variant,
            errors.template AS template,
            errors.schema AS schema,
            errors.rule AS rule
    ) AS error
    WHERE {{template "filter"}}
        AND (empty({rule:Array(String)}) OR has({rule:Array(String)}, error.rule))
) AS e
GROUP BY {{template "group"}}, kind_code, kind_tool, kind_template, kind_schema
