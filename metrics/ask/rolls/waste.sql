-- The cells of waste.sql.
INSERT INTO waste_cells
SELECT
    {{template "cell_of"}},
    sum(part.runs) AS runs,
    sum(part.episodes) AS episodes,
    sum(part.serial_faults) AS serial_faults,
    sum(part.collateral_changed) AS collateral_changed,
    sum(part.collateral_rejected) AS collateral_rejected,
    sum(part.errors) AS errors,
    sum(part.body_tokens) AS body_tokens,
    sum(part.recovery_tokens) AS recovery_tokens
FROM
(
    {{template "waste_parts"}}
) AS part
GROUP BY {{template "group"}}
