-- What do errors waste that a better payload would save?
SELECT
    {{template "group"}},
    toInt64(uniqExact(run_id)) AS runs,
    toInt64(countIf(kind = 'episode')) AS episodes,
    toInt64(sum(part.serial)) AS serial_faults,
    toInt64(sum(part.changed)) AS collateral_changed,
    toInt64(sum(part.rejected)) AS collateral_rejected,
    toInt64(countIf(kind = 'error')) AS errors,
    toInt64(sumIf(part.tokens, kind = 'error')) AS body_tokens,
    toInt64(sumIf(part.tokens, kind = 'charge')) AS recovery_tokens
FROM
(
    SELECT
        {{template "by"}},
        run_id,
        'episode' AS kind,
        toUInt64(serial) AS serial,
        toUInt64(changed) AS changed,
        toUInt64(rejected) AS rejected,
        toUInt64(0) AS tokens
    FROM
    (
        SELECT
            run_id,
            agent,
            episode_time AS time,
            episode_tool AS tool,
            episode_code AS code,
            episode_model AS model,
            episode_variant AS variant,
            serial,
            changed,
            rejected
        FROM runs FINAL
        ARRAY JOIN
            episodes.time AS episode_time,
            episodes.tool AS episode_tool,
            episodes.code AS episode_code,
            episodes.model AS episode_model,
            episodes.variant AS episode_variant,
            episodes.serial AS serial,
            episodes.changed AS changed,
            episodes.rejected AS rejected
    )
    WHERE {{template "filter"}}
    UNION ALL
    SELECT
        {{template "by"}},
        run_id,
        'error' AS kind,
        toUInt64(0) AS serial,
        toUInt64(0) AS changed,
        toUInt64(0) AS rejected,
        toUInt64(body_tokens) AS tokens
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
            body_tokens
        FROM runs FINAL
        ARRAY JOIN
            errors.time AS error_time,
            errors.tool AS error_tool,
            errors.code AS error_code,
            errors.model AS error_model,
            errors.variant AS error_variant,
            errors.body_tokens AS body_tokens
    )
    WHERE {{template "filter"}}
    UNION ALL
    SELECT
        {{template "by"}},
        run_id,
        'charge' AS kind,
        toUInt64(0) AS serial,
        toUInt64(0) AS changed,
        toUInt64(0) AS rejected,
        charge_input + charge_cache_read + charge_cache_write + charge_output AS tokens
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
            charge_input,
            charge_cache_read,
            charge_cache_write,
            charge_output
        FROM runs FINAL
        ARRAY JOIN
            charges.time AS charge_time,
            charges.tool AS charge_tool,
            charges.code AS charge_code,
            charges.model AS charge_model,
            charges.variant AS charge_variant,
            charges.input AS charge_input,
            charges.cache_read AS charge_cache_read,
            charges.cache_write AS charge_cache_write,
            charges.output AS charge_output
    )
    WHERE {{template "filter"}}
) AS part
GROUP BY {{template "group"}}
ORDER BY {{template "group"}}
