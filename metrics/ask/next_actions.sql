-- What do agents do next after an error, and do they do what it asked for?
--
-- Labels come in the order repeat, corrected, switched, replied, user, ended, and so do the sums of their moments over
-- runs. Where a user spoke first, what came next was not the model's choice and is not judged. What tells asking errors
-- from others is counted tool by tool, so that the base can be that of the same tools.
SELECT
    {{template "group"}},
    toInt64(sum(tools.runs)) AS runs,
    toInt64(sum(tools.errored)) AS errored,
    toInt64(sum(tools.errored) - sum(tools.mature)) AS maturing,
    CAST(sumForEach(tools.labels), 'Array(Int64)') AS labels,
    toInt64(sum(tools.obeyed)) AS obeyed,
    toInt64(sum(tools.disobeyed)) AS disobeyed,
    toInt64(sum(tools.honoured)) AS honoured,
    toInt64(sum(tools.not_honoured)) AS not_honoured,
    toFloat64(sum(tools.label_runs)) AS label_runs,
    toFloat64(sum(tools.mature)) AS label_x,
    toFloat64(sum(tools.label_xx)) AS label_xx,
    CAST(sumForEach(tools.label_y), 'Array(Float64)') AS label_y,
    CAST(sumForEach(tools.label_xy), 'Array(Float64)') AS label_xy,
    CAST(sumForEach(tools.label_yy), 'Array(Float64)') AS label_yy,
    toFloat64(sum(tools.moment_runs)) AS moment_runs,
    toFloat64(sum(tools.moment_x)) AS moment_x,
    toFloat64(sum(tools.moment_y)) AS moment_y,
    toFloat64(sum(tools.moment_xx)) AS moment_xx,
    toFloat64(sum(tools.moment_xy)) AS moment_xy,
    toFloat64(sum(tools.moment_yy)) AS moment_yy,
    CAST(groupArrayIf(tools.stop_asked, tools.stop_asked + tools.retry_asked + tools.others > 0), 'Array(Int64)') AS stop_asked,
    CAST(groupArrayIf(tools.stop_done, tools.stop_asked + tools.retry_asked + tools.others > 0), 'Array(Int64)') AS stop_done,
    CAST(groupArrayIf(tools.retry_asked, tools.stop_asked + tools.retry_asked + tools.others > 0), 'Array(Int64)') AS retry_asked,
    CAST(groupArrayIf(tools.retry_done, tools.stop_asked + tools.retry_asked + tools.others > 0), 'Array(Int64)') AS retry_done,
    CAST(groupArrayIf(tools.others, tools.stop_asked + tools.retry_asked + tools.others > 0), 'Array(Int64)') AS others,
    CAST(groupArrayIf(tools.others_stopped, tools.stop_asked + tools.retry_asked + tools.others > 0), 'Array(Int64)') AS others_stopped,
    CAST(groupArrayIf(tools.others_retried, tools.stop_asked + tools.retry_asked + tools.others > 0), 'Array(Int64)') AS others_retried
FROM
(
    -- One row for each tool and group; what is counted run by run has none.
    SELECT
        {{template "group"}},
        row_tool,
        sum(part.runs) AS runs,
        sum(part.errored) AS errored,
        sum(part.mature) AS mature,
        sumForEach(part.labels) AS labels,
        sum(part.obeyed) AS obeyed,
        sum(part.disobeyed) AS disobeyed,
        sum(part.honoured) AS honoured,
        sum(part.not_honoured) AS not_honoured,
        sum(part.label_runs) AS label_runs,
        sum(part.label_xx) AS label_xx,
        sumForEach(part.label_y) AS label_y,
        sumForEach(part.label_xy) AS label_xy,
        sumForEach(part.label_yy) AS label_yy,
        sum(part.moment_runs) AS moment_runs,
        sum(part.moment_x) AS moment_x,
        sum(part.moment_y) AS moment_y,
        sum(part.moment_xx) AS moment_xx,
        sum(part.moment_xy) AS moment_xy,
        sum(part.moment_yy) AS moment_yy,
        sum(part.stop_asked) AS stop_asked,
        sum(part.stop_done) AS stop_done,
        sum(part.retry_asked) AS retry_asked,
        sum(part.retry_done) AS retry_done,
        sum(part.others) AS others,
        sum(part.others_stopped) AS others_stopped,
        sum(part.others_retried) AS others_retried
    FROM
    (
        {{template "next_actions_parts"}}
        UNION ALL
        SELECT
            {{template "by"}},
            row_tool,
            runs,
            errored,
            mature,
            labels,
            obeyed,
            disobeyed,
            honoured,
            not_honoured,
            label_runs,
            label_xx,
            label_y,
            label_xy,
            label_yy,
            moment_runs,
            moment_x,
            moment_y,
            moment_xx,
            moment_xy,
            moment_yy,
            stop_asked,
            stop_done,
            retry_asked,
            retry_done,
            others,
            others_stopped,
            others_retried
        FROM
        (
            SELECT *, {{template "cell_time"}}
            FROM next_actions_cells
            WHERE {{template "celled"}}
        )
        WHERE {{template "filter"}}
    ) AS part
    GROUP BY {{template "group"}}, row_tool
) AS tools
GROUP BY {{template "group"}}
ORDER BY {{template "group"}}
