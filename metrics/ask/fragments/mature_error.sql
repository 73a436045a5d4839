-- An errored call is mature when it is at least the label horizon old. A run without times of its own has no age: it is
-- mature as soon as it has ended.
if(timed, {as_of:DateTime64(3, 'UTC')} >= time + toIntervalMillisecond({horizon_ms:Int64}), {{template "ended"}})
