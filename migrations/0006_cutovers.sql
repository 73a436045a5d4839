-- Named moments at which something was cut over. Append-only: of one name's rows the newest counts.
CREATE TABLE cutovers
(
    name       String,
    at         DateTime64(3, 'UTC'),
    note       String,
    author     String,
    deleted    Bool DEFAULT false,
    created_at DateTime64(6, 'UTC')
)
ENGINE = MergeTree
ORDER BY (name, created_at);
