-- One row per swipe, also of those that a newer one of the same pair has overtaken: whatever was acknowledged is here.
CREATE TABLE swipes (
  id BINARY(16) NOT NULL,
  swiper BIGINT UNSIGNED NOT NULL,
  swipee BIGINT UNSIGNED NOT NULL,
  -- 1: right, 0: left.
  liked TINYINT UNSIGNED NOT NULL,
  -- ms since 1970, by the clock of the gateway that took it.
  taken_at BIGINT UNSIGNED NOT NULL,
  comment VARCHAR(256) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  -- The batch that stored it: tells which batch's mark says that it is ranked, and lets the ledger be checked by SQL.
  producer BINARY(8) NOT NULL,
  sequence INT UNSIGNED NOT NULL,
  -- No other index: questions are answered from the pairs.
  PRIMARY KEY (id)
) ENGINE=InnoDB
