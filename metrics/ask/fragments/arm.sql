-- The arm of a run: 1 is A, 2 is B, 3 saw both payloads, 0 none of them. Before and after a cutover runs are told apart by
-- their start; one that went on beyond it saw both.
multiIf
(
    {watched:Bool}, multiIf(started_at >= {cutover:DateTime64(3, 'UTC')}, 2, arrayExists(time -> time >= {cutover:DateTime64(3, 'UTC')}, calls.time), 3, 1),
    has(calls.variant, {a:String}) AND has(calls.variant, {b:String}), 3,
    has(calls.variant, {a:String}), 1,
    has(calls.variant, {b:String}), 2,
    0
)
