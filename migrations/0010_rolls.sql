-- What questions are answered from where nothing has changed lately: the figures of one stretch under each value of the
-- dimensions that filters and groups name, so that a page adds up days instead of reading runs. Cells are written by a
-- roll, many at once, and count only when it has noted that all of a stretch are there.
--
-- Which roll of a stretch is whole: of several the greatest. A roll counts while as much is written in the stretch as when
-- it began, and for programs that would compute the same. The stretch is a day with all its hours where the level is 1.
CREATE TABLE rolls
(
    level     UInt8,
    stretch   Int32,
    basis     UInt64,
    roll      UInt64,
    writes    UInt64,
    runs      UInt64,
    last_fact DateTime64(3, 'UTC'),
    rolled_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(roll)
ORDER BY (level, stretch, basis);
CREATE TABLE loops_cells
(
    level   UInt8,
    stretch Int32,
    roll    UInt64,
    dims    LowCardinality(String),
    tool    LowCardinality(String),
    code    LowCardinality(String),
    variant LowCardinality(String),
    model   LowCardinality(String),
    agent   LowCardinality(String),
    calls_runs UInt64,
    calls UInt64,
    refused UInt64,
    cancelled UInt64,
    pending UInt64,
    errored UInt64,
    labelled UInt64,
    mature UInt64,
    repeat UInt64,
    corrected UInt64,
    switched UInt64,
    replied UInt64,
    user UInt64,
    ended UInt64,
    sanctioned UInt64,
    chains UInt64,
    longest UInt64,
    runs_with_error UInt64,
    runs_with_loop UInt64,
    mature_runs_with_error UInt64,
    mature_runs_with_loop UInt64,
    moment_runs UInt64,
    moment_x UInt64,
    moment_y UInt64,
    moment_xx UInt64,
    moment_xy UInt64,
    moment_yy UInt64,
    idle_repeats UInt64,
    stuck_streaks UInt64,
    cycles UInt64
)
ENGINE = MergeTree
ORDER BY (dims, level, stretch, roll);
CREATE TABLE cost_cells
(
    level   UInt8,
    stretch Int32,
    roll    UInt64,
    dims    LowCardinality(String),
    tool    LowCardinality(String),
    code    LowCardinality(String),
    variant LowCardinality(String),
    model   LowCardinality(String),
    agent   LowCardinality(String),
    runs UInt64,
    errors UInt64,
    recovery_turns UInt64,
    input_tokens UInt64,
    cache_read_tokens UInt64,
    cache_write_tokens UInt64,
    output_tokens UInt64,
    body_tokens UInt64,
    estimated_tokens UInt64,
    nano_usd Int64,
    unpriced_runs UInt64,
    unpriced Array(String),
    seconds Float64,
    charges UInt64,
    timed_charges UInt64,
    days_nano_usd Int64,
    days_tokens Array(UInt64)
)
ENGINE = MergeTree
ORDER BY (dims, level, stretch, roll);
CREATE TABLE recovery_cells
(
    level   UInt8,
    stretch Int32,
    roll    UInt64,
    dims    LowCardinality(String),
    tool    LowCardinality(String),
    code    LowCardinality(String),
    variant LowCardinality(String),
    model   LowCardinality(String),
    agent   LowCardinality(String),
    shape LowCardinality(String),
    outcomes Array(UInt64),
    times UInt64
)
ENGINE = MergeTree
ORDER BY (dims, level, stretch, roll);
CREATE TABLE waste_cells
(
    level   UInt8,
    stretch Int32,
    roll    UInt64,
    dims    LowCardinality(String),
    tool    LowCardinality(String),
    code    LowCardinality(String),
    variant LowCardinality(String),
    model   LowCardinality(String),
    agent   LowCardinality(String),
    runs UInt64,
    episodes UInt64,
    serial_faults UInt64,
    collateral_changed UInt64,
    collateral_rejected UInt64,
    errors UInt64,
    body_tokens UInt64,
    recovery_tokens UInt64
)
ENGINE = MergeTree
ORDER BY (dims, level, stretch, roll);
CREATE TABLE errors_cells
(
    level   UInt8,
    stretch Int32,
    roll    UInt64,
    dims    LowCardinality(String),
    tool    LowCardinality(String),
    code    LowCardinality(String),
    variant LowCardinality(String),
    model   LowCardinality(String),
    agent   LowCardinality(String),
    template LowCardinality(String),
    schema LowCardinality(String),
    count UInt64,
    runs UInt64,
    first_seen DateTime64(3, 'UTC'),
    last_seen DateTime64(3, 'UTC'),
    example_run String,
    rules Array(String)
)
ENGINE = MergeTree
ORDER BY (dims, level, stretch, roll);
CREATE TABLE findings_cells
(
    level   UInt8,
    stretch Int32,
    roll    UInt64,
    dims    LowCardinality(String),
    tool    LowCardinality(String),
    code    LowCardinality(String),
    variant LowCardinality(String),
    model   LowCardinality(String),
    agent   LowCardinality(String),
    finding LowCardinality(String),
    count UInt64,
    runs UInt64,
    last_seen DateTime64(3, 'UTC'),
    example_run String
)
ENGINE = MergeTree
ORDER BY (dims, level, stretch, roll);
CREATE TABLE next_actions_cells
(
    level   UInt8,
    stretch Int32,
    roll    UInt64,
    dims    LowCardinality(String),
    tool    LowCardinality(String),
    code    LowCardinality(String),
    variant LowCardinality(String),
    model   LowCardinality(String),
    agent   LowCardinality(String),
    row_tool LowCardinality(String),
    runs UInt64,
    errored UInt64,
    mature UInt64,
    labels Array(UInt64),
    obeyed UInt64,
    disobeyed UInt64,
    honoured UInt64,
    not_honoured UInt64,
    label_runs UInt64,
    label_xx UInt64,
    label_y Array(UInt64),
    label_xy Array(UInt64),
    label_yy Array(UInt64),
    moment_runs UInt64,
    moment_x UInt64,
    moment_y UInt64,
    moment_xx UInt64,
    moment_xy UInt64,
    moment_yy UInt64,
    stop_asked UInt64,
    stop_done UInt64,
    retry_asked UInt64,
    retry_done UInt64,
    others UInt64,
    others_stopped UInt64,
    others_retried UInt64
)
ENGINE = MergeTree
ORDER BY (dims, level, stretch, roll);
CREATE TABLE simulated_cells
(
    level   UInt8,
    stretch Int32,
    roll    UInt64,
    dims    LowCardinality(String),
    tool    LowCardinality(String),
    code    LowCardinality(String),
    variant LowCardinality(String),
    model   LowCardinality(String),
    agent   LowCardinality(String),
    runs UInt64,
    simulated UInt64
)
ENGINE = MergeTree
ORDER BY (dims, level, stretch, roll);
CREATE TABLE span_cells
(
    level   UInt8,
    stretch Int32,
    roll    UInt64,
    dims    LowCardinality(String),
    tool    LowCardinality(String),
    code    LowCardinality(String),
    variant LowCardinality(String),
    model   LowCardinality(String),
    agent   LowCardinality(String),
    calls UInt64,
    newest_call DateTime64(3, 'UTC'),
    runs UInt64,
    first_activity DateTime64(3, 'UTC'),
    last_activity DateTime64(3, 'UTC'),
    last_fact DateTime64(3, 'UTC')
)
ENGINE = MergeTree
ORDER BY (dims, level, stretch, roll);
