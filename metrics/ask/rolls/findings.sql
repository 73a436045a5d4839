-- The cells of findings.sql.
INSERT INTO findings_cells
SELECT
    {{template "cell_of"}},
    part.finding AS finding,
    part.count AS count,
    part.runs AS runs,
    part.last_seen AS last_seen,
    part.example_run AS example_run
FROM
(
    {{template "findings_parts"}}
) AS part
