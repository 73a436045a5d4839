-- How did the calls of some runs end, one after the other?
--
-- One letter for each call in the order of the run: o(k), e(rror), r(efused), c(ancelled), p(ending).
SELECT
    run_id,
    arrayStringConcat(arrayMap(outcome -> substring(toString(outcome), 1, 1), arraySlice(calls.outcome, 1, {most:UInt32}))) AS outcomes
FROM runs FINAL
WHERE run_id IN {runs:Array(String)}
ORDER BY run_id
