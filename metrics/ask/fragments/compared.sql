-- Whether a row counts in a comparison: what the filters let through, and where variants are compared only what came with
-- the payload of the run's arm.
(empty({tool:Array(String)}) OR has({tool:Array(String)}, tool))
AND (empty({code:Array(String)}) OR code = '' OR has({code:Array(String)}, code))
AND (empty({variant:Array(String)}) OR has({variant:Array(String)}, variant))
AND (empty({model:Array(String)}) OR has({model:Array(String)}, model))
AND ({watched:Bool} OR variant = if(arm = 2, {b:String}, {a:String}))
