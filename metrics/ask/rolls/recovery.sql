-- The cells of recovery.sql.
INSERT INTO recovery_cells
SELECT
    {{template "cell_of"}},
    part.shape AS shape,
    part.outcomes AS outcomes,
    sum(part.times) AS times
FROM
(
    {{template "recovery_parts"}}
) AS part
GROUP BY {{template "group"}}, shape, outcomes
