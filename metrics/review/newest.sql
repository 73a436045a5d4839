-- What was decided last on one alias candidate?
SELECT
    toString(argMax(r.state, r.decided_at)) AS state,
    argMax(r.note, r.decided_at) AS note,
    argMax(r.author, r.decided_at) AS author,
    max(r.decided_at) AS decided_at
FROM alias_reviews AS r
WHERE level = {level:String}
    AND tool = {tool:String}
    AND field = {field:String}
    AND rejected = {rejected:String}
    AND accepted = {accepted:String}
HAVING count() > 0
