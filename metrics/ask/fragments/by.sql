-- What rows are grouped by. Of day, hour and minute the finest decides.
if(has({by:Array(String)}, 'tool'), toString(tool), '') AS by_tool,
if(has({by:Array(String)}, 'code'), toString(code), '') AS by_code,
if(has({by:Array(String)}, 'variant'), toString(variant), '') AS by_variant,
if(has({by:Array(String)}, 'model'), toString(model), '') AS by_model,
if(has({by:Array(String)}, 'agent'), toString(agent), '') AS by_agent,
multiIf
(
    has({by:Array(String)}, 'minute'), toDateTime64(toStartOfMinute(time, 'UTC'), 3, 'UTC'),
    has({by:Array(String)}, 'hour'), toDateTime64(toStartOfHour(time, 'UTC'), 3, 'UTC'),
    has({by:Array(String)}, 'day'), toDateTime64(toStartOfDay(time, 'UTC'), 3, 'UTC'),
    toDateTime64(0, 3, 'UTC')
) AS by_time
