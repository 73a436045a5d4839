-- How often do agents send the very call again that was just refused?
--
-- Calls and patterns are counted as they are; errored calls run by run first, since the interval of the loop rate rests on
-- sums over runs. Errored calls are calls too, so the runs with a counted row are those with a call, or where only rows
-- with a code are counted, with an errored call.
SELECT
    {{template "group"}},
    toInt64(if({{template "of_a_code"}}, sum(part.runs_with_error), sum(part.calls_runs))) AS runs,
    if({{template "of_a_code"}}, NULL, toInt64(sum(part.calls))) AS calls,
    toInt64(sum(part.errored)) AS errored,
    if({{template "of_a_code"}}, NULL, toInt64(sum(part.refused))) AS refused,
    if({{template "of_a_code"}}, NULL, toInt64(sum(part.cancelled))) AS cancelled,
    if({{template "of_a_code"}}, NULL, toInt64(sum(part.pending))) AS pending,
    toInt64(sum(part.labelled)) AS labelled,
    toInt64(sum(part.errored) - sum(part.mature)) AS maturing,
    toInt64(sum(part.repeat)) AS repeat,
    toInt64(sum(part.corrected)) AS corrected,
    toInt64(sum(part.switched)) AS switched,
    toInt64(sum(part.replied)) AS replied,
    toInt64(sum(part.user)) AS user,
    toInt64(sum(part.ended)) AS ended,
    toInt64(sum(part.repeat) - sum(part.sanctioned)) AS futile,
    toInt64(sum(part.sanctioned)) AS sanctioned,
    toInt64(sum(part.chains)) AS loops,
    toInt64(max(part.longest)) AS longest_chain,
    toInt64(sum(part.runs_with_error)) AS runs_with_error,
    toInt64(sum(part.runs_with_loop)) AS runs_with_loop,
    toInt64(sum(part.mature_runs_with_error)) AS mature_runs_with_error,
    toInt64(sum(part.mature_runs_with_loop)) AS mature_runs_with_loop,
    if({{template "of_a_code"}}, NULL, toInt64(sum(part.idle_repeats))) AS idle_repeats,
    toInt64(sum(part.stuck_streaks)) AS stuck_streaks,
    toInt64(sum(part.cycles)) AS cycles,
    toFloat64(sum(part.moment_runs)) AS moment_runs,
    toFloat64(sum(part.moment_x)) AS moment_x,
    toFloat64(sum(part.moment_y)) AS moment_y,
    toFloat64(sum(part.moment_xx)) AS moment_xx,
    toFloat64(sum(part.moment_xy)) AS moment_xy,
    toFloat64(sum(part.moment_yy)) AS moment_yy
FROM
(
    SELECT
        {{template "group"}},
        countIf(nth = 1) AS calls_runs,
        count() AS calls,
        countIf(outcome = 'refused') AS refused,
        countIf(outcome = 'cancelled') AS cancelled,
        countIf(outcome = 'pending') AS pending,
        0 AS errored,
        0 AS labelled,
        0 AS mature,
        0 AS repeat,
        0 AS corrected,
        0 AS switched,
        0 AS replied,
        0 AS user,
        0 AS ended,
        0 AS sanctioned,
        0 AS chains,
        0 AS longest,
        0 AS runs_with_error,
        0 AS runs_with_loop,
        0 AS mature_runs_with_error,
        0 AS mature_runs_with_loop,
        0 AS moment_runs,
        0 AS moment_x,
        0 AS moment_y,
        0 AS moment_xx,
        0 AS moment_xy,
        0 AS moment_yy,
        0 AS idle_repeats,
        0 AS stuck_streaks,
        0 AS cycles
    FROM
    (
        SELECT
            {{template "by"}},
            outcome,
            nth
        FROM
        (
            -- The first call of a run in its group is the nth = 1: what counts runs without telling them apart.
            SELECT
                agent,
                call_time AS time,
                call_tool AS tool,
                '' AS code,
                call_model AS model,
                call_variant AS variant,
                outcome,
                nth
            FROM
            (
                SELECT
                    agent,
                    calls.time AS times,
                    calls.tool AS tools,
                    calls.model AS models,
                    calls.variant AS variants,
                    calls.outcome AS outcomes
                FROM runs FINAL
                WHERE NOT {{template "of_a_code"}}
            )
            ARRAY JOIN
                times AS call_time,
                tools AS call_tool,
                models AS call_model,
                variants AS call_variant,
                outcomes AS outcome,
                arrayEnumerateUniq
                (
                    arrayMap(tool -> if(has({by:Array(String)}, 'tool'), toString(tool), ''), tools),
                    arrayMap(model -> if(has({by:Array(String)}, 'model'), toString(model), ''), models),
                    arrayMap(variant -> if(has({by:Array(String)}, 'variant'), toString(variant), ''), variants),
                    arrayMap(time -> {{template "bucket"}}, times),
                    arrayMap
                    (
                        (time, tool, code, model, variant) -> {{template "filter"}},
                        times, tools, arrayMap(t -> '', tools), models, variants
                    )
                ) AS nth
        )
        WHERE {{template "filter"}}
    )
    GROUP BY {{template "group"}}
    UNION ALL
    SELECT
        {{template "group"}},
        0 AS calls_runs,
        0 AS calls,
        0 AS refused,
        0 AS cancelled,
        0 AS pending,
        sum(run.errored) AS errored,
        sum(run.labelled) AS labelled,
        sum(run.mature) AS mature,
        sum(run.repeat) AS repeat,
        sum(run.corrected) AS corrected,
        sum(run.switched) AS switched,
        sum(run.replied) AS replied,
        sum(run.user) AS user,
        sum(run.ended) AS ended,
        sum(run.sanctioned) AS sanctioned,
        sum(run.chains) AS chains,
        max(run.longest) AS longest,
        count() AS runs_with_error,
        countIf(run.first_repeats) AS runs_with_loop,
        countIf(run.first_mature) AS mature_runs_with_error,
        countIf(run.first_repeats AND run.first_mature) AS mature_runs_with_loop,
        countIf(run.mature > 0) AS moment_runs,
        sum(run.mature) AS moment_x,
        sum(run.mature_repeat) AS moment_y,
        sum(run.mature * run.mature) AS moment_xx,
        sum(run.mature * run.mature_repeat) AS moment_xy,
        sum(run.mature_repeat * run.mature_repeat) AS moment_yy,
        0 AS idle_repeats,
        0 AS stuck_streaks,
        0 AS cycles
    FROM
    (
        -- One row for each run and group.
        SELECT
            {{template "group"}},
            run_id,
            count() AS errored,
            countIf(what != '') AS labelled,
            countIf(what = 'repeat') AS repeat,
            countIf(what = 'corrected') AS corrected,
            countIf(what = 'switched') AS switched,
            countIf(what = 'replied') AS replied,
            countIf(what = 'user') AS user,
            countIf(what = 'ended') AS ended,
            countIf(what = 'repeat' AND is_sanctioned) AS sanctioned,
            countIf(is_mature) AS mature,
            countIf(is_mature AND what = 'repeat') AS mature_repeat,
            countIf(chain > 0) AS chains,
            max(chain) AS longest,
            argMin(what = 'repeat', (time, position)) AS first_repeats,
            argMin(is_mature, (time, position)) AS first_mature
        FROM
        (
            SELECT
                {{template "by"}},
                run_id,
                time,
                {{template "label"}} AS what,
                sanctioned AS is_sanctioned,
                {{template "mature_error"}} AS is_mature,
                chain,
                position
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
                    error_sanctioned AS sanctioned,
                    error_chain AS chain,
                    position
                FROM runs FINAL
                ARRAY JOIN
                    errors.time AS error_time,
                    errors.tool AS error_tool,
                    errors.code AS error_code,
                    errors.model AS error_model,
                    errors.variant AS error_variant,
                    errors.label AS error_label,
                    errors.sanctioned AS error_sanctioned,
                    errors.chain AS error_chain,
                    arrayEnumerate(errors.time) AS position
            )
            WHERE {{template "filter"}}
        )
        GROUP BY {{template "group"}}, run_id
    ) AS run
    GROUP BY {{template "group"}}
    UNION ALL
    SELECT
        {{template "group"}},
        0 AS calls_runs,
        0 AS calls,
        0 AS refused,
        0 AS cancelled,
        0 AS pending,
        0 AS errored,
        0 AS labelled,
        0 AS mature,
        0 AS repeat,
        0 AS corrected,
        0 AS switched,
        0 AS replied,
        0 AS user,
        0 AS ended,
        0 AS sanctioned,
        0 AS chains,
        0 AS longest,
        0 AS runs_with_error,
        0 AS runs_with_loop,
        0 AS mature_runs_with_error,
        0 AS mature_runs_with_loop,
        0 AS moment_runs,
        0 AS moment_x,
        0 AS moment_y,
        0 AS moment_xx,
        0 AS moment_xy,
        0 AS moment_yy,
        countIf(pattern = 'idle_repeat') AS idle_repeats,
        countIf(pattern = 'stuck_streak') AS stuck_streaks,
        countIf(pattern = 'cycle') AS cycles
    FROM
    (
        SELECT
            {{template "by"}},
            pattern
        FROM
        (
            SELECT
                agent,
                pattern_time AS time,
                pattern_tool AS tool,
                pattern_code AS code,
                pattern_model AS model,
                pattern_variant AS variant,
                pattern
            FROM runs FINAL
            ARRAY JOIN
                patterns.time AS pattern_time,
                patterns.tool AS pattern_tool,
                patterns.code AS pattern_code,
                patterns.model AS pattern_model,
                patterns.variant AS pattern_variant,
                patterns.kind AS pattern
        )
        WHERE {{template "filter"}}
    )
    GROUP BY {{template "group"}}
) AS part
GROUP BY {{template "group"}}
HAVING runs > 0
ORDER BY {{template "group"}}
