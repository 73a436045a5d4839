-- What next actions are counted from, in sums over runs that can be added up: run by run, then tool by tool.
SELECT
    {{template "group"}},
    '' AS row_tool,
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
    0 AS stop_asked,
    0 AS stop_done,
    0 AS retry_asked,
    0 AS retry_done,
    0 AS others,
    0 AS others_stopped,
    0 AS others_retried
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
    tools.tool_name AS row_tool,
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
    tools.stop_asked AS stop_asked,
    tools.stop_done AS stop_done,
    tools.retry_asked AS retry_asked,
    tools.retry_done AS retry_done,
    tools.others AS others,
    tools.others_stopped AS others_stopped,
    tools.others_retried AS others_retried
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
