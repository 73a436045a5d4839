-- What does each field of an error do to the next call?
--
-- One error a run, the first of its code, by what it carries and how it was followed.
SELECT
    by_code AS code,
    toString(first.3) AS variant,
    toString(first.4) AS tool,
    toInt64(first.5) AS has,
    toString(first.6) AS what,
    toInt64(count()) AS runs
FROM
(
    SELECT
        by_code,
        run_id,
        argMin((time, position, variant_name, tool_name, carries, what, is_mature), (time, position)) AS first
    FROM
    (
        SELECT
            toString(code) AS by_code,
            run_id,
            time,
            position,
            toString(variant) AS variant_name,
            toString(tool) AS tool_name,
            carries,
            {{template "label"}} AS what,
            {{template "mature_error"}} AS is_mature
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
                carries,
                position
            FROM runs FINAL
            ARRAY JOIN
                errors.time AS error_time,
                errors.tool AS error_tool,
                errors.code AS error_code,
                errors.model AS error_model,
                errors.variant AS error_variant,
                errors.label AS error_label,
                errors.has AS carries,
                arrayEnumerate(errors.time) AS position
        )
        WHERE {{template "filter"}}
    )
    GROUP BY by_code, run_id
)
WHERE first.7 AND first.6 != ''
GROUP BY code, variant, tool, has, what
ORDER BY code, variant, tool, has, what
