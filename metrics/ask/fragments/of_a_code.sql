-- Whether only rows with a code are counted, so that fields which need other calls are unknown.
(has({by:Array(String)}, 'code') OR notEmpty({code:Array(String)}))
