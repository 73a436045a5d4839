-- Which alias candidates are accepted? Of a candidate's reviews the newest counts.
SELECT
    toString(level) AS level,
    tool,
    field,
    rejected,
    accepted,
    argMax(r.note, r.decided_at) AS note,
    argMax(r.author, r.decided_at) AS author,
    max(r.decided_at) AS decided_at
FROM alias_reviews AS r
GROUP BY level, tool, field, rejected, accepted
HAVING argMax(r.state, r.decided_at) = 'accepted'
ORDER BY level, tool, field, rejected, accepted
