-- The cells of loops.sql.
INSERT INTO loops_cells
SELECT
    {{template "cell_of"}},
    sum(part.calls_runs) AS calls_runs,
    sum(part.calls) AS calls,
    sum(part.refused) AS refused,
    sum(part.cancelled) AS cancelled,
    sum(part.pending) AS pending,
    sum(part.errored) AS errored,
    sum(part.labelled) AS labelled,
    sum(part.mature) AS mature,
    sum(part.repeat) AS repeat,
    sum(part.corrected) AS corrected,
    sum(part.switched) AS switched,
    sum(part.replied) AS replied,
    sum(part.user) AS user,
    sum(part.ended) AS ended,
    sum(part.sanctioned) AS sanctioned,
    sum(part.chains) AS chains,
    max(part.longest) AS longest,
    sum(part.runs_with_error) AS runs_with_error,
    sum(part.runs_with_loop) AS runs_with_loop,
    sum(part.mature_runs_with_error) AS mature_runs_with_error,
    sum(part.mature_runs_with_loop) AS mature_runs_with_loop,
    sum(part.moment_runs) AS moment_runs,
    sum(part.moment_x) AS moment_x,
    sum(part.moment_y) AS moment_y,
    sum(part.moment_xx) AS moment_xx,
    sum(part.moment_xy) AS moment_xy,
    sum(part.moment_yy) AS moment_yy,
    sum(part.idle_repeats) AS idle_repeats,
    sum(part.stuck_streaks) AS stuck_streaks,
    sum(part.cycles) AS cycles
FROM
(
    {{template "loops_parts"}}
) AS part
GROUP BY {{template "group"}}
