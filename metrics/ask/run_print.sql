-- How much is stored of a run, and since when?
--
-- What is replaced but not merged away yet is counted as well: a change of the print says only that the run is to be read anew.
SELECT
    toInt64(count()) AS stored,
    max(version) AS newest,
    sum(version) AS versions,
    max(stored_at) AS stored_at
FROM transcripts
WHERE run_id = {run:String}
