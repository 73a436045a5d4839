-- An episode is mature when its first error is at least the idle limit old. A run without times of its own has no age:
-- it is mature as soon as it has ended.
if(timed, {as_of:DateTime64(3, 'UTC')} >= time + toIntervalMillisecond({idle_ms:Int64}), {{template "ended"}})
