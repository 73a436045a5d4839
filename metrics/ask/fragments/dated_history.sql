-- The facts of the runs that began in the time that a comparison looks at.
(
    SELECT *
    FROM dated_runs FINAL
    WHERE
        (
            level < 2
            AND stretch >= toInt32(floor(toUnixTimestamp64Milli({history_from:DateTime64(3, 'UTC')}) / 86400000)) * 24
            AND stretch < toInt32(ceil(toUnixTimestamp64Milli({to:DateTime64(3, 'UTC')}) / 3600000))
        )
        OR
        (
            level = 2
            AND stretch < toInt32(ceil(toUnixTimestamp64Milli({to:DateTime64(3, 'UTC')}) / 3600000))
            AND last_fact >= {history_from:DateTime64(3, 'UTC')}
        )
) AS runs
