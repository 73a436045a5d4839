-- What was said in one run?
SELECT
    thread_id,
    toString(kind) AS kind,
    slot,
    version,
    position,
    content,
    arrived
FROM transcripts FINAL
WHERE run_id = {run:String}
