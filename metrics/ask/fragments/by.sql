-- What rows are grouped by.
if(has({by:Array(String)}, 'tool'), toString(tool), '') AS by_tool,
if(has({by:Array(String)}, 'code'), toString(code), '') AS by_code,
if(has({by:Array(String)}, 'variant'), toString(variant), '') AS by_variant,
if(has({by:Array(String)}, 'model'), toString(model), '') AS by_model,
if(has({by:Array(String)}, 'agent'), toString(agent), '') AS by_agent,
{{template "bucket"}} AS by_time
