-- One row per ride. The id is made of resort, season, day, skier, minute and lift: the primary key is the natural key, in 16 bytes.
CREATE TABLE lift_rides (
  id BINARY(16) NOT NULL,
  resort VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  season SMALLINT UNSIGNED NOT NULL,
  day SMALLINT UNSIGNED NOT NULL,
  skier_id BIGINT UNSIGNED NOT NULL,
  minute SMALLINT UNSIGNED NOT NULL,
  lift_id INT UNSIGNED NOT NULL,
  -- What the ride adds to its skier's vertical.
  vertical INT UNSIGNED NOT NULL,
  -- The batch that stored it: tells which batch's mark says that it is ranked, and lets the ledger be checked by SQL.
  producer BINARY(8) NOT NULL,
  sequence INT UNSIGNED NOT NULL,
  PRIMARY KEY (id),
  -- A skier's vertical of a day, a season, or all days at a resort: all of it is in the index.
  KEY skier (skier_id, resort, season, day, vertical)
) ENGINE=InnoDB
