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
    {{template "loops_parts"}}
    UNION ALL
    SELECT
        {{template "by"}},
        calls_runs,
        calls,
        refused,
        cancelled,
        pending,
        errored,
        labelled,
        mature,
        repeat,
        corrected,
        switched,
        replied,
        user,
        ended,
        sanctioned,
        chains,
        longest,
        runs_with_error,
        runs_with_loop,
        mature_runs_with_error,
        mature_runs_with_loop,
        moment_runs,
        moment_x,
        moment_y,
        moment_xx,
        moment_xy,
        moment_yy,
        idle_repeats,
        stuck_streaks,
        cycles
    FROM
    (
        SELECT *, {{template "cell_time"}}
        FROM loops_cells
        WHERE {{template "celled"}}
    )
    WHERE {{template "filter"}}
) AS part
GROUP BY {{template "group"}}
HAVING runs > 0
ORDER BY {{template "group"}}
