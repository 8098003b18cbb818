-- One row per post: those of one hour add up.
CREATE TABLE steps (
  id BINARY(16) NOT NULL,
  user_id BIGINT UNSIGNED NOT NULL,
  day INT UNSIGNED NOT NULL,
  hour TINYINT UNSIGNED NOT NULL,
  steps INT UNSIGNED NOT NULL,
  -- The batch that stored it: tells which batch's mark says that it is ranked, and lets the ledger be checked by SQL.
  producer BINARY(8) NOT NULL,
  sequence INT UNSIGNED NOT NULL,
  PRIMARY KEY (id),
  -- A user's sum of a day, of his newest day, of days in a row: all of it is in the index. No table of sums beside it: it would have to be
  -- kept equal to the rows, and two writers that add to one sum would wait for each other.
  KEY user_day (user_id, day, steps)
) ENGINE=InnoDB
