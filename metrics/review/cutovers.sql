-- Which moments are named? Of a name's rows the newest counts, which may take it back.
SELECT
    name,
    argMax(c.at, c.created_at) AS at,
    argMax(c.note, c.created_at) AS note,
    argMax(c.author, c.created_at) AS author,
    argMax(c.deleted, c.created_at) AS deleted,
    max(c.created_at) AS created_at
FROM cutovers AS c
GROUP BY name
ORDER BY at, name
