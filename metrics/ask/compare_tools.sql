-- Which tools did the errored calls of each arm come from, and how many of them were repeated?
SELECT
    toInt64(arm) AS arm,
    toInt64(number) AS run,
    toString(tool) AS tool,
    toFloat64(count()) AS x,
    toFloat64(countIf(what = 'repeat')) AS y
FROM
(
    SELECT
        arm,
        cityHash64(run_id) AS number,
        tool,
        {{template "label"}} AS what
    FROM
    (
        SELECT
            run_id,
            {{template "arm"}} AS arm,
            timed,
            ended,
            last_activity,
            error_time AS time,
            error_tool AS tool,
            error_code AS code,
            error_model AS model,
            error_variant AS variant,
            error_label AS label
        FROM runs FINAL
        ARRAY JOIN
            errors.time AS error_time,
            errors.tool AS error_tool,
            errors.code AS error_code,
            errors.model AS error_model,
            errors.variant AS error_variant,
            errors.label AS error_label
        WHERE started_at >= {from:DateTime64(3, 'UTC')}
            AND started_at < {to:DateTime64(3, 'UTC')}
            AND (empty({agent:Array(String)}) OR has({agent:Array(String)}, agent))
            AND if(timed, {as_of:DateTime64(3, 'UTC')} >= started_at + toIntervalMillisecond({idle_ms:Int64}), {{template "ended"}})
    )
    WHERE arm IN (1, 2)
        AND {{template "compared"}}
        AND {{template "mature_episode"}}
        AND what != ''
)
GROUP BY arm, run, tool
ORDER BY arm, run, tool
