-- The cells of cost.sql.
INSERT INTO cost_cells
SELECT
    {{template "cell_of"}},
    sum(part.runs) AS runs,
    sum(part.errors) AS errors,
    sum(part.recovery_turns) AS recovery_turns,
    sum(part.input_tokens) AS input_tokens,
    sum(part.cache_read_tokens) AS cache_read_tokens,
    sum(part.cache_write_tokens) AS cache_write_tokens,
    sum(part.output_tokens) AS output_tokens,
    sum(part.body_tokens) AS body_tokens,
    sum(part.estimated_tokens) AS estimated_tokens,
    sum(part.nano_usd) AS nano_usd,
    sum(part.unpriced_runs) AS unpriced_runs,
    groupUniqArrayArray(part.unpriced) AS unpriced,
    sum(part.seconds) AS seconds,
    sum(part.charges) AS charges,
    sum(part.timed_charges) AS timed_charges,
    sum(part.days_nano_usd) AS days_nano_usd,
    groupArrayArray(part.days_tokens) AS days_tokens
FROM
(
    {{template "cost_parts"}}
) AS part
GROUP BY {{template "group"}}
