-- What do agents do next after an error, and do they do what it asked for?
--
-- Labels come in the order repeat, corrected, switched, replied, user, ended, and so do the sums of their moments over
-- runs. Where a user spoke first, what came next was not the model's choice and is not judged. What tells asking errors
-- from others is counted tool by tool, so that the base can be that of the same tools.
SELECT
    {{template "group"}},
    toInt64(sum(part.runs)) AS runs,
    toInt64(sum(part.errored)) AS errored,
    toInt64(sum(part.errored) - sum(part.mature)) AS maturing,
    CAST(sumForEach(part.labels), 'Array(Int64)') AS labels,
    toInt64(sum(part.obeyed)) AS obeyed,
    toInt64(sum(part.disobeyed)) AS disobeyed,
    toInt64(sum(part.honoured)) AS honoured,
    toInt64(sum(part.not_honoured)) AS not_honoured,
    toFloat64(sum(part.label_runs)) AS label_runs,
    toFloat64(sum(part.mature)) AS label_x,
    toFloat64(sum(part.label_xx)) AS label_xx,
    CAST(sumForEach(part.label_y), 'Array(Float64)') AS label_y,
    CAST(sumForEach(part.label_xy), 'Array(Float64)') AS label_xy,
    CAST(sumForEach(part.label_yy), 'Array(Float64)') AS label_yy,
    toFloat64(sum(part.moment_runs)) AS moment_runs,
    toFloat64(sum(part.moment_x)) AS moment_x,
    toFloat64(sum(part.moment_y)) AS moment_y,
    toFloat64(sum(part.moment_xx)) AS moment_xx,
    toFloat64(sum(part.moment_xy)) AS moment_xy,
    toFloat64(sum(part.moment_yy)) AS moment_yy,
    CAST(groupArrayArray(part.stop_asked), 'Array(Int64)') AS stop_asked,
    CAST(groupArrayArray(part.stop_done), 'Array(Int64)') AS stop_done,
    CAST(groupArrayArray(part.retry_asked), 'Array(Int64)') AS retry_asked,
    CAST(groupArrayArray(part.retry_done), 'Array(Int64)') AS retry_done,
    CAST(groupArrayArray(part.others), 'Array(Int64)') AS others,
    CAST(groupArrayArray(part.others_stopped), 'Array(Int64)') AS others_stopped,
    CAST(groupArrayArray(part.others_retried), 'Array(Int64)') AS others_retried
FROM
(
    SELECT
        {{template "group"}},
        count() AS runs,
        sum(run.errored) AS errored,
        sum(run.mature) AS mature,
        sumForEach(run.labels) AS labels,
        sum(run.obeyed) AS obeyed,
        sum(run.disobeyed) AS disobeyed,
        sum(run.honoured) AS honoured,
        sum(run.not_honoured) AS not_honoured,
        countIf(run.mature > 0) AS label_runs,
        sum(run.mature * run.mature) AS label_xx,
        sumForEach(run.mature_labels) AS label_y,
        sumForEach(arrayMap(n -> n * run.mature, run.mature_labels)) AS label_xy,
        sumForEach(arrayMap(n -> n * n, run.mature_labels)) AS label_yy,
        countIf(run.judged > 0) AS moment_runs,
        sum(run.judged) AS moment_x,
        sum(run.judged_obeyed) AS moment_y,
        sum(run.judged * run.judged) AS moment_xx,
        sum(run.judged * run.judged_obeyed) AS moment_xy,
        sum(run.judged_obeyed * run.judged_obeyed) AS moment_yy,
        emptyArrayUInt64() AS stop_asked,
        emptyArrayUInt64() AS stop_done,
        emptyArrayUInt64() AS retry_asked,
        emptyArrayUInt64() AS retry_done,
        emptyArrayUInt64() AS others,
        emptyArrayUInt64() AS others_stopped,
        emptyArrayUInt64() AS others_retried
    FROM
    (
        -- One row for each run and group.
        SELECT
            {{template "group"}},
            run_id,
            count() AS errored,
            countIf(is_mature) AS mature,
            [countIf(what = 'repeat'), countIf(what = 'corrected'), countIf(what = 'switched'), countIf(what = 'replied'), countIf(what = 'user'), countIf(what = 'ended')] AS labels,
            [countIf(is_mature AND what = 'repeat'), countIf(is_mature AND what = 'corrected'), countIf(is_mature AND what = 'switched'), countIf(is_mature AND what = 'replied'), countIf(is_mature AND what = 'user'), countIf(is_mature AND what = 'ended')] AS mature_labels,
            countIf(is_judged AND asked != '' AND did = asked) AS obeyed,
            countIf(is_judged AND asked != '' AND did != asked) AS disobeyed,
            countIf(was_honoured = true) AS honoured,
            countIf(was_honoured = false) AS not_honoured,
            countIf(is_mature AND is_judged AND asked != '') AS judged,
            countIf(is_mature AND is_judged AND asked != '' AND did = asked) AS judged_obeyed
        FROM {{template "followed"}}
        GROUP BY {{template "group"}}, run_id
    ) AS run
    GROUP BY {{template "group"}}
    UNION ALL
    SELECT
        {{template "group"}},
        0 AS runs,
        0 AS errored,
        0 AS mature,
        emptyArrayUInt64() AS labels,
        0 AS obeyed,
        0 AS disobeyed,
        0 AS honoured,
        0 AS not_honoured,
        0 AS label_runs,
        0 AS label_xx,
        emptyArrayUInt64() AS label_y,
        emptyArrayUInt64() AS label_xy,
        emptyArrayUInt64() AS label_yy,
        0 AS moment_runs,
        0 AS moment_x,
        0 AS moment_y,
        0 AS moment_xx,
        0 AS moment_xy,
        0 AS moment_yy,
        groupArray(tools.stop_asked) AS stop_asked,
        groupArray(tools.stop_done) AS stop_done,
        groupArray(tools.retry_asked) AS retry_asked,
        groupArray(tools.retry_done) AS retry_done,
        groupArray(tools.others) AS others,
        groupArray(tools.others_stopped) AS others_stopped,
        groupArray(tools.others_retried) AS others_retried
    FROM
    (
        -- One row for each tool and group.
        SELECT
            {{template "group"}},
            tool_name,
            countIf(asked = 'stop') AS stop_asked,
            countIf(asked = 'stop' AND did = 'stop') AS stop_done,
            countIf(asked = 'retry') AS retry_asked,
            countIf(asked = 'retry' AND did = 'retry') AS retry_done,
            countIf(asked = '') AS others,
            countIf(asked = '' AND did = 'stop') AS others_stopped,
            countIf(asked = '' AND did = 'retry') AS others_retried
        FROM {{template "followed"}}
        WHERE is_mature AND is_judged
        GROUP BY {{template "group"}}, tool_name
    ) AS tools
    GROUP BY {{template "group"}}
) AS part
GROUP BY {{template "group"}}
ORDER BY {{template "group"}}
