-- Do the two payloads agree on what is an error, run by run?
--
-- A result is an error of a payload where it has a code in it. Sums over runs are what an interval needs that takes the
-- results of one run as alike.
SELECT
    toInt64(count()) AS runs,
    toInt64(sum(shadowed)) AS results,
    toInt64(sum(both)) AS both_errors,
    toInt64(sum(gone)) AS no_longer,
    toInt64(sum(made)) AS newly,
    toInt64(sum(shadowed - both - gone - made)) AS neither,
    toFloat64(sum(shadowed * shadowed)) AS xx,
    toFloat64(sum(shadowed * (shadowed - gone - made))) AS agree_xy,
    toFloat64(sum((shadowed - gone - made) * (shadowed - gone - made))) AS agree_yy,
    toFloat64(sum(shadowed * (made - gone))) AS difference_xy,
    toFloat64(sum((made - gone) * (made - gone))) AS difference_yy
FROM
(
    SELECT
        run_id,
        toInt64(count()) AS shadowed,
        toInt64(countIf(code != '' AND NOT error_disagrees)) AS both,
        toInt64(countIf(code != '' AND error_disagrees)) AS gone,
        toInt64(countIf(code = '' AND error_disagrees)) AS made
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
            error_disagrees
        FROM runs FINAL
        ARRAY JOIN
            shadows.time AS shadow_time,
            shadows.tool AS shadow_tool,
            shadows.code AS shadow_code,
            shadows.model AS shadow_model,
            shadows.variant AS shadow_variant,
            shadows.error_disagrees AS error_disagrees
    ) AS e
    WHERE {{template "filter"}}
    GROUP BY run_id
)
