-- Errored calls with their label at as_of, what they asked for and what was done.
(
    SELECT
        {{template "by"}},
        run_id,
        toString(tool) AS tool_name,
        {{template "label"}} AS what,
        {{template "mature_error"}} AS is_mature,
        {{template "asks"}} AS asked,
        multiIf(what = 'repeat', 'retry', what IN ('replied', 'ended'), 'stop', '-') AS did,
        what NOT IN ('', 'user') AS is_judged,
        honoured AS was_honoured
    FROM
    (
        SELECT
            run_id,
            agent,
            timed,
            ended,
            last_activity,
            error_time AS time,
            error_tool AS tool,
            error_code AS code,
            error_model AS model,
            error_variant AS variant,
            error_label AS label,
            retryable,
            next_action,
            honoured
        FROM runs FINAL
        ARRAY JOIN
            errors.time AS error_time,
            errors.tool AS error_tool,
            errors.code AS error_code,
            errors.model AS error_model,
            errors.variant AS error_variant,
            errors.label AS error_label,
            errors.retryable AS retryable,
            errors.next_action AS next_action,
            errors.honoured AS honoured
    )
    WHERE {{template "filter"}}
)
