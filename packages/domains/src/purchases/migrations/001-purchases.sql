-- One row per sale. The clustered key is the event's id: a UUIDv7 grows with time, so rows arrive at the end of the tree.
-- Rows of an Idempotency-Key have a hashed id and arrive anywhere.
CREATE TABLE purchases (
  id BINARY(16) NOT NULL,
  store_id BIGINT UNSIGNED NOT NULL,
  customer_id BIGINT UNSIGNED NOT NULL,
  purchased_on DATE NOT NULL,
  -- The batch that stored it: tells which batch's mark says that it is ranked, and lets the ledger be checked by SQL.
  producer BINARY(8) NOT NULL,
  sequence INT UNSIGNED NOT NULL,
  PRIMARY KEY (id),
  -- GET /purchases?storeID=&date= in the order of its cursor, and one day's items of a store.
  KEY store_day (store_id, purchased_on, id),
  -- GET /purchases?customer=, in the order of its cursor. Customers shop in any store.
  KEY customer (customer_id, id)
) ENGINE=InnoDB
