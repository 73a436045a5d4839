-- After an error, how many attempts and turns until it works, and how often does it never?
--
-- Runs with equal outcomes are interchangeable for every figure, so each list of a run's outcomes comes once, with the
-- number of runs that have it. A row is one of three shapes:
--   episodes  one kind of episode: [ending, reason, attempts, turns, mature], with the number of such episodes
--   attempts  the mature episodes of a run: attempts * 8 + ending of each, with the number of such runs
--   turns     the same by turns; an episode that did not recover has lasted at least as many turns as attempts
SELECT
    {{template "group"}},
    toString(part.shape) AS shape,
    part.outcomes AS outcomes,
    toInt64(sum(part.times)) AS times
FROM
(
    {{template "recovery_parts"}}
    UNION ALL
    SELECT
        {{template "by"}},
        toString(shape),
        outcomes,
        times
    FROM
    (
        SELECT *, {{template "cell_time"}}
        FROM recovery_cells
        WHERE {{template "celled"}}
    )
    WHERE {{template "filter"}}
) AS part
GROUP BY {{template "group"}}, shape, outcomes
ORDER BY {{template "group"}}, shape, outcomes
