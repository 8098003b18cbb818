-- The category of an item from a business day (yyyymmdd) on, until its next row. `items.category` stays as it was for
-- gateways of an earlier release, and is not read any more.
CREATE TABLE item_categories (
  item_id BIGINT UNSIGNED NOT NULL,
  valid_from INT UNSIGNED NOT NULL,
  category VARCHAR(60) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (item_id, valid_from)
) ENGINE=InnoDB;
INSERT INTO item_categories SELECT item_id, 10000101, category FROM items WHERE category IS NOT NULL
