-- What was said: one row for each message of a run, and for what records say of the run and its threads as a whole.
-- The source of truth: all facts can be mined anew from it.
-- A slot is the identity of a message in its thread. Where two records disagree about a slot the greater version
-- stays, and the version grows with what is known of the slot, so that writing again or writing late changes nothing.
-- Sharded by cityHash64(run_id).
CREATE TABLE transcripts
(
    run_id     String,
    thread_id  String,
    slot       String,
    kind       Enum8('message' = 1, 'run' = 2, 'thread' = 3),
    version    UInt64,
    position   Int32,
    content    String CODEC(ZSTD(3)),
    arrived    DateTime64(3, 'UTC'),
    stored_at  DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (run_id, thread_id, kind, slot);
