-- The cells of span.sql, which also say up to when there is anything in a stretch.
INSERT INTO span_cells
SELECT
    {{template "cell_of"}},
    part.calls AS calls,
    part.newest_call AS newest_call,
    part.runs AS runs,
    part.first_activity AS first_activity,
    part.last_activity AS last_activity,
    part.last_fact AS last_fact
FROM
(
    {{template "span_parts"}}
) AS part
