-- A run has ended when its record says so, or when its last activity is older than the idle limit.
(ended OR {as_of:DateTime64(3, 'UTC')} > last_activity + toIntervalMillisecond({idle_ms:Int64}))
