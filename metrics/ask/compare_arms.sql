-- How many runs does each arm of a comparison have, how many saw both payloads, and how was the split between them?
SELECT
    toInt64(countIf(arm = 1)) AS a_runs,
    toInt64(countIf(arm = 2)) AS b_runs,
    toInt64(countIf(arm = 3)) AS straddling,
    toInt64(countIf(arm = 1 AND exposed > 0)) AS a_exposed,
    toInt64(countIf(arm = 2 AND exposed > 0)) AS b_exposed,
    toInt64(countIf(arm = 1 AND exposed > 0 AND isNotNull(success))) AS a_success,
    toInt64(countIf(arm = 2 AND exposed > 0 AND isNotNull(success))) AS b_success,
    toInt64(sumIf(errored, arm = 1)) AS a_errors,
    toInt64(sumIf(errored, arm = 2)) AS b_errors,
    toInt64(countIf(split_variant = {a:String})) AS a_split,
    toInt64(countIf(split_variant = {b:String})) AS b_split
FROM {{template "compared_runs"}}
WHERE in_range
