-- What do agents do next after an error, and do they do what it asked for?
--
-- Labels come in the order repeat, corrected, switched, replied, user, ended, and so do the sums of their moments over
-- runs. Where a user spoke first, what came next was not the model's choice and is not judged. What tells asking errors
-- from others is counted tool by tool, in a statement of its own, so that the base can be that of the same tools.
SELECT
    {{template "group"}},
    toInt64(count()) AS runs,
    toInt64(sum(run.errored)) AS errored,
    toInt64(sum(run.mature)) AS mature,
    CAST(sumForEach(run.labels), 'Array(Int64)') AS labels,
    toInt64(sum(run.obeyed)) AS obeyed,
    toInt64(sum(run.disobeyed)) AS disobeyed,
    toInt64(sum(run.honoured)) AS honoured,
    toInt64(sum(run.not_honoured)) AS not_honoured,
    toFloat64(countIf(run.mature > 0)) AS label_runs,
    toFloat64(sum(run.mature * run.mature)) AS label_xx,
    CAST(sumForEach(run.mature_labels), 'Array(Float64)') AS label_y,
    CAST(sumForEach(arrayMap(n -> n * run.mature, run.mature_labels)), 'Array(Float64)') AS label_xy,
    CAST(sumForEach(arrayMap(n -> n * n, run.mature_labels)), 'Array(Float64)') AS label_yy,
    toFloat64(countIf(run.judged > 0)) AS moment_runs,
    toFloat64(sum(run.judged)) AS moment_x,
    toFloat64(sum(run.judged_obeyed)) AS moment_y,
    toFloat64(sum(run.judged * run.judged)) AS moment_xx,
    toFloat64(sum(run.judged * run.judged_obeyed)) AS moment_xy,
    toFloat64(sum(run.judged_obeyed * run.judged_obeyed)) AS moment_yy
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
GROUP BY {{template "group"}};

SELECT
    {{template "group"}},
    CAST(groupArray(tools.stop_asked), 'Array(Int64)') AS stop_asked,
    CAST(groupArray(tools.stop_done), 'Array(Int64)') AS stop_done,
    CAST(groupArray(tools.retry_asked), 'Array(Int64)') AS retry_asked,
    CAST(groupArray(tools.retry_done), 'Array(Int64)') AS retry_done,
    CAST(groupArray(tools.others), 'Array(Int64)') AS others,
    CAST(groupArray(tools.others_stopped), 'Array(Int64)') AS others_stopped,
    CAST(groupArray(tools.others_retried), 'Array(Int64)') AS others_retried
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
