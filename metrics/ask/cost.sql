-- What do errors cost, in tokens, money and time?
--
-- The projection to a month rests on whole days: [days_from, days_to), which the caller takes from what is covered.
SELECT
    {{template "group"}},
    toInt64(sum(part.runs)) AS runs,
    toInt64(sum(part.errors)) AS errors,
    toInt64(sum(part.recovery_turns)) AS recovery_turns,
    toInt64(sum(part.input_tokens)) AS input_tokens,
    toInt64(sum(part.cache_read_tokens)) AS cache_read_tokens,
    toInt64(sum(part.cache_write_tokens)) AS cache_write_tokens,
    toInt64(sum(part.output_tokens)) AS output_tokens,
    toInt64(sum(part.body_tokens)) AS body_tokens,
    toInt64(sum(part.estimated_tokens)) AS estimated_tokens,
    toInt64(sum(part.nano_usd)) AS nano_usd,
    toInt64(sum(part.unpriced_runs)) AS unpriced_runs,
    arraySort(groupUniqArrayArray(part.unpriced)) AS unpriced,
    toFloat64(sum(part.seconds)) AS seconds,
    toInt64(sum(part.charges)) AS charges,
    toInt64(sum(part.timed_charges)) AS timed_charges,
    toInt64(sum(part.days_nano_usd)) AS days_nano_usd,
    toInt64(sum(arraySum(part.days_tokens))) AS days_tokens,
    toInt64(sum(length(part.days_tokens))) AS days_runs,
    -- The tokens of the costliest 1 % of runs, at least one.
    toInt64(arraySum(arraySlice(arrayReverseSort(groupArrayArray(part.days_tokens)), 1, intDiv(sum(length(part.days_tokens)) + 99, 100)))) AS costliest_tokens
FROM
(
    {{template "cost_parts"}}
    UNION ALL
    SELECT
        {{template "by"}},
        runs,
        errors,
        recovery_turns,
        input_tokens,
        cache_read_tokens,
        cache_write_tokens,
        output_tokens,
        body_tokens,
        estimated_tokens,
        nano_usd,
        unpriced_runs,
        unpriced,
        seconds,
        charges,
        timed_charges,
        if({{template "whole_day"}}, days_nano_usd, 0),
        if({{template "whole_day"}}, days_tokens, [])
    FROM
    (
        SELECT *, {{template "cell_time"}}
        FROM cost_cells
        WHERE {{template "celled"}}
    )
    WHERE {{template "filter"}}
) AS part
GROUP BY {{template "group"}}
ORDER BY {{template "group"}}
