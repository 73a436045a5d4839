-- The filters that every figure has. Those that name a code let through only rows that have one.
time >= {from:DateTime64(3, 'UTC')}
AND time < {to:DateTime64(3, 'UTC')}
AND (empty({tool:Array(String)}) OR has({tool:Array(String)}, tool))
AND (empty({code:Array(String)}) OR has({code:Array(String)}, code))
AND (NOT has({by:Array(String)}, 'code') OR code != '')
AND (empty({variant:Array(String)}) OR has({variant:Array(String)}, variant))
AND (empty({model:Array(String)}) OR has({model:Array(String)}, model))
AND (empty({agent:Array(String)}) OR has({agent:Array(String)}, agent))
