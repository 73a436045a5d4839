-- When the stretch of a cell begins, which stands for the time of all that was counted in it.
fromUnixTimestamp64Milli(toInt64(stretch) * 3600000, 'UTC') AS time
