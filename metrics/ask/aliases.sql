-- Which wrong names do agents guess again and again, and which right one follows?
SELECT
    toString(candidate.level) AS level,
    candidate.tool AS tool,
    candidate.field AS field,
    candidate.rejected AS rejected,
    candidate.accepted AS accepted,
    toString(candidate.kind) AS kind,
    candidate.inferred AS inferred,
    candidate.folded AS folded,
    candidate.episodes AS episodes,
    candidate.runs AS runs,
    candidate.rivals AS rivals,
    candidate.agreeing AS agreeing,
    candidate.voters AS voters,
    candidate.first_seen AS first_seen,
    candidate.last_seen AS last_seen,
    candidate.example_runs AS example_runs,
    if(review.decisions > 0, review.state, 'new') AS state,
    review.note AS note,
    review.author AS author,
    review.decided_at AS decided_at,
    toInt64(field_values.calls) AS accepted_calls,
    toInt64(field_values.distinct) AS accepted_values
FROM
(
    -- One row for each candidate. Every run that met the rejected name has one vote, so that the votes add up to them.
    SELECT
        level,
        tool,
        field,
        rejected,
        accepted,
        any(seen.kind) AS kind,
        min(seen.inferred) AS inferred,
        toInt64(max(seen.folded)) AS folded,
        toInt64(sum(seen.episodes)) AS episodes,
        toInt64(count()) AS runs,
        toInt64(countIf(seen.is_vote)) AS agreeing,
        toInt64(sum(countIf(seen.is_vote)) OVER (PARTITION BY level, tool, field, rejected)) AS voters,
        toInt64(count() OVER (PARTITION BY level, tool, field, rejected)) - 1 AS rivals,
        min(seen.first_seen) AS first_seen,
        max(seen.last_seen) AS last_seen,
        arrayMap(r -> r.2, groupArraySorted(5)((-toUnixTimestamp64Milli(seen.last_seen), seen.run_id))) AS example_runs
    FROM
    (
        -- One row for each candidate and run. The run's first episode with the rejected name has the vote.
        SELECT
            level,
            tool,
            field,
            rejected,
            accepted,
            run_id,
            any(one.kind) AS kind,
            min(one.inferred) AS inferred,
            max(one.folded) AS folded,
            uniqExact(one.episode) AS episodes,
            min(one.time) AS first_seen,
            max(one.time) AS last_seen,
            min((one.time, one.episode, one.position)) AS first,
            first = min(min((one.time, one.episode, one.position))) OVER (PARTITION BY level, tool, field, rejected, run_id) AS is_vote
        FROM
        (
            -- Where every rejection of a field is one of case, all its pairs become one rule.
            SELECT
                level,
                tool,
                field,
                if(rule, '*', pair.rejected) AS rejected,
                if(rule, '*', pair.accepted) AS accepted,
                run_id,
                kind,
                inferred,
                episode,
                time,
                position,
                level = 'value' AND min(kind = 'case') OVER of_field AND uniqExact((pair.rejected, pair.accepted)) OVER of_field > 1 AS rule,
                if(rule, uniqExact((pair.rejected, pair.accepted)) OVER of_field, 0) AS folded
            FROM
            (
                SELECT
                    run_id,
                    agent,
                    pair_level AS level,
                    pair_time AS time,
                    toString(pair_tool) AS tool,
                    pair_code AS code,
                    pair_model AS model,
                    pair_variant AS variant,
                    toString(pair_field) AS field,
                    pair_rejected AS rejected,
                    pair_accepted AS accepted,
                    pair_kind AS kind,
                    pair_inferred AS inferred,
                    pair_episode AS episode,
                    position
                FROM runs FINAL
                ARRAY JOIN
                    pairs.level AS pair_level,
                    pairs.time AS pair_time,
                    pairs.tool AS pair_tool,
                    pairs.code AS pair_code,
                    pairs.model AS pair_model,
                    pairs.variant AS pair_variant,
                    pairs.field AS pair_field,
                    pairs.rejected AS pair_rejected,
                    pairs.accepted AS pair_accepted,
                    pairs.kind AS pair_kind,
                    pairs.inferred AS pair_inferred,
                    pairs.episode AS pair_episode,
                    arrayEnumerate(pairs.time) AS position
            ) AS pair
            WHERE {{template "filter"}}
            WINDOW of_field AS (PARTITION BY level, tool, field)
        ) AS one
        GROUP BY level, tool, field, rejected, accepted, run_id
    ) AS seen
    GROUP BY level, tool, field, rejected, accepted
) AS candidate
LEFT JOIN
(
    -- Of a candidate's reviews the newest counts.
    SELECT
        toString(level) AS level,
        tool,
        field,
        rejected,
        accepted,
        toString(argMax(r.state, r.decided_at)) AS state,
        argMax(r.note, r.decided_at) AS note,
        argMax(r.author, r.decided_at) AS author,
        max(r.decided_at) AS decided_at,
        count() AS decisions
    FROM alias_reviews AS r
    GROUP BY level, tool, field, rejected, accepted
) AS review
ON candidate.tool = review.tool
    AND candidate.field = review.field
    AND candidate.rejected = review.rejected
    AND candidate.accepted = review.accepted
    AND toString(candidate.level) = review.level
LEFT JOIN
(
    -- How many accepted calls gave a value for the field, and how many different ones: over all time, since that is a
    -- trait of the field.
    SELECT
        toString(accepted_tool) AS tool,
        toString(accepted_field) AS field,
        sum(accepted_calls) AS calls,
        uniqExactArray(accepted_values) AS distinct
    FROM runs FINAL
    ARRAY JOIN
        accepted.tool AS accepted_tool,
        accepted.field AS accepted_field,
        accepted.calls AS accepted_calls,
        accepted.values AS accepted_values
    WHERE (accepted_tool, accepted_field) GLOBAL IN
    (
        SELECT DISTINCT
            pair_tool,
            pair_field
        FROM runs FINAL
        ARRAY JOIN
            pairs.tool AS pair_tool,
            pairs.field AS pair_field,
            pairs.level AS pair_level
        WHERE pair_level = 'value'
    )
    GROUP BY accepted_tool, accepted_field
) AS field_values
ON candidate.tool = field_values.tool AND candidate.field = field_values.field
WHERE candidate.runs >= {min_runs:Int64}
    AND (empty({kind:Array(String)}) OR has({kind:Array(String)}, kind))
    AND (empty({level:Array(String)}) OR has({level:Array(String)}, level))
    -- What an imported table covers is shown only to who asks for the accepted ones.
    AND if(empty({state:Array(String)}), NOT (state = 'accepted' AND note = {imported:String}), has({state:Array(String)}, state))
ORDER BY runs DESC, episodes DESC, level, tool, field, rejected, accepted
