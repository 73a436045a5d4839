-- What an error asks the model to do next, as far as it is judged: to stop, to retry, or nothing. The next action says it
-- more precisely than retryable.
multiIf
(
    replaceAll(lower(next_action), '-', '_') IN ('stop', 'ask_user'), 'stop',
    replaceAll(lower(next_action), '-', '_') = 'retry', 'retry',
    next_action = '' AND retryable = 'false', 'stop',
    ''
)
