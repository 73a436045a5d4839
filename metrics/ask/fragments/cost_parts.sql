-- What costs are summed from, in sums over runs that can be added up, with the tokens of each run that fall on whole days.
SELECT
    {{template "group"}},
    count() AS runs,
    sum(run.errors) AS errors,
    sum(run.recovery_turns) AS recovery_turns,
    sum(run.input_tokens) AS input_tokens,
    sum(run.cache_read_tokens) AS cache_read_tokens,
    sum(run.cache_write_tokens) AS cache_write_tokens,
    sum(run.output_tokens) AS output_tokens,
    sum(run.body_tokens) AS body_tokens,
    sum(run.estimated_tokens) AS estimated_tokens,
    sum(run.nano_usd) AS nano_usd,
    countIf(run.nano_usd = 0 AND run.tokens > 0 AND notEmpty(run.unpriced)) AS unpriced_runs,
    groupUniqArrayArray(run.unpriced) AS unpriced,
    sum(run.seconds) AS seconds,
    sum(run.charges) AS charges,
    sum(run.timed_charges) AS timed_charges,
    sum(run.days_nano_usd) AS days_nano_usd,
    groupArrayIf(run.days_tokens, run.in_days > 0) AS days_tokens
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
            {{template "whole_day"}} AS whole_day,
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
            FROM {{template "dated"}}
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
            {{template "whole_day"}} AS whole_day,
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
            FROM {{template "dated"}}
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
