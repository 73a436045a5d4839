-- What would the other payload have said, beside the one that the model saw?
SELECT
    toString(template) AS old_template,
    toString(code) AS old_code,
    toString(new_code) AS new_code,
    toString(shadow) AS shadow,
    toInt64(count()) AS count,
    toInt64(uniqExact(run_id)) AS runs,
    argMax(run_id, (e.time, run_id)) AS example_run,
    toInt64(countIf(error_disagrees)) AS error_disagrees,
    toInt64(countIf(retryable_disagrees)) AS retryable_disagrees,
    toInt64(sum(old_tokens)) AS old_body_tokens,
    toInt64(sum(new_tokens)) AS new_body_tokens
FROM
(
    SELECT
        run_id,
        agent,
        shadow_time AS time,
        shadow_tool AS tool,
        shadow_code AS code,
        shadow_model AS model,
        shadow_variant AS variant,
        shadow,
        template,
        new_code,
        error_disagrees,
        retryable_disagrees,
        old_tokens,
        new_tokens
    FROM runs FINAL
    ARRAY JOIN
        shadows.time AS shadow_time,
        shadows.tool AS shadow_tool,
        shadows.code AS shadow_code,
        shadows.model AS shadow_model,
        shadows.variant AS shadow_variant,
        shadows.shadow AS shadow,
        shadows.template AS template,
        shadows.new_code AS new_code,
        shadows.error_disagrees AS error_disagrees,
        shadows.retryable_disagrees AS retryable_disagrees,
        shadows.old_body_tokens AS old_tokens,
        shadows.new_body_tokens AS new_tokens
) AS e
WHERE {{template "filter"}}
GROUP BY old_template, old_code, new_code, shadow
ORDER BY count DESC, old_template, old_code, new_code, shadow
LIMIT {limit:UInt32}
