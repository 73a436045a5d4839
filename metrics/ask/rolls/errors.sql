-- The cells of errors.sql. Tool and code are always told apart.
INSERT INTO errors_cells
SELECT
    {level:UInt8} AS level,
    toInt32(intDiv(toUnixTimestamp64Milli(by_time), 3600000)) AS stretch,
    {roll:UInt64} AS roll,
    {dims:String} AS dims,
    part.kind_tool AS tool,
    part.kind_code AS code,
    by_variant AS variant,
    by_model AS model,
    by_agent AS agent,
    part.kind_template AS template,
    part.kind_schema AS schema,
    part.count AS count,
    part.runs AS runs,
    part.first_seen AS first_seen,
    part.last_seen AS last_seen,
    part.example_run AS example_run,
    part.rules AS rules
FROM
(
    {{template "errors_parts"}}
) AS part
