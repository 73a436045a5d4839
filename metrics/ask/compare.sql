-- Is one error payload better than another?
--
-- The sums over runs of each compared figure, from which ratios and their uncertainty follow. Every run gives each figure
-- one pair: its units x and what is measured on them y. Figures are numbered in the order of the array; those that are
-- capped stop at the 99th percentile of both arms. Stretches are days counted from the cutover, for the history of a
-- comparison before and after it.
WITH
(
    SELECT
    [
        quantileExactIf(0.99)(first_tokens, has_first_episode > 0),
        quantileExactIf(0.99)(tokens, exposed > 0),
        quantileExactIf(0.99)(tokens, errored > 0)
    ]
    FROM {{template "compared_runs"}}
    WHERE in_range AND arm IN (1, 2)
) AS caps
SELECT
    toInt64(arm) AS arm,
    in_range,
    stretch,
    toInt64(figure) AS figure,
    toFloat64(count()) AS moment_runs,
    sum(x) AS moment_x,
    sum(y) AS moment_y,
    sum(x * x) AS moment_xx,
    sum(x * y) AS moment_xy,
    sum(y * y) AS moment_yy
FROM
(
    SELECT
        arm,
        in_range,
        stretch,
        arrayJoin(arrayEnumerate(pairs)) AS figure,
        [
            (if(exposed > 0 AND isNotNull(success), 1, 0), toFloat64(ifNull(success, false))),
            (has_first, first_looped),
            (has_first_end, first_recovered),
            (has_first_episode, first_tokens),
            (has_first_episode, least(first_tokens, caps[1])),
            (exposed, errored),
            (exposed, repeats),
            (exposed, tokens),
            (exposed, least(tokens, caps[2])),
            (labelled, repeats),
            (closed, abandoned),
            (closed, recovered_within_3),
            (closed, limited_attempts),
            (errored, tokens),
            (errored, least(tokens, caps[3])),
            (if(is_unpriced, 0, errored), usd),
            (errored, body_tokens),
            (judged, obeyed)
        ] AS pairs,
        pairs[figure].1 AS x,
        pairs[figure].2 AS y
    FROM {{template "compared_runs"}}
)
WHERE x > 0
GROUP BY arm, in_range, stretch, figure
ORDER BY arm, in_range, stretch, figure
