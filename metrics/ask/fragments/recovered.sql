-- The mature recovered episodes of both kinds.
(
    SELECT
        toString(tool) AS tool,
        toString(code) AS code,
        run_id,
        helpers
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
            episode_helpers AS helpers
        FROM runs FINAL
        ARRAY JOIN
            episodes.time AS episode_time,
            episodes.tool AS episode_tool,
            episodes.code AS episode_code,
            episodes.model AS episode_model,
            episodes.variant AS episode_variant,
            episodes.ending AS episode_ending,
            episodes.helpers AS episode_helpers
    )
    WHERE {{template "filter"}}
        AND ending IN ('recovered', 'recovered_with_user')
        AND {{template "mature_episode"}}
)
