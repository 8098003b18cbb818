-- The registry of stores: configuration, set with PUT /stores/{storeID}. A store without a row is in UTC and closes at
-- midnight.
CREATE TABLE stores (
  store_id BIGINT UNSIGNED NOT NULL,
  -- An IANA name, such as America/New_York.
  zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- The hour after midnight until which the business day goes on.
  closing_hour TINYINT UNSIGNED NOT NULL,
  PRIMARY KEY (store_id)
) ENGINE=InnoDB
