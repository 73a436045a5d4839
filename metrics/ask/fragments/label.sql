-- The label as it is known at as_of: without a next turn it becomes 'ended' once the run has ended or the label horizon
-- has passed. A run without times of its own has no age, so no horizon passes in it.
if
(
    label = '' AND ({{template "ended"}} OR (timed AND {as_of:DateTime64(3, 'UTC')} >= time + toIntervalMillisecond({horizon_ms:Int64}))),
    'ended',
    toString(label)
)
