-- What else can be asked of the rows behind a number: each that is asked must hold of one row that all filters let
-- through.
(
    empty({outcome:Array(String)})
    OR arrayExists
    (
        (time, tool, code, variant, model, outcome) -> {{template "filter"}} AND has({outcome:Array(String)}, toString(outcome)),
        calls.time, calls.tool, arrayMap(t -> '', calls.tool), calls.variant, calls.model, calls.outcome
    )
)
AND
(
    empty({pattern:Array(String)})
    OR arrayExists
    (
        (time, tool, code, variant, model, kind) -> {{template "filter"}} AND has({pattern:Array(String)}, toString(kind)),
        patterns.time, patterns.tool, patterns.code, patterns.variant, patterns.model, patterns.kind
    )
)
AND
(
    empty({finding:Array(String)})
    OR arrayExists
    (
        (time, tool, code, variant, model, finding) -> {{template "filter"}} AND has({finding:Array(String)}, finding),
        findings.time, findings.tool, findings.code, findings.variant, findings.model, findings.finding
    )
)
AND
(
    empty({rule:Array(String)}) AND empty({obeyed:Array(String)}) AND empty({honoured:Array(String)})
    OR arrayExists
    (
        (time, tool, code, variant, model, rule, label, next_action, retryable, honoured) ->
            {{template "filter"}}
            AND (empty({rule:Array(String)}) OR has({rule:Array(String)}, rule))
            AND (empty({obeyed:Array(String)}) OR has({obeyed:Array(String)}, {{template "obeyed"}}))
            AND (empty({honoured:Array(String)}) OR has({honoured:Array(String)}, multiIf(honoured = true, 'true', honoured = false, 'false', ''))),
        errors.time, errors.tool, errors.code, errors.variant, errors.model, errors.rule, errors.label, errors.next_action,
        errors.retryable, errors.honoured
    )
)
AND
(
    empty({reason:Array(String)}) AND empty({helper:Array(String)}) AND empty({waste:Array(String)})
    OR arrayExists
    (
        (time, tool, code, variant, model, ending, reason, helpers, serial, changed, rejected) ->
            {{template "filter"}}
            AND (empty({reason:Array(String)}) OR ({{template "ending"}} = 'abandoned' AND has({reason:Array(String)}, if(reason = '', 'stopped', toString(reason)))))
            AND (empty({helper:Array(String)}) OR arrayExists(h -> has({helper:Array(String)}, h.tool), helpers))
            AND
            (
                empty({waste:Array(String)})
                OR has({waste:Array(String)}, 'serial') AND serial > 0
                OR has({waste:Array(String)}, 'changed') AND changed > 0
                OR has({waste:Array(String)}, 'rejected') AND rejected > 0
            ),
        episodes.time, episodes.tool, episodes.code, episodes.variant, episodes.model, episodes.ending, episodes.reason,
        episodes.helpers, episodes.serial, episodes.changed, episodes.rejected
    )
)
AND
(
    -- Runs that were mined before rows of failures were known have none.
    {streak_min:UInt32} = 0
    OR arrayExists
    (
        (time, tool, code, variant, model, streak) -> {{template "filter"}} AND streak >= {streak_min:UInt32},
        charges.time, charges.tool, charges.code, charges.variant, charges.model, arrayResize(charges.streak, length(charges.time))
    )
    OR arrayExists
    (
        (time, tool, code, variant, model, streak) -> {{template "filter"}} AND streak >= {streak_min:UInt32},
        episodes.time, episodes.tool, episodes.code, episodes.variant, episodes.model, arrayResize(episodes.streak, length(episodes.time))
    )
)
