-- Which errors are there?
SELECT
    part.kind_code AS code,
    part.kind_template AS template,
    part.kind_tool AS tool,
    part.kind_schema AS schema,
    toInt64(sum(part.count)) AS count,
    toInt64(sum(part.runs)) AS runs,
    min(part.first_seen) AS first_seen,
    max(part.last_seen) AS last_seen,
    argMax(part.example_run, (part.last_seen, part.example_run)) AS example_run,
    arraySort(groupUniqArrayArray(part.rules)) AS rules
FROM
(
    {{template "errors_parts"}}
    UNION ALL
    SELECT
        {{template "by"}},
        code,
        tool,
        template,
        schema,
        count,
        runs,
        first_seen,
        last_seen,
        example_run,
        rules
    FROM
    (
        SELECT *, {{template "cell_time"}}
        FROM errors_cells
        WHERE {{template "celled"}}
    )
    WHERE {{template "filter"}}
) AS part
GROUP BY code, template, tool, schema
ORDER BY count DESC, code, template, tool, schema
LIMIT {limit:UInt32}
