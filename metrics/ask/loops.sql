-- How often do agents send the very call again that was just refused?
--
-- Three statements, of which rows of the same group are put together: calls and patterns are counted as they are, errored
-- calls run by run first, since the interval of the loop rate rests on sums over runs. Errored calls are calls too, so the
-- runs with a counted row are those with a call, or where only rows with a code are counted, with an errored call.
SELECT
    {{template "group"}},
    toInt64(uniqExact(run_id)) AS calls_runs,
    toInt64(count()) AS calls,
    toInt64(countIf(outcome = 'refused')) AS refused,
    toInt64(countIf(outcome = 'cancelled')) AS cancelled,
    toInt64(countIf(outcome = 'pending')) AS pending
FROM
(
    SELECT
        {{template "by"}},
        run_id,
        outcome
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
            outcome
        FROM runs FINAL
        ARRAY JOIN
            calls.time AS call_time,
            calls.tool AS call_tool,
            calls.model AS call_model,
            calls.variant AS call_variant,
            calls.outcome AS outcome
        WHERE NOT {{template "of_a_code"}}
    )
    WHERE {{template "filter"}}
)
GROUP BY {{template "group"}};

SELECT
    {{template "group"}},
    toInt64(sum(run.errored)) AS errored,
    toInt64(sum(run.labelled)) AS labelled,
    toInt64(sum(run.mature)) AS mature,
    toInt64(sum(run.repeat)) AS repeat,
    toInt64(sum(run.corrected)) AS corrected,
    toInt64(sum(run.switched)) AS switched,
    toInt64(sum(run.replied)) AS replied,
    toInt64(sum(run.user)) AS user,
    toInt64(sum(run.ended)) AS ended,
    toInt64(sum(run.sanctioned)) AS sanctioned,
    toInt64(sum(run.chains)) AS chains,
    toInt64(max(run.longest)) AS longest,
    toInt64(count()) AS runs_with_error,
    toInt64(countIf(run.first_repeats)) AS runs_with_loop,
    toInt64(countIf(run.first_mature)) AS mature_runs_with_error,
    toInt64(countIf(run.first_repeats AND run.first_mature)) AS mature_runs_with_loop,
    toFloat64(countIf(run.mature > 0)) AS moment_runs,
    toFloat64(sum(run.mature)) AS moment_x,
    toFloat64(sum(run.mature_repeat)) AS moment_y,
    toFloat64(sum(run.mature * run.mature)) AS moment_xx,
    toFloat64(sum(run.mature * run.mature_repeat)) AS moment_xy,
    toFloat64(sum(run.mature_repeat * run.mature_repeat)) AS moment_yy
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
GROUP BY {{template "group"}};

SELECT
    {{template "group"}},
    toInt64(countIf(pattern = 'idle_repeat')) AS idle_repeats,
    toInt64(countIf(pattern = 'stuck_streak')) AS stuck_streaks,
    toInt64(countIf(pattern = 'cycle')) AS cycles
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
