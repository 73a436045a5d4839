-- After an error, how many attempts and turns until it works, and how often does it never?
--
-- Runs with equal outcomes are interchangeable for every figure, so each list of a run's outcomes comes once, with the
-- number of runs that have it. A row is one of three shapes:
--   episodes  one kind of episode: [ending, reason, attempts, turns, mature], with the number of such episodes
--   attempts  the mature episodes of a run: attempts * 8 + ending of each, with the number of such runs
--   turns     the same by turns; an episode that did not recover has lasted at least as many turns as attempts
SELECT
    {{template "group"}},
    shape,
    outcomes,
    toInt64(count()) AS times
FROM
(
    SELECT
        {{template "group"}},
        run_id,
        arrayJoin(arrayConcat
        (
            arrayMap(e -> ('episodes', e), groupArray(episode)),
            [('attempts', arraySort(groupArrayIf(attempts * 8 + end, is_mature)))],
            [('turns', arraySort(groupArrayIf(steps * 8 + end, is_mature)))]
        )) AS shaped,
        shaped.1 AS shape,
        shaped.2 AS outcomes
    FROM
    (
        SELECT
            {{template "by"}},
            run_id,
            toUInt64(attempts) AS attempts,
            if(end IN (1, 2), toUInt64(turns), toUInt64(attempts)) AS steps,
            toUInt64(CAST({{template "ending"}}, 'Enum8(\'recovered\' = 1, \'recovered_with_user\' = 2, \'abandoned\' = 3, \'open\' = 4)')) AS end,
            if(end = 3, toUInt64(reason), 0) AS why,
            {{template "mature_episode"}} AS is_mature,
            [end, why, attempts, if(end IN (1, 2), toUInt64(turns), 0), toUInt64(is_mature)] AS episode
        FROM
        (
            SELECT
                run_id,
                agent,
                timed,
                ended,
                last_activity,
                episode_time AS time,
                episode_tool AS tool,
                episode_code AS code,
                episode_model AS model,
                episode_variant AS variant,
                episode_ending AS ending,
                episode_reason AS reason,
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
                episodes.reason AS episode_reason,
                episodes.attempts AS episode_attempts,
                episodes.turns AS episode_turns
        )
        WHERE {{template "filter"}}
    )
    GROUP BY {{template "group"}}, run_id
)
GROUP BY {{template "group"}}, shape, outcomes
ORDER BY {{template "group"}}, shape, outcomes
