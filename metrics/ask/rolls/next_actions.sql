-- The cells of next_actions.sql.
INSERT INTO next_actions_cells
SELECT
    {{template "cell_of"}},
    part.row_tool AS row_tool,
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
) AS part
GROUP BY {{template "group"}}, row_tool
