-- What is said of every cell. The rolled rows are grouped by day or hour, which is their stretch.
{level:UInt8} AS level,
toInt32(intDiv(toUnixTimestamp64Milli(by_time), 3600000)) AS stretch,
{roll:UInt64} AS roll,
{dims:String} AS dims,
by_tool AS tool,
by_code AS code,
by_variant AS variant,
by_model AS model,
by_agent AS agent
