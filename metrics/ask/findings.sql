-- Where do error payloads break their contract?
SELECT
    {{template "group"}},
    part.finding AS finding,
    toInt64(sum(part.count)) AS count,
    toInt64(sum(part.runs)) AS runs,
    argMax(part.example_run, (part.last_seen, part.example_run)) AS example_run
FROM
(
    {{template "findings_parts"}}
    UNION ALL
    SELECT
        {{template "by"}},
        finding,
        count,
        runs,
        last_seen,
        example_run
    FROM
    (
        SELECT *, {{template "cell_time"}}
        FROM findings_cells
        WHERE {{template "celled"}}
    )
    WHERE {{template "filter"}}
) AS part
GROUP BY {{template "group"}}, finding
ORDER BY {{template "group"}}, count DESC, finding
