-- Configuration of PUT /stores/{storeID}. A store without a row is in UTC and closes at midnight.
CREATE TABLE stores (
  store_id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  -- An IANA name, such as America/New_York.
  zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- The hour after midnight until which the business day goes on.
  closing_hour TINYINT UNSIGNED NOT NULL
) ENGINE=InnoDB;
-- When a correction was stored, in ms since 1970: a refund counts in that hour. NULL: before this column.
ALTER TABLE purchase_corrections ADD COLUMN stored_at BIGINT UNSIGNED NULL;
ALTER TABLE purchase_corrections ALTER COLUMN stored_at
  SET DEFAULT (TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)
