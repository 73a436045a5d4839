-- The cells of simulated.sql.
INSERT INTO simulated_cells
SELECT
    {{template "cell_of"}},
    part.runs AS runs,
    part.simulated AS simulated
FROM
(
    {{template "simulated_parts"}}
) AS part
