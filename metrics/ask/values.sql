-- Which values could a filter be given?
--
-- A suggestion need not be exact: a row that a newer one replaces may still be counted, and lists end at a bound.
SELECT
    arraySort(groupUniqArrayArray(1000)(CAST(calls.tool, 'Array(String)'))) AS tool,
    arraySort(groupUniqArrayArray(1000)(CAST(errors.code, 'Array(String)'))) AS code,
    arraySort(groupUniqArrayArray(1000)(CAST(calls.variant, 'Array(String)'))) AS variant,
    arraySort(groupUniqArrayArray(1000)(CAST(calls.model, 'Array(String)'))) AS model,
    arraySort(groupUniqArray(1000)(toString(agent))) AS agent
FROM runs
WHERE last_activity >= {from:DateTime64(3, 'UTC')} AND started_at < {to:DateTime64(3, 'UTC')}
