-- What do errors cost, in tokens, money and time?
--
-- The projection to a month rests on whole days: [days_from, days_to), which the caller takes from what is covered.
SELECT
    {{template "group"}},
    toInt64(count()) AS runs,
    toInt64(sum(run.errors)) AS errors,
    toInt64(sum(run.recovery_turns)) AS recovery_turns,
    toInt64(sum(run.input_tokens)) AS input_tokens,
    toInt64(sum(run.cache_read_tokens)) AS cache_read_tokens,
    toInt64(sum(run.cache_write_tokens)) AS cache_write_tokens,
    toInt64(sum(run.output_tokens)) AS output_tokens,
    toInt64(sum(run.body_tokens)) AS body_tokens,
    toInt64(sum(run.estimated_tokens)) AS estimated_tokens,
    toInt64(sum(run.nano_usd)) AS nano_usd,
    toInt64(countIf(run.nano_usd = 0 AND run.tokens > 0 AND notEmpty(run.unpriced))) AS unpriced_runs,
    arraySort(groupUniqArrayArray(run.unpriced)) AS unpriced,
    toFloat64(sum(run.seconds)) AS seconds,
    toInt64(sum(run.charges)) AS charges,
    toInt64(sum(run.timed_charges)) AS timed_charges,
    toInt64(sum(run.days_tokens)) AS days_tokens,
    toInt64(sum(run.days_nano_usd)) AS days_nano_usd,
    toInt64(countIf(run.in_days > 0)) AS days_runs,
    -- The tokens of the costliest 1 % of runs, at least one.
    toInt64(arraySum(arraySlice(arrayReverseSort(groupArrayIf(run.days_tokens, run.in_days > 0)), 1, intDiv(countIf(run.in_days > 0) + 99, 100)))) AS costliest_tokens
FROM
(
    -- One row for each run and group.
    SELECT
        {{template "group"}},
        run_id,
        countIf(kind = 'error') AS errors,
        sumIf(part.body_tokens, kind = 'error') AS body_tokens,
        sumIf(part.turns, kind = 'charge') AS recovery_turns,
        sumIf(part.input, kind = 'charge') AS input_tokens,
        sumIf(part.cache_read, kind = 'charge') AS cache_read_tokens,
        sumIf(part.cache_write, kind = 'charge') AS cache_write_tokens,
        sumIf(part.output, kind = 'charge') AS output_tokens,
        sum(part.tokens) AS tokens,
        sumIf(part.tokens, part.estimated) AS estimated_tokens,
        sum(part.nano_usd) AS nano_usd,
        sum(part.seconds) AS seconds,
        countIf(kind = 'charge') AS charges,
        countIf(kind = 'charge' AND part.timed) AS timed_charges,
        groupUniqArrayArray(part.unpriced) AS unpriced,
        countIf(whole_day) AS in_days,
        sumIf(part.tokens, whole_day) AS days_tokens,
        sumIf(part.nano_usd, whole_day) AS days_nano_usd
    FROM
    (
        SELECT
            {{template "by"}},
            run_id,
            'error' AS kind,
            time >= {days_from:DateTime64(3, 'UTC')} AND time < {days_to:DateTime64(3, 'UTC')} AS whole_day,
            toUInt64(tokens_of_body) AS body_tokens,
            toUInt64(0) AS turns,
            toUInt64(0) AS input,
            toUInt64(0) AS cache_read,
            toUInt64(0) AS cache_write,
            toUInt64(0) AS output,
            toUInt64(0) AS tokens,
            false AS estimated,
            toInt64(0) AS nano_usd,
            toFloat64(0) AS seconds,
            false AS timed,
            CAST([], 'Array(String)') AS unpriced
        FROM
        (
            SELECT
                run_id,
                agent,
                error_time AS time,
                error_tool AS tool,
                error_code AS code,
                error_model AS model,
                error_variant AS variant,
                tokens_of_body
            FROM runs FINAL
            ARRAY JOIN
                errors.time AS error_time,
                errors.tool AS error_tool,
                errors.code AS error_code,
                errors.model AS error_model,
                errors.variant AS error_variant,
                errors.body_tokens AS tokens_of_body
        )
        WHERE {{template "filter"}}
        UNION ALL
        SELECT
            {{template "by"}},
            run_id,
            'charge' AS kind,
            time >= {days_from:DateTime64(3, 'UTC')} AND time < {days_to:DateTime64(3, 'UTC')} AS whole_day,
            toUInt64(0) AS body_tokens,
            toUInt64(charge_turns) AS turns,
            charge_input AS input,
            charge_cache_read AS cache_read,
            charge_cache_write AS cache_write,
            charge_output AS output,
            charge_input + charge_cache_read + charge_cache_write + charge_output AS tokens,
            charge_estimated AS estimated,
            charge_nano_usd AS nano_usd,
            charge_seconds AS seconds,
            run_timed AS timed,
            CAST(run_unpriced, 'Array(String)') AS unpriced
        FROM
        (
            SELECT
                run_id,
                agent,
                charge_time AS time,
                charge_tool AS tool,
                charge_code AS code,
                charge_model AS model,
                charge_variant AS variant,
                runs.unpriced AS run_unpriced,
                runs.timed AS run_timed,
                charge_turns,
                charge_input,
                charge_cache_read,
                charge_cache_write,
                charge_output,
                charge_estimated,
                charge_nano_usd,
                charge_seconds
            FROM runs FINAL
            ARRAY JOIN
                charges.time AS charge_time,
                charges.tool AS charge_tool,
                charges.code AS charge_code,
                charges.model AS charge_model,
                charges.variant AS charge_variant,
                charges.turns AS charge_turns,
                charges.input AS charge_input,
                charges.cache_read AS charge_cache_read,
                charges.cache_write AS charge_cache_write,
                charges.output AS charge_output,
                charges.estimated AS charge_estimated,
                charges.nano_usd AS charge_nano_usd,
                charges.seconds AS charge_seconds
        )
        WHERE {{template "filter"}}
    ) AS part
    GROUP BY {{template "group"}}, run_id
) AS run
GROUP BY {{template "group"}}
ORDER BY {{template "group"}}
