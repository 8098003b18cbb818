-- The stage was named event.
UPDATE dead_letters SET stage = 'rejected' WHERE stage = 'event'
