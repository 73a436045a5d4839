-- Which runs are behind a number?
--
-- A run is listed when it has a row that all filters let through: an errored call where a code or label is asked for, an
-- episode where an ending or a number of attempts is, and so on for what else can be asked; else a call where a tool,
-- variant or model is. Where none of these is asked for a run counts at its start.
SELECT
    run_id,
    toString(agent) AS agent,
    toString(model) AS model,
    toString(variant) AS variant,
    started_at,
    last_activity,
    {{template "ended"}} AS ended,
    toInt64(turns) AS turns,
    toInt64(length(calls.time)) AS calls,
    toInt64(length(errors.time)) AS errored,
    toInt64(arrayCount(chain -> chain > 0, errors.chain)) AS loops,
    toInt64(length(episodes.time)) AS episodes,
    toInt64(arrayCount(ending -> {{template "ending"}} = 'abandoned', episodes.ending)) AS abandoned,
    toInt64(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens) AS tokens,
    nano_usd,
    notEmpty(unpriced) = 1 AS lacks_price,
    toString(end_reason) AS end_reason,
    arraySort(arrayDistinct(CAST(errors.code, 'Array(String)'))) AS codes,
    -- What the list is sorted by, so that it rises.
    toInt64(if({descending:Bool}, -1, 1)) * multiIf
    (
        {sort:String} = 'started_at', toUnixTimestamp64Milli(started_at),
        {sort:String} = 'turns', toInt64(turns),
        {sort:String} = 'calls', calls,
        {sort:String} = 'errored', errored,
        {sort:String} = 'loops', loops,
        {sort:String} = 'episodes', episodes,
        {sort:String} = 'abandoned', abandoned,
        {sort:String} = 'tokens', tokens,
        {sort:String} = 'usd', nano_usd,
        0
    ) AS sort_key
FROM runs AS run FINAL
WHERE
    (empty({agent:Array(String)}) OR has({agent:Array(String)}, agent))
    AND
    (
        empty({code:Array(String)}) AND empty({label:Array(String)})
        OR arrayExists
        (
            (time, tool, code, variant, model, label) ->
                {{template "filter"}}
                AND (empty({label:Array(String)}) OR has({label:Array(String)}, {{template "label"}})),
            errors.time, errors.tool, errors.code, errors.variant, errors.model, errors.label
        )
    )
    AND
    (
        empty({ending:Array(String)}) AND {attempts_min:UInt32} = 0
        OR arrayExists
        (
            (time, tool, code, variant, model, ending, attempts) ->
                {{template "filter"}}
                AND (empty({ending:Array(String)}) OR has({ending:Array(String)}, {{template "ending"}}))
                AND attempts >= {attempts_min:UInt32},
            episodes.time, episodes.tool, episodes.code, episodes.variant, episodes.model, episodes.ending, episodes.attempts
        )
    )
    AND
    (
        {of_calls:Bool} = false
        OR arrayExists
        (
            (time, tool, code, variant, model) -> {{template "filter"}},
            calls.time, calls.tool, arrayMap(t -> '', calls.tool), calls.variant, calls.model
        )
    )
    AND
    (
        {of_starts:Bool} = false
        OR started_at >= {from:DateTime64(3, 'UTC')} AND started_at < {to:DateTime64(3, 'UTC')}
    )
    AND
    (
        {{template "evidence"}}
    )
    AND ({paged:Bool} = false OR (sort_key, run_id) > ({cursor_key:Int64}, {cursor_run:String}))
ORDER BY sort_key, run_id
LIMIT {limit:UInt32}
