-- Voids and refunds of sales; rows are only added. They count what they take back, in `items`, as sales count what they sold.
CREATE TABLE purchase_corrections (
  id BINARY(16) NOT NULL,
  kind VARCHAR(8) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  sale_id BINARY(16) NOT NULL,
  -- Where it counts: a void in the store and on the day of its sale, a refund in its own.
  store_id BIGINT UNSIGNED NOT NULL,
  counted_on DATE NOT NULL,
  -- [[item, -quantity, -amount * 10000], …]; no amount where none is known.
  items JSON NOT NULL,
  -- Of a refund: [[line of the sale, item, quantity, perhaps the amount], …]
  taken_back JSON NULL,
  producer BINARY(8) NOT NULL,
  sequence INT UNSIGNED NOT NULL,
  PRIMARY KEY (id),
  -- What was taken back of a sale.
  KEY sale (sale_id),
  -- What a store took back on a day.
  KEY store_day (store_id, counted_on, id),
  -- The rows of a batch, for folding and for the audit of what is new.
  KEY batch (producer, sequence)
) ENGINE=InnoDB
