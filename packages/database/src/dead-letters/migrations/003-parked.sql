-- A parked letter waits for the event with this id, such as a refund for its sale.
ALTER TABLE dead_letters ADD COLUMN waits_for BINARY(16) NULL
