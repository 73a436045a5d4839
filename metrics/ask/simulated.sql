-- How many of the runs were made by a simulator rather than lived through?
--
-- A run is of the stretch asked for where its activity touches it.
SELECT
    toInt64(sum(part.runs)) AS runs,
    toInt64(sum(part.simulated)) AS simulated
FROM
(
    SELECT runs, simulated FROM
    (
        {{template "simulated_parts"}}
    )
    UNION ALL
    SELECT
        runs,
        simulated
    FROM simulated_cells
    WHERE {{template "celled"}}
        AND (empty({agent:Array(String)}) OR has({agent:Array(String)}, agent))
) AS part
