-- Which moments are named? Of a name's rows the newest counts.
SELECT
    name,
    argMax(c.at, c.created_at) AS at,
    argMax(c.note, c.created_at) AS note,
    argMax(c.author, c.created_at) AS author,
    max(c.created_at) AS created_at
FROM cutovers AS c
GROUP BY name
HAVING argMax(c.deleted, c.created_at) = false
ORDER BY at, name
