-- Names are found by a part of them, in any case; regions and categories are compared as they are written.
ALTER TABLE stores
  ADD COLUMN name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci NULL;
-- The region of a store from a business day (yyyymmdd) on, until its next row.
CREATE TABLE store_regions (
  store_id BIGINT UNSIGNED NOT NULL,
  valid_from INT UNSIGNED NOT NULL,
  region VARCHAR(60) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (store_id, valid_from)
) ENGINE=InnoDB;
-- Configuration of PUT /items/{itemID}.
CREATE TABLE items (
  item_id BIGINT UNSIGNED NOT NULL PRIMARY KEY,
  name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci NOT NULL,
  category VARCHAR(60) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL
) ENGINE=InnoDB
