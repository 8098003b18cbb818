-- The counts of removed purchases (`tally retention`), which rebuild and audit add to those of the rows.
CREATE TABLE purchases_base (
  store_id BIGINT UNSIGNED NOT NULL,
  item_id BIGINT UNSIGNED NOT NULL,
  quantity BIGINT UNSIGNED NOT NULL,
  PRIMARY KEY (store_id, item_id)
) ENGINE=InnoDB
