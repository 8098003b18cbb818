-- One row per line of a sale. Clustered with its purchase, so that a day's items of a store are read by purchase.
CREATE TABLE purchase_items (
  purchase_id BINARY(16) NOT NULL,
  -- The line's place within the purchase, from 0: the same item may stand in two lines.
  line SMALLINT UNSIGNED NOT NULL,
  item_id BIGINT UNSIGNED NOT NULL,
  quantity INT UNSIGNED NOT NULL,
  -- No foreign key: both rows are written in one transaction by one statement each, and the check would cost a look-up
  -- per line. No index on item_id: questions by item are answered from the rankings.
  PRIMARY KEY (purchase_id, line)
) ENGINE=InnoDB
