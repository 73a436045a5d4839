-- What do errors waste that a better payload would save?
SELECT
    {{template "group"}},
    toInt64(sum(part.runs)) AS runs,
    toInt64(sum(part.episodes)) AS episodes,
    toInt64(sum(part.serial_faults)) AS serial_faults,
    toInt64(sum(part.collateral_changed)) AS collateral_changed,
    toInt64(sum(part.collateral_rejected)) AS collateral_rejected,
    toInt64(sum(part.errors)) AS errors,
    toInt64(sum(part.body_tokens)) AS body_tokens,
    toInt64(sum(part.recovery_tokens)) AS recovery_tokens
FROM
(
    {{template "waste_parts"}}
    UNION ALL
    SELECT
        {{template "by"}},
        runs,
        episodes,
        serial_faults,
        collateral_changed,
        collateral_rejected,
        errors,
        body_tokens,
        recovery_tokens
    FROM
    (
        SELECT *, {{template "cell_time"}}
        FROM waste_cells
        WHERE {{template "celled"}}
    )
    WHERE {{template "filter"}}
) AS part
GROUP BY {{template "group"}}
ORDER BY {{template "group"}}
