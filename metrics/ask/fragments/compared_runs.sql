-- Runs that may be compared, with their arm and what was counted in each. A run is mature when its start is at least the
-- idle limit old, and so is all that is counted in it: one age for every row and either arm.
(
    SELECT
        run_id,
        arm,
        in_range,
        stretch,
        is_unpriced,
        success,
        split_variant,
        toFloat64(counted_calls > 0) AS exposed,
        toFloat64(first_error.1) AS has_first,
        toFloat64(first_error.4 = 'repeat') AS first_looped,
        -- An open episode with fewer than three failed attempts may still recover within three.
        toFloat64(first_episode.1 AND NOT (first_episode.4 = 'open' AND first_episode.5 < 3)) AS has_first_end,
        toFloat64(first_episode.4 = 'recovered' AND first_episode.5 <= 3) AS first_recovered,
        toFloat64(first_episode.1) AS has_first_episode,
        toFloat64(arraySum
        (
            (episode, input, cache_read, cache_write, output) -> if(toUInt64(episode) + 1 = first_episode.3, input + cache_read + cache_write + output, 0),
            run_charges.1, run_charges.2, run_charges.3, run_charges.4, run_charges.5
        )) AS first_tokens,
        toFloat64(arrayCount(counted -> counted, err)) AS errored,
        toFloat64(arrayCount((counted, what) -> counted AND what != '', err, whats)) AS labelled,
        toFloat64(arrayCount((counted, what) -> counted AND what = 'repeat', err, whats)) AS repeats,
        toFloat64(arraySum((counted, tokens) -> if(counted, toUInt64(tokens), 0), err, bodies)) AS body_tokens,
        toFloat64(arrayCount((counted, what, asked) -> counted AND asked != '' AND what NOT IN ('', 'user'), err, whats, asks)) AS judged,
        toFloat64(arrayCount((counted, what, asked) -> counted AND ((asked = 'stop' AND what IN ('replied', 'ended')) OR (asked = 'retry' AND what = 'repeat')), err, whats, asks)) AS obeyed,
        -- As sums over mature episodes that have ended, or at least gone beyond what is asked.
        toFloat64(arrayCount((counted, end) -> counted AND end != 'open', eps, ends)) AS closed,
        toFloat64(arrayCount((counted, end) -> counted AND end = 'abandoned', eps, ends)) AS abandoned,
        toFloat64(arrayCount((counted, end, attempts) -> counted AND end = 'recovered' AND attempts <= 3, eps, ends, tries)) AS recovered_within_3,
        toFloat64(arraySum((counted, end, attempts) -> if(counted AND end != 'open', if(end = 'recovered', least(toUInt64(attempts), 10), 10), 0), eps, ends, tries)) AS limited_attempts,
        toFloat64(arraySum((counted, tokens) -> if(counted, tokens, 0), paid, run_charges.6)) AS tokens,
        toFloat64(arraySum((counted, nano) -> if(counted, nano, 0), paid, nanos)) / 1e9 AS usd
    FROM
    (
        SELECT
            run_id,
            {{template "arm"}} AS arm,
            started_at >= {from:DateTime64(3, 'UTC')} AND started_at < {to:DateTime64(3, 'UTC')} AS in_range,
            if({watched:Bool}, toInt64(floor((toUnixTimestamp64Milli(started_at) - toUnixTimestamp64Milli({cutover:DateTime64(3, 'UTC')})) / 86400000)), 0) AS stretch,
            notEmpty(runs.unpriced) AS is_unpriced,
            task_success AS success,
            arrayCount
            (
                (tool, model, variant, code) -> {{template "compared"}},
                calls.tool, calls.model, calls.variant, arrayMap(t -> '', calls.tool)
            ) AS counted_calls,
            arrayMap
            (
                (time, tool, code, model, variant) -> {{template "compared"}} AND {{template "mature_episode"}},
                errors.time, errors.tool, errors.code, errors.model, errors.variant
            ) AS err,
            arrayMap((label, time) -> {{template "label"}}, errors.label, errors.time) AS whats,
            arrayMap((next_action, retryable) -> {{template "asks"}}, errors.next_action, errors.retryable) AS asks,
            errors.body_tokens AS bodies,
            arraySort(arrayFilter(e -> e.1, arrayMap
            (
                (counted, time, position, what) -> (counted, time, position, what),
                err, errors.time, arrayEnumerate(errors.time), whats
            )))[1] AS first_error,
            arrayMap
            (
                (time, tool, code, model, variant) -> {{template "compared"}} AND {{template "mature_episode"}},
                episodes.time, episodes.tool, episodes.code, episodes.model, episodes.variant
            ) AS eps,
            arrayMap(ending -> {{template "ending"}}, episodes.ending) AS ends,
            episodes.attempts AS tries,
            arraySort(arrayFilter(e -> e.1, arrayMap
            (
                (counted, time, position, end, attempts) -> (counted, time, position, end, attempts),
                eps, episodes.time, arrayEnumerate(episodes.time), ends, episodes.attempts
            )))[1] AS first_episode,
            arrayMap
            (
                (time, tool, code, model, variant) -> {{template "compared"}} AND {{template "mature_episode"}},
                charges.time, charges.tool, charges.code, charges.model, charges.variant
            ) AS paid,
            charges.nano_usd AS nanos,
            (
                charges.episode, charges.input, charges.cache_read, charges.cache_write, charges.output,
                arrayMap((input, cache_read, cache_write, output) -> input + cache_read + cache_write + output, charges.input, charges.cache_read, charges.cache_write, charges.output)
            ) AS run_charges,
            multiIf
            (
                notEmpty(errors.time), toString(arraySort((variant, time) -> time, errors.variant, errors.time)[1]),
                runs.variant != '', toString(runs.variant),
                toString(calls.variant[1])
            ) AS split_variant
        FROM runs FINAL
        WHERE started_at >= {history_from:DateTime64(3, 'UTC')}
            AND started_at < {to:DateTime64(3, 'UTC')}
            AND (empty({agent:Array(String)}) OR has({agent:Array(String)}, agent))
            AND if(timed, {as_of:DateTime64(3, 'UTC')} >= started_at + toIntervalMillisecond({idle_ms:Int64}), {{template "ended"}})
            AND arm > 0
    )
)
