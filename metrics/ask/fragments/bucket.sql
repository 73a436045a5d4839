-- The stretch of time that a row falls into. Of day, hour and minute the finest decides.
multiIf
(
    has({by:Array(String)}, 'minute'), toDateTime64(toStartOfMinute(time, 'UTC'), 3, 'UTC'),
    has({by:Array(String)}, 'hour'), toDateTime64(toStartOfHour(time, 'UTC'), 3, 'UTC'),
    has({by:Array(String)}, 'day'), toDateTime64(toStartOfDay(time, 'UTC'), 3, 'UTC'),
    toDateTime64(0, 3, 'UTC')
)
