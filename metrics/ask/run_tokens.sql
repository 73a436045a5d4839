-- What did the turns of one run take, as it was counted when it was stored?
SELECT
    toInt64(messages) AS messages,
    toInt64(turns) AS turns,
    toInt64(length(calls.time)) AS calls,
    toInt64(length(errors.time)) AS errors,
    input_tokens,
    cache_read_tokens,
    cache_write_tokens,
    output_tokens,
    estimated_tokens,
    nano_usd,
    CAST(unpriced, 'Array(String)') AS unpriced,
    CAST(charges.thread, 'Array(String)') AS threads,
    charges.turn AS charged,
    charges.episode AS episodes,
    charges.input AS input,
    charges.cache_read AS cache_read,
    charges.cache_write AS cache_write,
    charges.output AS output,
    charges.estimated AS estimated,
    charges.nano_usd AS money
FROM runs FINAL
WHERE run_id = {run:String}
