-- How often do agents send the very call again that was just refused?
SELECT
    {{template "group"}},
    toInt64(countIf(run.calls > 0 OR run.errored > 0)) AS runs,
    if({{template "of_a_code"}}, NULL, toInt64(sum(run.calls))) AS calls,
    toInt64(sum(run.errored)) AS errored,
    if({{template "of_a_code"}}, NULL, toInt64(sum(run.refused))) AS refused,
    if({{template "of_a_code"}}, NULL, toInt64(sum(run.cancelled))) AS cancelled,
    if({{template "of_a_code"}}, NULL, toInt64(sum(run.pending))) AS pending,
    toInt64(sum(run.labelled)) AS labelled,
    toInt64(sum(run.errored) - sum(run.mature)) AS maturing,
    toInt64(sum(run.repeat)) AS repeat,
    toInt64(sum(run.corrected)) AS corrected,
    toInt64(sum(run.switched)) AS switched,
    toInt64(sum(run.replied)) AS replied,
    toInt64(sum(run.user)) AS user,
    toInt64(sum(run.ended)) AS ended,
    toInt64(sum(run.repeat) - sum(run.sanctioned)) AS futile,
    toInt64(sum(run.sanctioned)) AS sanctioned,
    toInt64(sum(run.chains)) AS loops,
    toInt64(max(run.longest)) AS longest_chain,
    toInt64(countIf(run.errored > 0)) AS runs_with_error,
    toInt64(countIf(run.first_repeats)) AS runs_with_loop,
    if({{template "of_a_code"}}, NULL, toInt64(sum(run.idle_repeats))) AS idle_repeats,
    toInt64(sum(run.stuck_streaks)) AS stuck_streaks,
    toInt64(sum(run.cycles)) AS cycles,
    toFloat64(countIf(run.mature > 0)) AS moment_runs,
    toFloat64(sum(run.mature)) AS moment_x,
    toFloat64(sum(run.mature_repeat)) AS moment_y,
    toFloat64(sum(run.mature * run.mature)) AS moment_xx,
    toFloat64(sum(run.mature * run.mature_repeat)) AS moment_xy,
    toFloat64(sum(run.mature_repeat * run.mature_repeat)) AS moment_yy,
    toInt64(countIf(run.errored > 0 AND run.first_mature)) AS mature_runs_with_error,
    toInt64(countIf(run.first_repeats AND run.first_mature)) AS mature_runs_with_loop
FROM
(
    -- One row for each run and group.
    SELECT
        {{template "group"}},
        run_id,
        countIf(kind = 'call') AS calls,
        countIf(kind = 'call' AND what = 'refused') AS refused,
        countIf(kind = 'call' AND what = 'cancelled') AS cancelled,
        countIf(kind = 'call' AND what = 'pending') AS pending,
        countIf(kind = 'error') AS errored,
        countIf(kind = 'error' AND what != '') AS labelled,
        countIf(kind = 'error' AND what = 'repeat') AS repeat,
        countIf(kind = 'error' AND what = 'corrected') AS corrected,
        countIf(kind = 'error' AND what = 'switched') AS switched,
        countIf(kind = 'error' AND what = 'replied') AS replied,
        countIf(kind = 'error' AND what = 'user') AS user,
        countIf(kind = 'error' AND what = 'ended') AS ended,
        countIf(kind = 'error' AND what = 'repeat' AND is_sanctioned) AS sanctioned,
        countIf(kind = 'error' AND is_mature) AS mature,
        countIf(kind = 'error' AND is_mature AND what = 'repeat') AS mature_repeat,
        countIf(kind = 'error' AND chain > 0) AS chains,
        maxIf(chain, kind = 'error') AS longest,
        argMinIf(what = 'repeat', (time, position), kind = 'error') AS first_repeats,
        argMinIf(is_mature, (time, position), kind = 'error') AS first_mature,
        countIf(kind = 'pattern' AND what = 'idle_repeat') AS idle_repeats,
        countIf(kind = 'pattern' AND what = 'stuck_streak') AS stuck_streaks,
        countIf(kind = 'pattern' AND what = 'cycle') AS cycles
    FROM
    (
        SELECT
            {{template "by"}},
            run_id,
            'call' AS kind,
            time,
            toString(outcome) AS what,
            false AS is_sanctioned,
            false AS is_mature,
            toUInt32(0) AS chain,
            toUInt32(0) AS position
        FROM
        (
            SELECT
                run_id,
                agent,
                call_time AS time,
                call_tool AS tool,
                '' AS code,
                call_model AS model,
                call_variant AS variant,
                call_outcome AS outcome
            FROM runs FINAL
            ARRAY JOIN
                calls.time AS call_time,
                calls.tool AS call_tool,
                calls.model AS call_model,
                calls.variant AS call_variant,
                calls.outcome AS call_outcome
            WHERE NOT {{template "of_a_code"}}
        )
        WHERE {{template "filter"}}
        UNION ALL
        SELECT
            {{template "by"}},
            run_id,
            'error' AS kind,
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
        UNION ALL
        SELECT
            {{template "by"}},
            run_id,
            'pattern' AS kind,
            time,
            toString(pattern) AS what,
            false AS is_sanctioned,
            false AS is_mature,
            toUInt32(0) AS chain,
            toUInt32(0) AS position
        FROM
        (
            SELECT
                run_id,
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
    GROUP BY {{template "group"}}, run_id
) AS run
GROUP BY {{template "group"}}
HAVING runs > 0
ORDER BY {{template "group"}}
