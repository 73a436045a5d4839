-- How did the episodes of each arm end, by attempts and by turns?
--
-- Each list of a run's outcomes comes once with the number of runs that have it, as in recovery.sql: attempts * 8 + ending.
SELECT
    toInt64(arm) AS arm,
    shape,
    outcomes,
    toInt64(count()) AS times
FROM
(
    SELECT
        arm,
        run_id,
        arrayJoin([('attempts', arraySort(groupArray(attempts * 8 + end))), ('turns', arraySort(groupArray(steps * 8 + end)))]) AS shaped,
        shaped.1 AS shape,
        shaped.2 AS outcomes
    FROM
    (
        SELECT
            arm,
            run_id,
            toUInt64(attempts) AS attempts,
            if(end IN (1, 2), toUInt64(turns), toUInt64(attempts)) AS steps,
            toUInt64(CAST({{template "ending"}}, 'Enum8(\'recovered\' = 1, \'recovered_with_user\' = 2, \'abandoned\' = 3, \'open\' = 4)')) AS end
        FROM
        (
            SELECT
                run_id,
                {{template "arm"}} AS arm,
                timed,
                ended,
                last_activity,
                episode_time AS time,
                episode_tool AS tool,
                episode_code AS code,
                episode_model AS model,
                episode_variant AS variant,
                episode_ending AS ending,
                episode_attempts AS attempts,
                episode_turns AS turns
            FROM runs FINAL
            ARRAY JOIN
                episodes.time AS episode_time,
                episodes.tool AS episode_tool,
                episodes.code AS episode_code,
                episodes.model AS episode_model,
                episodes.variant AS episode_variant,
                episodes.ending AS episode_ending,
                episodes.attempts AS episode_attempts,
                episodes.turns AS episode_turns
            WHERE started_at >= {from:DateTime64(3, 'UTC')}
                AND started_at < {to:DateTime64(3, 'UTC')}
                AND (empty({agent:Array(String)}) OR has({agent:Array(String)}, agent))
                AND if(timed, {as_of:DateTime64(3, 'UTC')} >= started_at + toIntervalMillisecond({idle_ms:Int64}), {{template "ended"}})
        )
        WHERE arm IN (1, 2)
            AND {{template "compared"}}
            AND {{template "mature_episode"}}
    )
    GROUP BY arm, run_id
)
GROUP BY arm, shape, outcomes
ORDER BY arm, shape, outcomes
