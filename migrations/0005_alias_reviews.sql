-- What people decided about alias candidates. Append-only: of one candidate's rows the newest counts.
CREATE TABLE alias_reviews
(
    level      Enum8('value' = 1, 'parameter' = 2, 'tool' = 3),
    tool       String,
    field      String,
    rejected   String,
    accepted   String,
    state      Enum8('new' = 0, 'accepted' = 1, 'rejected' = 2),
    note       String,
    author     String,
    decided_at DateTime64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY (level, tool, field, rejected, accepted, decided_at);
