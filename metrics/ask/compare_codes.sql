-- Which code does one payload have for what the other one has its own code for?
--
-- From shadow records between the compared variants, or around a cutover between any two. Only what both call an error
-- says something about codes.
SELECT
    toString(code) AS old_code,
    toString(new_code) AS new_code,
    toInt64(count()) AS count
FROM
(
    SELECT
        agent,
        shadow_time AS time,
        shadow_tool AS tool,
        shadow_code AS code,
        shadow_model AS model,
        shadow_variant AS variant,
        shadow,
        new_code
    FROM runs FINAL
    ARRAY JOIN
        shadows.time AS shadow_time,
        shadows.tool AS shadow_tool,
        shadows.code AS shadow_code,
        shadows.model AS shadow_model,
        shadows.variant AS shadow_variant,
        shadows.shadow AS shadow,
        shadows.new_code AS new_code
)
WHERE {{template "filter"}}
    AND ({watched:Bool} OR (variant = {a:String} AND shadow = {b:String}) OR (variant = {b:String} AND shadow = {a:String}))
    AND variant != shadow
    AND code != ''
    AND new_code != ''
GROUP BY old_code, new_code
ORDER BY old_code, count DESC, new_code
