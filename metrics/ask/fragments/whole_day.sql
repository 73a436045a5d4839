-- Whether a time lies in the whole days that a projection rests on.
time >= {days_from:DateTime64(3, 'UTC')} AND time < {days_to:DateTime64(3, 'UTC')}
