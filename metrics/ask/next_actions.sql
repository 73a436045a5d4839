-- What do agents do next after an error, and do they do what it asked for?
--
-- Labels come in the order repeat, corrected, switched, replied, user, ended, and so do the sums of their moments over
-- runs. Where a user spoke first, what came next was not the model's choice and is not judged. What tells asking errors
-- from others is counted tool by tool, so that the base can be that of the same tools.
SELECT
    {{template "group"}},
    toInt64(count()) AS runs,
    toInt64(sum(run.errored)) AS errored,
    toInt64(sum(run.errored) - sum(run.mature)) AS maturing,
    CAST(sumForEach(run.labels), 'Array(Int64)') AS labels,
    toInt64(sum(run.obeyed)) AS obeyed,
    toInt64(sum(run.disobeyed)) AS disobeyed,
    toInt64(sum(run.honoured)) AS honoured,
    toInt64(sum(run.not_honoured)) AS not_honoured,
    toFloat64(countIf(run.mature > 0)) AS label_runs,
    toFloat64(sum(run.mature)) AS label_x,
    toFloat64(sum(run.mature * run.mature)) AS label_xx,
    CAST(sumForEach(run.mature_labels), 'Array(Float64)') AS label_y,
    CAST(sumForEach(arrayMap(n -> n * run.mature, run.mature_labels)), 'Array(Float64)') AS label_xy,
    CAST(sumForEach(arrayMap(n -> n * n, run.mature_labels)), 'Array(Float64)') AS label_yy,
    toFloat64(countIf(run.judged > 0)) AS moment_runs,
    toFloat64(sum(run.judged)) AS moment_x,
    toFloat64(sum(run.judged_obeyed)) AS moment_y,
    toFloat64(sum(run.judged * run.judged)) AS moment_xx,
    toFloat64(sum(run.judged * run.judged_obeyed)) AS moment_xy,
    toFloat64(sum(run.judged_obeyed * run.judged_obeyed)) AS moment_yy,
    CAST((sumMap(run.by_tool_name.1, run.by_tool_name.2, run.by_tool_name.3, run.by_tool_name.4, run.by_tool_name.5, run.by_tool_name.6, run.by_tool_name.7, run.by_tool_name.8) AS tools).2, 'Array(Int64)') AS stop_asked,
    CAST(tools.3, 'Array(Int64)') AS stop_done,
    CAST(tools.4, 'Array(Int64)') AS retry_asked,
    CAST(tools.5, 'Array(Int64)') AS retry_done,
    CAST(tools.6, 'Array(Int64)') AS others,
    CAST(tools.7, 'Array(Int64)') AS others_stopped,
    CAST(tools.8, 'Array(Int64)') AS others_retried
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
        countIf(is_mature AND is_judged AND asked != '' AND did = asked) AS judged_obeyed,
        sumMapIf
        (
            [tool_name],
            [toUInt64(asked = 'stop')],
            [toUInt64(asked = 'stop' AND did = 'stop')],
            [toUInt64(asked = 'retry')],
            [toUInt64(asked = 'retry' AND did = 'retry')],
            [toUInt64(asked = '')],
            [toUInt64(asked = '' AND did = 'stop')],
            [toUInt64(asked = '' AND did = 'retry')],
            is_mature AND is_judged
        ) AS by_tool_name
    FROM
    (
        SELECT
            {{template "by"}},
            run_id,
            toString(tool) AS tool_name,
            {{template "label"}} AS what,
            {{template "mature_error"}} AS is_mature,
            {{template "asks"}} AS asked,
            multiIf(what = 'repeat', 'retry', what IN ('replied', 'ended'), 'stop', '-') AS did,
            what NOT IN ('', 'user') AS is_judged,
            honoured AS was_honoured
        FROM
        (
            SELECT
                run_id,
                agent,
                timed,
                ended,
                last_activity,
                error_time AS time,
                error_tool AS tool,
                error_code AS code,
                error_model AS model,
                error_variant AS variant,
                error_label AS label,
                retryable,
                next_action,
                honoured
            FROM runs FINAL
            ARRAY JOIN
                errors.time AS error_time,
                errors.tool AS error_tool,
                errors.code AS error_code,
                errors.model AS error_model,
                errors.variant AS error_variant,
                errors.label AS error_label,
                errors.retryable AS retryable,
                errors.next_action AS next_action,
                errors.honoured AS honoured
        )
        WHERE {{template "filter"}}
    )
    GROUP BY {{template "group"}}, run_id
) AS run
GROUP BY {{template "group"}}
ORDER BY {{template "group"}}
