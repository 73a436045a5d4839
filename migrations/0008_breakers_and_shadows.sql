-- What a breaker would have cut off: the failures in a row of a tool before each recovery turn and each recovery.
ALTER TABLE runs
    ADD COLUMN IF NOT EXISTS `charges.streak` Array(UInt32) AFTER `charges.seconds`,
    ADD COLUMN IF NOT EXISTS `episodes.streak` Array(UInt32) AFTER `episodes.helpers`,
    -- Payloads that the model did not see, beside those that it did.
    ADD COLUMN IF NOT EXISTS `shadows.time` Array(DateTime64(3, 'UTC')),
    ADD COLUMN IF NOT EXISTS `shadows.tool` Array(LowCardinality(String)),
    ADD COLUMN IF NOT EXISTS `shadows.model` Array(LowCardinality(String)),
    ADD COLUMN IF NOT EXISTS `shadows.variant` Array(LowCardinality(String)),
    ADD COLUMN IF NOT EXISTS `shadows.shadow` Array(LowCardinality(String)),
    ADD COLUMN IF NOT EXISTS `shadows.code` Array(LowCardinality(String)),
    ADD COLUMN IF NOT EXISTS `shadows.template` Array(LowCardinality(String)),
    ADD COLUMN IF NOT EXISTS `shadows.new_code` Array(LowCardinality(String)),
    ADD COLUMN IF NOT EXISTS `shadows.error_disagrees` Array(Bool),
    ADD COLUMN IF NOT EXISTS `shadows.retryable_disagrees` Array(Bool),
    ADD COLUMN IF NOT EXISTS `shadows.old_body_tokens` Array(UInt32),
    ADD COLUMN IF NOT EXISTS `shadows.new_body_tokens` Array(UInt32);
