-- What would a breaker have saved that stops a tool after some failures in a row, and which recoveries would it have prevented?
SELECT
    {{template "group"}},
    toInt64(n) AS n,
    toInt64(sumIf(turns, streak >= n)) AS turns_saved,
    toInt64(sumIf(tokens, streak >= n)) AS tokens_saved,
    toInt64(sumIf(recoveries, streak >= n)) AS recoveries_lost
FROM
(
    SELECT
        {{template "by"}},
        streak,
        turns,
        tokens,
        recoveries
    FROM
    (
        SELECT
            agent,
            part.1 AS time,
            part.2 AS tool,
            part.3 AS code,
            part.4 AS model,
            part.5 AS variant,
            part.6 AS streak,
            part.7 AS turns,
            part.8 AS tokens,
            part.9 AS recoveries
        FROM runs FINAL
        ARRAY JOIN arrayConcat
        (
            arrayMap
            (
                (time, tool, code, model, variant, streak, turns, input, cache_read, cache_write, output) ->
                    (time, toString(tool), toString(code), toString(model), toString(variant), streak, toUInt64(turns), input + cache_read + cache_write + output, toUInt64(0)),
                charges.time, charges.tool, charges.code, charges.model, charges.variant, charges.streak, charges.turns,
                charges.input, charges.cache_read, charges.cache_write, charges.output
            ),
            arrayMap
            (
                (time, tool, code, model, variant, streak) ->
                    (time, toString(tool), toString(code), toString(model), toString(variant), streak, toUInt64(0), toUInt64(0), toUInt64(1)),
                episodes.time, episodes.tool, episodes.code, episodes.model, episodes.variant, episodes.streak
            )
        ) AS part
        WHERE notEmpty(episodes.streak)
    )
    WHERE {{template "filter"}}
        AND streak > 0
)
ARRAY JOIN range(1, 11) AS n
GROUP BY {{template "group"}}, n
ORDER BY {{template "group"}}, n
