-- How many of the runs were made by a simulator rather than lived through?
--
-- A run is of the stretch asked for where its activity touches it.
SELECT
    toInt64(count()) AS runs,
    toInt64(countIf(attributes['simulated'] = 'true')) AS simulated
FROM runs FINAL
WHERE
    started_at < {to:DateTime64(3, 'UTC')}
    AND last_activity >= {from:DateTime64(3, 'UTC')}
    AND (empty({agent:Array(String)}) OR has({agent:Array(String)}, agent))
