-- Which other tools do agents need to recover from an error?
--
-- Of the mature recovered episodes of a tool and code. The moments over runs are those of the share of these episodes
-- that used the helper: runs without it count with their episodes.
SELECT
    used.tool AS tool,
    used.code AS code,
    used.helper AS helper,
    toInt64(sum(used.episodes)) AS episodes,
    toInt64(any(base.episodes)) AS recovered,
    toInt64(count()) AS runs,
    toInt64(sum(used.tokens)) AS tokens,
    toInt64(sum(used.calls)) AS calls,
    toInt64(sum(used.value_from_it)) AS value_from_helper,
    toInt64(sum(used.named)) AS named_by_error,
    toFloat64(any(base.runs)) AS moment_runs,
    toFloat64(any(base.episodes)) AS moment_x,
    toFloat64(sum(used.episodes)) AS moment_y,
    toFloat64(any(base.squares)) AS moment_xx,
    toFloat64(sum(used.episodes * used.of)) AS moment_xy,
    toFloat64(sum(used.episodes * used.episodes)) AS moment_yy
FROM
(
    SELECT
        tool,
        code,
        run_id,
        helper.tool AS helper,
        count() AS episodes,
        any(of) AS of,
        sum(helper.tokens) AS tokens,
        sum(helper.calls) AS calls,
        countIf(helper.value_from_it) AS value_from_it,
        countIf(helper.named_by_error) AS named
    FROM
    (
        SELECT
            tool,
            code,
            run_id,
            helpers,
            count() OVER (PARTITION BY tool, code, run_id) AS of
        FROM {{template "recovered"}}
    )
    ARRAY JOIN helpers AS helper
    GROUP BY tool, code, run_id, helper
) AS used
INNER JOIN
(
    SELECT
        tool,
        code,
        count() AS runs,
        sum(of) AS episodes,
        sum(of * of) AS squares
    FROM
    (
        SELECT
            tool,
            code,
            run_id,
            count() AS of
        FROM {{template "recovered"}}
        GROUP BY tool, code, run_id
    )
    GROUP BY tool, code
) AS base
ON used.tool = base.tool AND used.code = base.code
GROUP BY tool, code, helper
ORDER BY episodes DESC, tool, code, helper
