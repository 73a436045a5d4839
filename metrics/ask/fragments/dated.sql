-- The facts of the runs that may count in the time asked for and are not answered from cells: those of whole stretches by
-- where they stand, those of more than a day by what they reach.
(
    SELECT *
    FROM dated_runs FINAL
    WHERE
        (
            level < 2
            AND stretch >= toInt32(floor(toUnixTimestamp64Milli({from:DateTime64(3, 'UTC')}) / 86400000)) * 24
            AND stretch < toInt32(ceil(toUnixTimestamp64Milli({to:DateTime64(3, 'UTC')}) / 3600000))
            AND ({unrolled:Bool} OR (level, stretch) IN {raw:Array(Tuple(UInt8, Int32))})
        )
        OR
        (
            level = 2
            AND {beyond_days:Bool}
            AND stretch < toInt32(ceil(toUnixTimestamp64Milli({to:DateTime64(3, 'UTC')}) / 3600000))
            AND last_fact >= {from:DateTime64(3, 'UTC')}
        )
) AS runs
