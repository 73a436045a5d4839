-- The facts once more, by time: what questions read, so that they touch only the time that they ask for.
-- A row stands at the smallest stretch that holds everything of its run: level 0 is an hour, level 1 a day that no hour
-- of which does, level 2 more than a day. A stretch is known by its first hour, counted from 1970; at level 2 it is the
-- day on which the run began.
-- A run's stretch changes as more becomes known of it. Since it only grows, a run that is written marks itself as deleted
-- at each smaller stretch inside its own, whether it ever stood there or not: in whatever order its rows arrive, one is
-- left. What shrinks or moves, which takes a record that corrects times, is left for the roll to find.
-- Sharded by cityHash64(run_id).
CREATE TABLE dated_runs
(
    run_id             String,
    version            UInt64,
    is_deleted         UInt8 DEFAULT 0,
    rules              LowCardinality(String),
    stored_at          DateTime64(3, 'UTC') DEFAULT now64(3),

    -- Where the row stands: see above.
    level              UInt8,
    stretch            Int32 CODEC(Delta, ZSTD(1)),
    last_fact          DateTime64(3, 'UTC'),

    format             LowCardinality(String),
    agent              LowCardinality(String),
    agent_version      LowCardinality(String),
    provider           LowCardinality(String),
    model              LowCardinality(String),
    variant            LowCardinality(String),
    attributes         Map(LowCardinality(String), String),
    started_at         DateTime64(3, 'UTC'),
    last_activity      DateTime64(3, 'UTC'),
    timed              Bool,
    ended              Bool,
    end_reason         LowCardinality(String),
    task_success       Nullable(Bool),
    messages           UInt32,
    turns              UInt32,
    input_tokens       UInt64,
    cache_read_tokens  UInt64,
    cache_write_tokens UInt64,
    output_tokens      UInt64,
    estimated_tokens   UInt64,
    nano_usd           Int64,
    unpriced           Array(LowCardinality(String)),
    leaked_calls       UInt32,

    `calls.time`       Array(DateTime64(3, 'UTC')) CODEC(Delta, ZSTD(1)),
    `calls.tool`       Array(LowCardinality(String)),
    `calls.model`      Array(LowCardinality(String)),
    `calls.variant`    Array(LowCardinality(String)),
    `calls.outcome`    Array(Enum8('ok' = 1, 'error' = 2, 'refused' = 3, 'cancelled' = 4, 'pending' = 5)),

    `errors.time`        Array(DateTime64(3, 'UTC')) CODEC(Delta, ZSTD(1)),
    `errors.tool`        Array(LowCardinality(String)),
    `errors.code`        Array(LowCardinality(String)),
    `errors.raw_code`    Array(LowCardinality(String)),
    `errors.model`       Array(LowCardinality(String)),
    `errors.variant`     Array(LowCardinality(String)),
    `errors.thread`      Array(LowCardinality(String)),
    `errors.turn`        Array(UInt32),
    `errors.index`       Array(UInt16),
    `errors.label`       Array(Enum8('' = 0, 'user' = 1, 'repeat' = 2, 'corrected' = 3, 'switched' = 4, 'replied' = 5, 'ended' = 6)),
    `errors.sanctioned`  Array(Bool),
    `errors.chain`       Array(UInt32),
    `errors.obeyed`      Array(Nullable(Bool)),
    `errors.honoured`    Array(Nullable(Bool)),
    `errors.rule`        Array(LowCardinality(String)),
    `errors.schema`      Array(LowCardinality(String)),
    `errors.template`    Array(LowCardinality(String)),
    `errors.retryable`   Array(Enum8('unset' = 0, 'true' = 1, 'false' = 2)),
    `errors.next_action` Array(LowCardinality(String)),
    `errors.has`         Array(UInt16),
    `errors.hash`        Array(UInt64),
    `errors.body_tokens` Array(UInt32),

    `episodes.time`      Array(DateTime64(3, 'UTC')) CODEC(Delta, ZSTD(1)),
    `episodes.tool`      Array(LowCardinality(String)),
    `episodes.code`      Array(LowCardinality(String)),
    `episodes.model`     Array(LowCardinality(String)),
    `episodes.variant`   Array(LowCardinality(String)),
    `episodes.thread`    Array(LowCardinality(String)),
    `episodes.turn`      Array(UInt32),
    `episodes.index`     Array(UInt16),
    `episodes.ending`    Array(Enum8('recovered' = 1, 'recovered_with_user' = 2, 'abandoned' = 3, 'open' = 4)),
    `episodes.reason`    Array(Enum8('' = 0, 'turn_limit' = 1, 'cut_off' = 2, 'user_left' = 3, 'moved_on' = 4, 'handed_to_user' = 5, 'stopped' = 6)),
    `episodes.attempts`  Array(UInt32),
    `episodes.turns`     Array(UInt32),
    `episodes.seconds`   Array(Float64),
    `episodes.serial`    Array(UInt32),
    `episodes.changed`   Array(UInt32),
    `episodes.rejected`  Array(UInt32),
    `episodes.helpers`   Array(Array(Tuple(tool String, calls UInt32, tokens UInt64, value_from_it Bool, named_by_error Bool))),
    `episodes.streak` Array(UInt32),

    `charges.time`        Array(DateTime64(3, 'UTC')) CODEC(Delta, ZSTD(1)),
    `charges.tool`        Array(LowCardinality(String)),
    `charges.code`        Array(LowCardinality(String)),
    `charges.model`       Array(LowCardinality(String)),
    `charges.variant`     Array(LowCardinality(String)),
    `charges.thread`      Array(LowCardinality(String)),
    `charges.turn`        Array(UInt32),
    `charges.episode`     Array(UInt32),
    `charges.turns`       Array(UInt8),
    `charges.input`       Array(UInt64),
    `charges.cache_read`  Array(UInt64),
    `charges.cache_write` Array(UInt64),
    `charges.output`      Array(UInt64),
    `charges.estimated`   Array(Bool),
    `charges.nano_usd`    Array(Int64),
    `charges.seconds`     Array(Float64),
    `charges.streak` Array(UInt32),

    `patterns.kind`      Array(Enum8('idle_repeat' = 1, 'stuck_streak' = 2, 'cycle' = 3)),
    `patterns.time`      Array(DateTime64(3, 'UTC')),
    `patterns.tool`      Array(LowCardinality(String)),
    `patterns.code`      Array(LowCardinality(String)),
    `patterns.model`     Array(LowCardinality(String)),
    `patterns.variant`   Array(LowCardinality(String)),
    `patterns.thread`    Array(LowCardinality(String)),
    `patterns.turn`      Array(UInt32),
    `patterns.length`    Array(UInt32),

    `pairs.level`        Array(Enum8('value' = 1, 'parameter' = 2, 'tool' = 3)),
    `pairs.time`         Array(DateTime64(3, 'UTC')),
    `pairs.tool`         Array(LowCardinality(String)),
    `pairs.code`         Array(LowCardinality(String)),
    `pairs.model`        Array(LowCardinality(String)),
    `pairs.variant`      Array(LowCardinality(String)),
    `pairs.field`        Array(LowCardinality(String)),
    `pairs.rejected`     Array(String),
    `pairs.accepted`     Array(String),
    `pairs.kind`         Array(Enum8('case' = 1, 'format' = 2, 'typo' = 3, 'alias' = 4)),
    `pairs.inferred`     Array(Bool),
    `pairs.episode`      Array(UInt32),

    `accepted.tool`      Array(LowCardinality(String)),
    `accepted.field`     Array(LowCardinality(String)),
    `accepted.calls`     Array(UInt32),
    `accepted.values`    Array(Array(UInt32)),

    `findings.finding`   Array(LowCardinality(String)),
    `findings.time`      Array(DateTime64(3, 'UTC')),
    `findings.tool`      Array(LowCardinality(String)),
    `findings.code`      Array(LowCardinality(String)),
    `findings.model`     Array(LowCardinality(String)),
    `findings.variant`   Array(LowCardinality(String)),
    `findings.thread`    Array(LowCardinality(String)),
    `findings.turn`      Array(UInt32),
    `findings.index`     Array(UInt16),
    `shadows.time` Array(DateTime64(3, 'UTC')),
    `shadows.tool` Array(LowCardinality(String)),
    `shadows.model` Array(LowCardinality(String)),
    `shadows.variant` Array(LowCardinality(String)),
    `shadows.shadow` Array(LowCardinality(String)),
    `shadows.code` Array(LowCardinality(String)),
    `shadows.template` Array(LowCardinality(String)),
    `shadows.new_code` Array(LowCardinality(String)),
    `shadows.error_disagrees` Array(Bool),
    `shadows.retryable_disagrees` Array(Bool),
    `shadows.old_body_tokens` Array(UInt32),
    `shadows.new_body_tokens` Array(UInt32)
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (level, stretch, run_id);
-- Which stretches there are, and how often something was written in each: as long as that number stands still, so does
-- everything that was computed of the stretch.
CREATE TABLE stretches
(
    level      UInt8,
    stretch    Int32,
    writes     SimpleAggregateFunction(sum, UInt64),
    written_at SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
ENGINE = AggregatingMergeTree
ORDER BY (level, stretch);
CREATE MATERIALIZED VIEW stretches_written TO stretches AS
SELECT
    level,
    stretch,
    count() AS writes,
    max(stored_at) AS written_at
FROM dated_runs
GROUP BY level, stretch;
CREATE MATERIALIZED VIEW dated_runs_written TO dated_runs AS
WITH
    arrayConcat([started_at, last_activity], calls.time, errors.time, episodes.time, charges.time, patterns.time, pairs.time, findings.time, shadows.time) AS times,
    toInt32(floor(toUnixTimestamp64Milli(arrayMin(times)) / 3600000)) AS first_hour,
    toInt32(floor(toUnixTimestamp64Milli(arrayMax(times)) / 3600000)) AS last_hour,
    toInt32(floor(first_hour / 24)) AS first_day,
    toInt32(floor(last_hour / 24)) AS last_day
SELECT
    *,
    toUInt8(multiIf(first_hour = last_hour, 0, first_day = last_day, 1, 2)) AS level,
    if(level = 0, first_hour, first_day * 24) AS stretch,
    arrayMax(times) AS last_fact
FROM runs
WHERE is_deleted = 0;
-- The deletions at smaller stretches. A run of more than 40 days has only those of its first 40.
CREATE MATERIALIZED VIEW dated_runs_outgrown TO dated_runs AS
WITH
    arrayConcat([started_at, last_activity], calls.time, errors.time, episodes.time, charges.time, patterns.time, pairs.time, findings.time, shadows.time) AS times,
    toInt32(floor(toUnixTimestamp64Milli(arrayMin(times)) / 3600000)) AS first_hour,
    toInt32(floor(toUnixTimestamp64Milli(arrayMax(times)) / 3600000)) AS last_hour,
    toInt32(floor(first_hour / 24)) AS first_day,
    toInt32(floor(last_hour / 24)) AS last_day
SELECT
    run_id,
    version,
    toUInt8(1) AS is_deleted,
    outgrown.1 AS level,
    outgrown.2 AS stretch
FROM runs
ARRAY JOIN arrayConcat
(
    arrayMap(hour -> (toUInt8(0), toInt32(hour)), if(first_hour = last_hour, [], range(first_hour, least(last_hour, first_hour + 960) + 1))),
    arrayMap(day -> (toUInt8(1), toInt32(day * 24)), if(first_day = last_day, [], range(first_day, least(last_day, first_day + 40) + 1))),
    arrayMap(day -> (toUInt8(2), toInt32(day * 24)), if(first_day = last_day, [], range(first_day + 1, least(last_day, first_day + 40) + 1)))
) AS outgrown;
-- What was stored before, written once more.
INSERT INTO runs
SELECT *
FROM runs FINAL;
