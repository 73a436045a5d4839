-- The runs whose activity touches the time asked for, and how many of them were made by a simulator.
SELECT
    {{template "group"}},
    count() AS runs,
    countIf(is_simulated) AS simulated
FROM
(
    SELECT
        {{template "by"}},
        is_simulated
    FROM
    (
        SELECT
            started_at AS time,
            '' AS tool,
            '' AS code,
            '' AS variant,
            '' AS model,
            agent,
            attributes['simulated'] = 'true' AS is_simulated
        FROM {{template "dated"}}
        WHERE started_at < {to:DateTime64(3, 'UTC')}
            AND last_activity >= {from:DateTime64(3, 'UTC')}
            AND (empty({agent:Array(String)}) OR has({agent:Array(String)}, agent))
    )
)
GROUP BY {{template "group"}}
