-- What the chain had sold of a business day when it was counted last in a quarter of an hour: see sales-samples.ts.
CREATE TABLE sales_samples (
  -- yyyymmdd
  day INT UNSIGNED NOT NULL,
  -- Quarters of an hour since 1970.
  slot INT UNSIGNED NOT NULL,
  -- Of all stores; amounts * 10000, NULL where BY does not keep them.
  quantity BIGINT NOT NULL,
  net_sales BIGINT NULL,
  -- [[store, quantity, amount, when the quantity was last seen to grow in ms since 1970], …]
  stores LONGTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- The best of the day: [[item, quantity], …]
  items TEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (day, slot)
) ENGINE=InnoDB;
-- What the newest look at the samples found, in one row.
CREATE TABLE sales_alerts (
  id TINYINT UNSIGNED NOT NULL PRIMARY KEY,
  -- ms since 1970
  found_at BIGINT UNSIGNED NOT NULL,
  alerts LONGTEXT CHARACTER SET utf8mb4 NOT NULL
) ENGINE=InnoDB;
-- Configuration of PUT /alert-rules/{rule}; NULL: as by default.
CREATE TABLE alert_rules (
  rule VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  is_on BOOLEAN NOT NULL,
  minutes INT UNSIGNED NULL,
  minimum INT UNSIGNED NULL,
  above DOUBLE NULL
) ENGINE=InnoDB
